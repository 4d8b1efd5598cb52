// What the store has of one device is damaged: its pushes wait, and nobody else's.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite(.timeLimit(.minutes(10))) struct DamagedLaneTests {
  @Test func `what is damaged for one device does not end the deliveries`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone, hinting: false)
    let wasMet = Mutexed(false)
    // After the looks for devices and webhooks: the one at the mailbox.
    let store = OvertakenStore(fixture.store, afterRead: 3) {
      wasMet.value = true
      throw BrumeError.damaged("the mailbox of device 'phone'")
    }
    let worker = fixture.makeWorker(on: store)
    try await fixture.running(worker) {
      for _ in 0..<1_000_000 where !wasMet.value { await Task.yield() }
      for _ in 0..<100_000 where try await fixture.log().isEmpty {
        worker.hint([phone])
        await Task.yield()
      }
    }
    #expect(wasMet.value)
    #expect(fixture.channel.sent.map(\.notification) == ["N1"])
  }

  /// As a failed send waits: the page may be mended, and a push that was sent is not sent again at once.
  @Test func `a device whose page is damaged waits ever longer, and the others do not`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    let tablet = try await fixture.register("tablet")
    try await fixture.put("N1", to: phone, hinting: false)
    let wasMet = Mutexed(false)
    // After the looks for devices and webhooks: the one at the mailbox.
    let store = OvertakenStore(fixture.store, afterRead: 3) {
      wasMet.value = true
      throw StoreError(.corrupt, "invalid page in block 0")
    }
    let worker = fixture.makeWorker(on: store)
    try await fixture.running(worker) {
      while !wasMet.value { await Task.yield() }
      try await fixture.put("N2", to: tablet, hinting: false)
      worker.hint([phone, tablet])
      await fixture.channel.arrived(1)
      #expect(fixture.channel.sent.map(\.notification) == ["N2"])
      while worker.status.underWay > 0 { await Task.yield() }
      fixture.clock.advance(fixture.engine.limits.deliveryBackoff)
      await fixture.channel.arrived(2)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N2", "N1"])
  }
}
