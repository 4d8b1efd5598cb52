// users/caller, users/discover, the forms that Apple deprecated (users/current, users/lookup/…), and
// tokens for web pages of the same user.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

struct UserRoutes: Sendable {
  let rules: any RuleCalls
  let tokens: WebAuthTokens

  func caller(_ call: Call) async throws -> Reply {
    .json(Wire.identity(try await rules.currentUser(as: call.caller)))
  }

  func current(_ call: Call) async throws -> Reply {
    .json(Wire.currentUser(try await rules.currentUser(as: call.caller)))
  }

  /// With a body that says something: these people; else: those the caller has to do with.
  func discover(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    let body = try call.json()
    guard body != [:] else {
      return .json(Wire.users(try await rules.contacts(as: call.caller)))
    }
    let wanted = try Wire.lookupInfos(body)
    return .json(Wire.users(try await rules.users(wanted, as: call.caller)))
  }

  func lookup(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    let wanted = try Wire.lookedUp(call.json())
    return .json(Wire.lookedUpUsers(try await rules.users(wanted, as: call.caller)))
  }

  func contacts(_ call: Call) async throws -> Reply {
    try call.requirePublic()
    return .json(Wire.lookedUpUsers(try await rules.contacts(as: call.caller)))
  }

  func exchangeToken(_ call: Call) async throws -> Reply {
    let apiToken = try call.json().text("apiToken")
    let token = try await tokens.exchange(apiToken, as: call.caller)
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
