// Subscriptions in memory: a list in the order of their serial numbers.

import BrumeModel

final class MemorySubscriptions: MemoryFeature, SubscriptionWriting {
  func find(
    _ id: String, in scope: SubscriptionScope
  ) throws -> StoredSubscription? {
    index(id, scope).map { draft.state.subscriptions[$0].value }
  }

  func all(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    draft.state.subscriptions.map(\.value).filter { $0.scope == scope }
      .sorted { ByteText($0.subscription.id) < ByteText($1.subscription.id) }
  }

  func page(
    watching bucket: Bucket, withShared: Bool, after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    let rest = draft.state.subscriptions.filter {
      $0.serial > cursor ?? 0 && concerns($0.value.scope, bucket, withShared)
    }
    let page = rest.prefix(limit)
    return (page.map(\.value), page.count < rest.count ? page.last?.serial ?? cursor : nil)
  }

  func hasQueries(
    on recordType: String, in database: DatabaseKey
  ) throws -> Bool {
    draft.state.subscriptions.contains {
      $0.value.subscription.watchedType == recordType && $0.value.scope.watches(database)
    }
  }

  /// Those of shared databases follow zones of anybody.
  private func concerns(
    _ scope: SubscriptionScope, _ bucket: Bucket, _ withShared: Bool
  ) -> Bool {
    scope.scope == .shared ? withShared : draft.bucket(of: scope.logDatabase) == bucket
  }

  func put(_ subscription: StoredSubscription) throws {
    draft.requireScope(.database(subscription.scope.logDatabase))
    let coded = StoredSubscription(
      scope: subscription.scope,
      subscription: try draft.coders.decodeSubscription(
        draft.coders.encodeSubscription(subscription.subscription)),
      starts: subscription.starts)
    if let index = index(coded.subscription.id, coded.scope) {
      let serial = draft.state.subscriptions[index].serial
      draft.state.subscriptions[index] = MemorySubscription(serial: serial, value: coded)
    } else {
      draft.state.lastSubscriptionSerial += 1
      draft.state.subscriptions.append(
        MemorySubscription(serial: draft.state.lastSubscriptionSerial, value: coded))
    }
  }

  func remove(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    draft.requireScope(.database(scope.logDatabase))
    guard let index = index(id, scope) else { return false }
    draft.state.subscriptions.remove(at: index)
    return true
  }

  private func index(_ id: String, _ scope: SubscriptionScope) -> Int? {
    draft.state.subscriptions.firstIndex {
      $0.value.scope == scope && ByteText($0.value.subscription.id) == ByteText(id)
    }
  }
}
