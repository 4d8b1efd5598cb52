// Stand-ins for parts of the rules that are still being written; the real ones win where they exist.

import BrumeCore
import BrumeModel

private let missing = BrumeError(.internalError, "this part is not built yet")

extension Engine {
  @_disfavoredOverload
  func listSubscriptions(
    in scope: DatabaseScope, as caller: Caller
  ) async throws -> [Subscription] { throw missing }
  @_disfavoredOverload
  func lookupSubscriptions(
    _ ids: [String], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] { throw missing }
  @_disfavoredOverload
  func modifySubscriptions(
    _ operations: [SubscriptionOperation], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] { throw missing }
  @_disfavoredOverload
  func createCourierToken(
    environment: BrumeModel.Environment, clientID: String?, as caller: Caller
  ) async throws -> String { throw missing }
  @_disfavoredOverload
  func registerToken(
    _ token: String, environment: BrumeModel.Environment, clientID: String?, as caller: Caller
  ) async throws { throw missing }
  @_disfavoredOverload
  func registerDevice(as caller: Caller) async throws { throw missing }
  @_disfavoredOverload
  func keptNotifications(
    token: String?, limit: Int?, as caller: Caller
  ) async throws -> KeptNotificationsPage { throw missing }
  @_disfavoredOverload
  func markNotificationsRead(_ ids: [String], as caller: Caller) async throws -> [String] {
    throw missing
  }
  @_disfavoredOverload
  func setBadge(_ value: Int, as caller: Caller) async throws { throw missing }
}
