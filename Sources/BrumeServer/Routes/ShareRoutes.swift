// records/resolve and records/accept, and asking for access.

import BrumeCore
import BrumeModel
import BrumeWire

enum ShareRoutes {
  static func resolve(_ call: Call) async throws -> Reply {
    let requests = try Wire.shortGUIDs(call.json())
    let found = try await call.meetingFaults(.sharing) {
      try await call.engine.resolveShares(requests, as: call.caller)
    }
    return .json(Wire.shareResults(found, call.shareOptions))
  }

  static func accept(_ call: Call) async throws -> Reply {
    let requests = try Wire.shortGUIDs(call.json())
    let accepted = try await call.meetingFaults(.sharing) {
      try await call.engine.acceptShares(requests, as: call.caller)
    }
    return .json(Wire.shareResults(accepted, call.shareOptions))
  }

  static func requestAccess(_ call: Call) async throws -> Reply {
    try await call.engine.requestShareAccess(Wire.shortGUIDs(call.json()), as: call.caller)
    return .empty
  }
}

extension Call {
  /// A share shows its reader his own part in it.
  fileprivate var shareOptions: RecordOptions {
    var options = assetOptions
    options.reader = caller.user
    return options
  }
}
