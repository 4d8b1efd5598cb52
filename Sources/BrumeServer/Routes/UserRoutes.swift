// users/caller, users/discover, the forms that Apple deprecated (users/current, users/lookup/…), and
// tokens for web pages of the same user.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

enum UserRoutes {
  static func caller(_ call: Call) async throws -> Reply {
    .json(Wire.identity(try await call.rules.currentUser(as: call.caller)))
  }

  static func current(_ call: Call) async throws -> Reply {
    .json(Wire.currentUser(try await call.engine.discovery.currentUser(as: call.caller)))
  }

  /// With a body: these people; without one: those the caller has to do with.
  static func discover(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    guard call.method == .post, !call.body.isEmpty else {
      return .json(Wire.users(try await call.engine.discovery.contacts(as: call.caller)))
    }
    let wanted = try Wire.lookupInfos(call.json())
    return .json(Wire.users(try await call.engine.discovery.users(wanted, as: call.caller)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    let wanted = try Wire.lookedUp(call.json())
    return .json(Wire.lookedUpUsers(try await call.engine.discovery.users(wanted, as: call.caller)))
  }

  static func contacts(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    return .json(Wire.lookedUpUsers(try await call.engine.discovery.contacts(as: call.caller)))
  }

  static func exchangeToken(_ call: Call) async throws -> Reply {
    let apiToken = try call.json().text("apiToken")
    let token = try await call.engine.webAuthTokens.exchange(apiToken, as: call.caller)
    return .json(["webAuthToken": .string(token)])
  }
}

extension Call {
  // CloudKit: discovery is an endpoint of the public database only (observed live by MistKit).
  fileprivate func requirePublic() throws(BrumeError) {
    if scope == .public { return }
    throw BrumeError(
      .badRequest, "endpoint not applicable in the database type '\(scope.rawValue)db'")
  }
}
