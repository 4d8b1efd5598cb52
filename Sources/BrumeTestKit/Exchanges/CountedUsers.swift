// This counts the exchanges of users.

import BrumeModel
import BrumeStorage

final class CountedUsers<Inner: UserReading>: Counted<Inner>, UserReading {
  func find(_ id: UserID) throws -> User? {
    exchanges.asks(.user(id))
    return try inner.find(id)
  }

  func find(named name: String) throws -> User? {
    exchanges.asks()
    return try inner.find(named: name)
  }

  func find(emailAddress: String) throws -> User? {
    exchanges.asks()
    return try inner.find(emailAddress: emailAddress)
  }

  func find(phoneNumber: String) throws -> User? {
    exchanges.asks()
    return try inner.find(phoneNumber: phoneNumber)
  }

  func page(after name: String?, limit: Int) throws -> [User] {
    exchanges.asks()
    return try inner.page(after: name, limit: limit)
  }

  func count() throws -> Int {
    exchanges.asks()
    return try inner.count()
  }

  func linked(to identity: ProviderIdentity) throws -> UserID? {
    exchanges.asks()
    return try inner.linked(to: identity)
  }
}

extension CountedUsers: UserWriting where Inner: UserWriting {
  func put(_ user: User) throws {
    exchanges.writes(.user(user.id))
    return try inner.put(user)
  }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    exchanges.writes()
    return try inner.link(identity, to: user)
  }

  func remove(_ id: UserID) throws {
    exchanges.writes(.user(id))
    return try inner.remove(id)
  }
}
