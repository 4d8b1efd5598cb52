// subscriptions/list, subscriptions/lookup, subscriptions/modify.

import BrumeCore
import BrumeModel
import BrumeWire

struct SubscriptionRoutes: Sendable {
  let rules: any RuleCalls
  let limits: Limits

  func list(_ call: Call) async throws -> Reply {
    let all = try await rules.listSubscriptions(in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(all))
  }

  func lookup(_ call: Call) async throws -> Reply {
    let ids = try Wire.subscriptionLookup(call.json())
    let found = try await rules.lookupSubscriptions(ids, in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(found))
  }

  func modify(_ call: Call) async throws -> Reply {
    let request = try ModifySubscriptionsRequest(json: call.json())
    try limits.check(operationID: request.operationID)
    let results = try await rules.modifySubscriptions(request, in: call.scope, as: call.caller)
    return .json(Wire.subscriptions(results))
  }
}
