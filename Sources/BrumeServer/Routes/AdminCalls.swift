// What handlers of admin calls have in common: texts of the body, numbers of the query, and users by name.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

extension JSON {
  /// - Throws: `badRequest` if the text is missing or empty.
  func text(_ key: String) throws(BrumeError) -> String {
    try asObject("the body").text(key)
  }
}

extension JSONObject {
  /// - Throws: `badRequest` if the text is missing or empty.
  func text(_ key: String) throws(BrumeError) -> String {
    let text = try requiredString(key)
    guard !text.isEmpty else { throw BrumeError(.badRequest, "'\(key)' is empty") }
    return text
  }
}

extension Call {
  /// The body of an admin call. Its members are read with their types: one of another type is refused and never
  /// taken for absent, which may be what does more.
  func object() throws(BrumeError) -> JSONObject { try json().asObject("the body") }

  /// A parameter that is a whole number; nil if it is missing.
  func number(_ name: String) throws(BrumeError) -> Int64? {
    guard let text = query[name] else { return nil }
    guard let number = Int64(text), number >= 0 else {
      throw BrumeError(
        .badRequest,
        "the parameter '\(name)' must be a whole number, not negative; times are "
          + "milliseconds since 1970")
    }
    return number
  }

  /// The container environment of an admin call: the query's, or the settings'.
  var containerEnvironment: ContainerEnvironment { caller.containerEnvironment }
}

struct NamedUsers: Sendable {
  let store: any Store

  /// A user by sign-in name, or by record name.
  func user(_ name: String) async throws -> User {
    try await store.read { try $0.users.account(named: name) }
  }

  /// Sign-in names, without those of users who are gone, or whose account is damaged.
  func names(of users: Set<UserID>) async throws -> [UserID: String] {
    guard !users.isEmpty else { return [:] }
    let plan = ReadPlan { Set(users.map { .user($0) }) }
    return try await store.read(plan) { transaction in
      let found = try users.compactMap { try transaction.users.findWhole($0) }
      return Dictionary(found.map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
    }
  }
}
