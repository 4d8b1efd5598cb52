// Users, for the command line.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct AccountAdmin: Sendable {
  let accounts: Accounts
  let removals: UserRemovals
  let tokens: WebAuthTokens
  let signOut: SignOut
  let store: any Store
  let users: NamedUsers
  let usage: Usage
  /// Accounts of one answer.
  let mostUsers: Int

  /// Accounts in name order, a page at a time: the next call names the answer's `after`. With a prefix only those whose
  /// names begin so.
  func list(_ call: Call) async throws -> Reply {
    let part = try ListRequest(after: call.query["after"], limit: call.query["limit"])
    let size = min(part.limit ?? mostUsers, mostUsers)
    let beginning = call.query["prefix"] ?? ""
    let users = try await store.read { transaction in
      // Of all names that begin so it is the first, and no page after it has it.
      let exact = part.after == nil ? try transaction.users.find(named: beginning) : nil
      let others = try transaction.users.page(after: part.after ?? beginning, limit: size + 1)
      return Array(
        ((exact.map { [$0] } ?? []) + others.prefix { $0.name.utf8.starts(with: beginning.utf8) })
          .prefix(size + 1))
    }
    var answer = JSONObject()
    answer["users"] = .array(users.prefix(size).map { describe($0) })
    if users.count > size { answer["after"] = .string(users[size - 1].name) }
    return .json(.object(answer))
  }

  func create(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let user = try await accounts.create(
      name: json.text("name"), password: json.string("password"),
      emailAddress: json.string("email"), phoneNumber: json.string("phone"),
      givenName: json.string("givenName"), familyName: json.string("familyName"),
      isDiscoverable: json.bool("discoverable") ?? true)
    return .json(describe(user))
  }

  func change(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let user = try await users.user(json.text("user"))
    var change = Accounts.Change()
    change.password = try json.string("password")
    change.emailAddress = try json.string("email")
    change.phoneNumber = try json.string("phone")
    change.givenName = try json.string("givenName")
    change.familyName = try json.string("familyName")
    change.isDiscoverable = try json.bool("discoverable")
    let changed = try await accounts.change(user.id, change)
    if change.password != nil { signOut.endOpenRequests(of: user.id) }
    return .json(describe(changed))
  }

  /// Ends every session of a user.
  func signOutEverywhere(_ call: Call) async throws -> Reply {
    let user = try await users.user(call.json().text("user"))
    try await signOut.everywhere(user.id)
    return .json(describe(user))
  }

  /// Deletes a user with everything they own; a dry run says what that is.
  func delete(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let name = try json.text("user")
    if try json.bool("dryRun") ?? false {
      return .json(Wire.userRemoval(try await removals.report(on: name)))
    }
    let removal = try await removals.remove(name) { signOut.endOpenRequests(of: $0) }
    signOut.endOpenRequests(of: removal.user)
    return .json(Wire.userRemoval(removal))
  }

  /// A web auth token for a user, for two weeks.
  func makeToken(_ call: Call) async throws -> Reply {
    let user = try await users.user(call.json().text("user"))
    let token = try await tokens.issue(for: user.id, in: call.containerEnvironment, keep: true)
    return .json(["user": .string(user.name), "token": .string(token)])
  }

  private func describe(_ user: User) -> JSON {
    var object = JSONObject()
    object["name"] = .string(user.name)
    object["recordName"] = .string(user.id.name)
    object["email"] = user.emailAddress.map { .string($0) }
    object["phone"] = user.phoneNumber.map { .string($0) }
    object["discoverable"] = .bool(user.isDiscoverable)
    object["password"] = .bool(user.passwordHash != nil)
    object["lastUsed"] = usage.lastUse(of: user.id).map { .int($0) }
    return .object(object)
  }
}
