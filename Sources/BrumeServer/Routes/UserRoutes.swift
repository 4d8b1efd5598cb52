// users/caller and its deprecated form users/current, and tokens for web pages of the same user.

import BrumeCore
import BrumeModel
import BrumeWire

enum UserRoutes {
  static func caller(_ call: Call) async throws -> Reply {
    let user = try await call.meetingFaults(.account) {
      try await call.engine.currentUser(as: call.caller)
    }
    return .json(Wire.identity(user))
  }

  static func current(_ call: Call) async throws -> Reply {
    .json(Wire.currentUser(try await call.engine.currentUser(as: call.caller)))
  }

  static func discover(_ call: Call) async throws -> Reply {
    let wanted = try Wire.lookupInfos(call.json())
    return .json(Wire.users(try await call.engine.discoverUsers(wanted, as: call.caller)))
  }

  static func exchangeToken(_ call: Call) async throws -> Reply {
    let apiToken = try call.json().text("apiToken")
    let token = try await call.engine.webAuthToken(exchanging: apiToken, as: call.caller)
    return .json(["webAuthToken": .string(token)])
  }
}
