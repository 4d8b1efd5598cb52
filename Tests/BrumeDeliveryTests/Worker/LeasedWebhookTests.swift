// Webhooks are called by the server that has the first bucket, and by no other that had it.

import BrumeCore
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeDelivery

@Suite struct LeasedWebhookTests {
  @Test func `a server whose lease has passed on calls no webhook any more`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let store = LeasedStore(inner: fixture.store)
    let calls = Mutexed(0)
    let worker = DeliveryWorker(
      engine: fixture.engine, store: store, channels: [],
      webhooks: WebhookChannel(
        concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
        exchange: { _ in
          calls.change { $0 += 1 }
          return OutsideReply(status: 200)
        }),
      clock: fixture.clock.push, chance: { 1 })
    let place = DeliveryWorkerFixture.containerEnvironment
    let hook = try await fixture.engine.webhooks.add(url: "https://hook.example/in", in: place)
    let database = DatabaseKey(in: place, owner: UserID("_alice"))
    let zone = ZoneKey(database: database, name: "Notes")
    let origin = Origin(user: UserID("_alice"), device: nil, requestID: "R", time: 1)
    try await store.write(in: .database(database)) {
      _ = try $0.log.append(.zoneCreated(zone), in: database, origin: origin)
    }
    store.lease.isHeld.value = false
    #expect(try await worker.callNext(webhook: hook.id, 1) == .empty)
    #expect(calls.value == 0)
    store.lease.isHeld.value = true
    #expect(try await worker.callNext(webhook: hook.id, 1) == .delivered)
    #expect(calls.value == 1)
  }
}

private struct LeasedStore: WrappingStore {
  final class Lease: Leases {
    let isHeld = Mutexed(true)
    let processes = 2
    func epoch(of bucket: Bucket) -> Int64? { isHeld.value ? 1 : nil }
  }
  let inner: any Store
  let lease = Lease()
  var leases: any Leases { lease }
}
