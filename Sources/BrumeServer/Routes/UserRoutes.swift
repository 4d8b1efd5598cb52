// users/caller and its deprecated form users/current.

import BrumeCore
import BrumeModel
import BrumeWire

enum UserRoutes {
  static func caller(_ call: Call) async throws -> Reply {
    .json(Wire.identity(try await call.engine.currentUser(as: call.caller)))
  }

  static func current(_ call: Call) async throws -> Reply {
    .json(Wire.currentUser(try await call.engine.currentUser(as: call.caller)))
  }
}
