// subscriptions/list, subscriptions/lookup, subscriptions/modify.

import BrumeCore
import BrumeModel
import BrumeWire

enum SubscriptionRoutes {
  static func list(_ call: Call) async throws -> Reply {
    let all = try await call.withFaults(.fetchSubscriptions) {
      try await call.engine.subscriptions.list(in: call.scope, as: call.caller)
    }
    return .json(Wire.subscriptions(all))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let ids = try Wire.subscriptionLookup(call.json())
    let found = try await call.withFaults(.fetchSubscriptions) {
      try await call.engine.subscriptions.lookup(ids, in: call.scope, as: call.caller)
    }
    return .json(Wire.subscriptions(found))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.subscriptionOperations(call.json())
    return .json(Wire.subscriptions(try await call.modifySubscriptions(operations)))
  }
}
