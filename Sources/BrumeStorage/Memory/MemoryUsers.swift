// Accounts in memory.

import BrumeModel

final class MemoryUsers: MemoryFeature, UserWriting {
  func find(_ id: UserID) throws -> User? { draft.state.users[id] }

  func find(named name: String) throws -> User? {
    sorted.first { ByteText($0.name) == ByteText(name) }
  }

  func find(emailAddress: String) throws -> User? {
    let found = sorted.filter { user in
      user.emailAddress.map { EmailAddress.isSame($0, emailAddress) } ?? false
    }
    return found.first { $0.emailAddress.map(ByteText.init) == ByteText(emailAddress) }
      ?? found.first
  }

  func find(phoneNumber: String) throws -> User? {
    sorted.first { $0.phoneNumber.map { ByteText($0) == ByteText(phoneNumber) } ?? false }
  }

  private var sorted: [User] {
    draft.state.users.values.sorted {
      (ByteText($0.name), ByteText($0.id.name)) < (ByteText($1.name), ByteText($1.id.name))
    }
  }

  func page(after name: String?, limit: Int) throws -> [User] {
    let rest = sorted.filter { user in
      name.map { ByteText($0) < ByteText(user.name) } ?? true
    }
    return Array(rest.prefix(limit))
  }

  func count() throws -> Int { draft.state.users.count }

  func put(_ user: User) throws {
    draft.requireScope(.server)
    draft.state.users[user.id] = user
  }

  func linked(to identity: ProviderIdentity) throws -> UserID? {
    draft.state.identities[key(identity)]
  }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    draft.requireScope(.server)
    draft.state.identities[key(identity)] = user
  }

  func remove(_ id: UserID) throws {
    draft.requireScope(.server)
    draft.state.users[id] = nil
    draft.state.identities = draft.state.identities.filter { $0.value != id }
  }

  private func key(_ identity: ProviderIdentity) -> [ByteText] {
    [ByteText(identity.issuer), ByteText(identity.subject)]
  }
}
