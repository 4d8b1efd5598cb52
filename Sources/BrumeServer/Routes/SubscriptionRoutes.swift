// subscriptions/list, subscriptions/lookup, subscriptions/modify.

import BrumeCore
import BrumeModel
import BrumeWire

enum SubscriptionRoutes {
  static func list(_ call: Call) async throws -> Reply {
    let all = try await call.rules.listSubscriptions(in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(all))
  }

  static func lookup(_ call: Call) async throws -> Reply {
    let ids = try Wire.subscriptionLookup(call.json())
    let found = try await call.rules.lookupSubscriptions(ids, in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(found))
  }

  static func modify(_ call: Call) async throws -> Reply {
    let operations = try Wire.subscriptionOperations(call.json())
    let results = try await call.rules.modifySubscriptions(
      operations, in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(results))
  }
}
