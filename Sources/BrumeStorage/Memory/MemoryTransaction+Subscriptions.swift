// Subscriptions in memory: a list in the order of their serial numbers.

import BrumeModel

extension MemoryTransaction {
  func subscription(
    _ id: String, in scope: SubscriptionScope
  ) throws -> StoredSubscription? {
    index(id, scope).map { state.subscriptions[$0].value }
  }

  func subscriptions(in scope: SubscriptionScope) throws -> [StoredSubscription] {
    state.subscriptions.map(\.value).filter { $0.scope == scope }
      .sorted { ByteText($0.subscription.id) < ByteText($1.subscription.id) }
  }

  func allSubscriptions(
    after cursor: Int64?, limit: Int
  ) throws -> (subscriptions: [StoredSubscription], next: Int64?) {
    let rest = state.subscriptions.filter { $0.serial > cursor ?? 0 }
    let page = rest.prefix(limit)
    return (page.map(\.value), page.count < rest.count ? page.last?.serial ?? cursor : nil)
  }

  func hasQuerySubscriptions(
    on recordType: String, in database: DatabaseKey
  ) throws -> Bool {
    state.subscriptions.contains {
      $0.value.subscription.watchedType == recordType && $0.value.scope.watches(database)
    }
  }

  func put(_ subscription: StoredSubscription) throws {
    requireScope(.database(subscription.scope.logDatabase))
    let coded = StoredSubscription(
      scope: subscription.scope,
      subscription: try coders.decodeSubscription(
        coders.encodeSubscription(subscription.subscription)),
      starts: subscription.starts)
    if let index = index(coded.subscription.id, coded.scope) {
      let serial = state.subscriptions[index].serial
      state.subscriptions[index] = MemorySubscription(serial: serial, value: coded)
    } else {
      state.lastSubscriptionSerial += 1
      state.subscriptions.append(
        MemorySubscription(serial: state.lastSubscriptionSerial, value: coded))
    }
  }

  func removeSubscription(_ id: String, in scope: SubscriptionScope) throws -> Bool {
    requireScope(.database(scope.logDatabase))
    guard let index = index(id, scope) else { return false }
    state.subscriptions.remove(at: index)
    return true
  }

  private func index(_ id: String, _ scope: SubscriptionScope) -> Int? {
    state.subscriptions.firstIndex {
      $0.value.scope == scope && ByteText($0.value.subscription.id) == ByteText(id)
    }
  }
}
