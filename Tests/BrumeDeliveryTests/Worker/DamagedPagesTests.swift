// Pages are damaged that the worker reads or writes: whom they concern waits, everybody else is sent to, and what was
// sent is not sent again.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumeDelivery

@Suite(.timeLimit(.minutes(10))) struct DamagedPagesTests {
  /// Until a condition holds.
  private static func until(_ isSo: () -> Bool) async { while !isSo() { await Task.yield() } }

  // MARK: Finding devices

  @Test func `devices are found one by one if a page is damaged that they were to be read with`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    let tablet = try await fixture.register("tablet")
    let store = PagesStore(fixture.store)
    let worker = fixture.makeWorker(on: store)
    try await fixture.running(worker) {
      // The first look found nothing.
      await fixture.clock.sleepers(1)
      try await fixture.put("N1", to: phone, hinting: false)
      try await fixture.put("N2", to: tablet, hinting: false)
      store.damageReads(2)
      worker.hint([phone, tablet])
      await fixture.channel.arrived(1)
      await Self.until { worker.status.underWay == 0 }
      // Whose page is damaged is found by the next hint.
      worker.hint([phone, tablet])
      await fixture.channel.arrived(2)
    }
    #expect(Set(fixture.channel.sent.map(\.notification)) == ["N1", "N2"])
    #expect(store.damagedRows?.count == 1)
  }

  @Test func `a look through all devices goes on behind a damaged page`() async throws {
    var limits = Limits()
    limits.deliveryPage = 1
    let fixture = try await DeliveryWorkerFixture(limits: limits)
    for name in ["a", "b", "c"] {
      try await fixture.put("N-\(name)", to: try await fixture.register(name), hinting: false)
    }
    let store = PagesStore(fixture.store)
    store.damageReads(1)
    let worker = fixture.makeWorker(on: store)
    try await fixture.running(worker) {
      await fixture.channel.arrived(2)
      #expect(Set(fixture.channel.sent.map(\.device)) == ["b", "c"])
      await Self.until { worker.status.underWay == 0 }
      fixture.clock.advance(fixture.engine.limits.deliveryScan)
      await fixture.channel.arrived(3)
    }
    #expect(store.damagedRows?.count == 1)
    #expect(store.damagedRows?.waiting == [])
  }

  // MARK: What was sent

  /// The write that strikes it is tried with a line of the push log and without, at each attempt.
  @Test func `a push that was sent and cannot be struck is not sent again`() async throws {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone, hinting: false)
    let store = PagesStore(fixture.store)
    store.damageWrites(4)
    let reports = Mutexed<[PushLogEntry.Verdict]>([])
    let worker = fixture.makeWorker(on: store) { report in
      reports.change { $0.append(report.verdict) }
    }
    let backoff = fixture.engine.limits.deliveryBackoff
    try await fixture.running(worker) {
      for attempt in 1...2 {
        await Self.until { store.damagedWrites == 2 * attempt && worker.status.underWay == 0 }
        #expect(try await fixture.waiting(phone) == ["N1"])
        // Twice as long after the second time.
        fixture.clock.advance(backoff * Int64(attempt))
      }
      _ = try await fixture.logged(1)
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1"])
    #expect(try await fixture.waiting(phone) == [])
    #expect(reports.value == [.sent])
  }

  @Test func `an answer that could not be noted is forgotten once a later push was noted`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    try await fixture.put("N1", to: phone, hinting: false)
    let first = try await fixture.store.read {
      try $0.mailboxes.entries(of: phone, after: 0, limit: 1).first
    }
    let id = "\(try #require(first).position) N1"
    let store = PagesStore(fixture.store)
    store.damageWrites(2)
    let worker = fixture.makeWorker(on: store)
    @Sendable func isKept() -> Bool {
      worker.unnoted.withLock { $0.answer(.device(phone), id) != nil }
    }
    try await fixture.running(worker) {
      await Self.until { store.damagedWrites == 2 && worker.status.underWay == 0 }
      #expect(isKept())
      try await fixture.store.write(in: .all) {
        try $0.mailboxes.acknowledge(through: .max, by: phone)
      }
      try await fixture.put("N2", to: phone, hinting: false)
      fixture.clock.advance(fixture.engine.limits.deliveryBackoff)
      _ = try await fixture.logged(1)
      await Self.until { worker.status.underWay == 0 }
      #expect(!isKept())
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N2"])
  }

  @Test func `a push that was sent leaves its mailbox if only the push log is damaged`()
    async throws
  {
    let fixture = try await DeliveryWorkerFixture()
    let phone = try await fixture.register("phone")
    for id in ["N1", "N2"] { try await fixture.put(id, to: phone, hinting: false) }
    let store = PagesStore(fixture.store)
    store.damageWrites(1)
    let worker = fixture.makeWorker(on: store)
    try await fixture.running(worker) {
      let lines = try await fixture.logged(1)
      #expect(lines.map(\.notificationID) == ["N2"])
    }
    #expect(fixture.channel.sent.map(\.notification) == ["N1", "N2"])
    #expect(try await fixture.waiting(phone) == [])
    #expect(store.damagedRows?.count == 1)
  }
}

/// A store in which the next reads or writes meet a damaged page.
private final class PagesStore: WrappingStore {
  let inner: any Store
  let damagedRows: DamagedRows? = DamagedRows()
  private let reads = Mutexed(0)
  private let writes = Mutexed(0)
  private let met = Mutexed(0)

  init(_ inner: any Store) { self.inner = inner }

  func damageReads(_ count: Int) { reads.value = count }
  func damageWrites(_ count: Int) { writes.value = count }
  /// Writes that have met it.
  var damagedWrites: Int { met.value }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    try Self.take(from: reads)
    return try await inner.read(plan, body)
  }

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    do { try Self.take(from: writes) } catch {
      met.change { $0 += 1 }
      throw error
    }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private static func take(from counter: Mutexed<Int>) throws {
    var isDamaged = false
    counter.change { left in
      isDamaged = left > 0
      if left > 0 { left -= 1 }
    }
    if isDamaged { throw StoreError(.corrupt, "invalid page in block 0") }
  }
}
