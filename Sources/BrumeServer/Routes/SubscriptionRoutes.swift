// subscriptions/list, subscriptions/lookup, subscriptions/modify.

import BrumeCore
import BrumeWire

enum SubscriptionRoutes {
  static func list(_ call: Call) async throws -> Reply {
    .json(
      Wire.subscriptions(try await call.engine.listSubscriptions(in: call.scope, as: call.caller)))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let ids = try Wire.subscriptionLookup(call.json())
    return .json(
      Wire.subscriptions(
        try await call.engine.lookupSubscriptions(ids, in: call.scope, as: call.caller)))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.subscriptionOperations(call.json())
    return .json(
      Wire.subscriptions(
        try await call.engine.modifySubscriptions(operations, in: call.scope, as: call.caller)))
  }
}
