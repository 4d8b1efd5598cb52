// A page is damaged that one subscription's pushes need: it is passed over, and the others are served.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeNotifier

@Suite struct DamagedSubscriptionTests {
  /// Two subscriptions, of which "s" is served first, and a change for which both fire.
  private func prepared() async throws -> NotifierFixture {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "s", .zone(notes.id, recordType: nil))
    try await fixture.subscribe(alice, "t", .database(recordType: nil))
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n", in: notes)
    return fixture
  }

  private func damage(_ count: Int) -> [FlakyStore.Fault?] {
    Array(repeating: .damage, count: count)
  }

  @Test func `a subscription whose page is damaged is passed over, and the next is served`()
    async throws
  {
    let fixture = try await prepared()
    // With both, without upkeep, and alone.
    fixture.store.plan(damage(3))
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["t"])
    #expect(fixture.store.damagedRows?.count == 1)
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test func `what was to be passed over is tried again after the store has failed`()
    async throws
  {
    let fixture = try await prepared()
    fixture.store.plan(damage(3) + [.beforeCommit])
    await #expect(throws: FlakyStore.Failure.self) { try await fixture.notifier.drain() }
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
  }

  /// Both subscriptions are the first user's, so her devices keep both from being served.
  @Test(
    arguments: zip(
      [
        ReadPlan.Read.subscription(
          SubscriptionScope(in: development, scope: .private, user: alice), id: "s"),
        .devices(alice, development),
      ],
      [["t"], []]))
  func `what is damaged and would be read ahead is not asked for when it is passed over`(
    damaged: ReadPlan.Read, served: [String]
  ) async throws {
    let fixture = try await prepared()
    fixture.store.damage([damaged])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == served)
    #expect(fixture.store.damagedRows?.count == 2 - served.count)
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test func `a damaged schema that would be read ahead keeps no push from anybody`()
    async throws
  {
    let fixture = try await prepared()
    fixture.store.damage([.setting(.schema(development))])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
    #expect(fixture.store.damagedRows?.count == 1)
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test func `a schema that cannot be read keeps no push from anybody`() async throws {
    let fixture = try await prepared()
    try await fixture.store.write(in: .everything(of: fixture.store)) {
      try $0.settings.set(.schema(development), to: Array("DEFINE SCHEMA CREATE".utf8))
    }
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
    #expect(fixture.store.damagedRows?.count == 1)
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test func `a damaged page of the history keeps no push from anybody`() async throws {
    let fixture = try await prepared()
    fixture.store.plan(damage(1))
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test func `where nothing can be served all pushes wait, and come when it is mended`()
    async throws
  {
    let fixture = try await prepared()
    fixture.store.plan(damage(5))
    await #expect(throws: StoreError.self) { try await fixture.notifier.drain() }
    #expect(fixture.store.damagedRows?.waiting == ["all pushes"])
    // It is not tried with less again and again.
    fixture.store.plan(damage(1))
    await #expect(throws: StoreError.self) { try await fixture.notifier.drain() }
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
    #expect(fixture.store.damagedRows?.waiting == [])
  }

  @Test(arguments: [1, 2])
  func `a damaged page that an entry names is left unread`(reads: Int) async throws {
    let fixture = try await prepared()
    fixture.store.planReads(Array(repeating: true, count: reads))
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
    #expect(fixture.store.damagedRows?.count == reads - 1)
  }

  @Test func `a damaged page of the log itself keeps all pushes waiting`() async throws {
    let fixture = try await prepared()
    fixture.store.planReads(Array(repeating: true, count: 3))
    await #expect(throws: StoreError.self) { try await fixture.notifier.drain() }
    #expect(fixture.store.damagedRows?.waiting == ["all pushes"])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s", "t"])
  }

  @Test func `a notifier begins without the subscriptions that are on a damaged page`()
    async throws
  {
    let fixture = try await prepared()
    // From where it has come, so that it does not learn of them by the log.
    try await fixture.notifier.drain()
    try await fixture.store.write(in: .all) {
      try $0.mailboxes.acknowledge(through: .max, by: device("A", of: alice))
    }
    fixture.clock.advance(fixture.engine.limits.coalescingWindow + 1)
    try await fixture.log(.created, "m", in: zone("Notes", of: alice))
    // All at once; the cursor is whole; a thousand subscriptions, ever fewer, and the first one alone.
    fixture.store.planReads([true, false] + Array(repeating: true, count: 10))
    try await fixture.restarted().drain()
    #expect(try await fixture.pending(alice, "A") == ["t"])
    #expect(fixture.store.damagedRows?.count == 1)
  }
}

@Suite struct CautionTests {
  @Test func `what a transaction without upkeep left out is still to be done`() {
    var state = NotifierState(Limits(), historyRows: 10)
    var outcome = FanOut.Outcome(cursor: NotifierCursor(position: 1))
    outcome.keptUp = false
    state.served(outcome, now: 5)
    #expect(state.historyPlace(5).sweeps)
    outcome.keptUp = true
    state.served(outcome, now: 5)
    #expect(!state.historyPlace(5).sweeps)
  }

  @Test func `what met damage is tried without upkeep, then with fewer, last without the first`() {
    var caution = Caution()
    var seen: [String] = []
    var served = 5
    repeat {
      seen.append(
        "\(served)\(caution.keepsUp ? " kept up" : "")\(caution.passesOverFirst ? " passed" : "")")
      guard caution.metDamage(serving: served) else { break }
      served = caution.room(5)
    } while seen.count < 20
    #expect(seen == ["5 kept up", "5", "2", "1", "1 kept up passed", "1 passed"])
    #expect(caution.keepsUp && !caution.passesOverFirst && caution.room(5) == 5)
    let goesOn = caution.metDamage(serving: 5)
    #expect(!goesOn)
  }

  @Test func `nothing is passed over but the subscription that could not be served`() {
    func service(_ id: String) -> Caution.Service {
      let scope = SubscriptionScope(in: development, scope: .private, user: alice)
      return Caution.Service(
        position: 7,
        target: FanOut.Target(startPosition: 1, key: SubscriptionKey(scope: scope, id: id)))
    }
    var caution = Caution()
    for _ in 0..<2 {
      caution.begins(with: service("s"))
      let goesOn = caution.metDamage(serving: 1)
      #expect(goesOn)
    }
    caution.begins(with: service("s"))
    #expect(caution.passesOverFirst)
    caution.begins(with: service("t"))
    #expect(!caution.passesOverFirst && caution.keepsUp)
  }

  @Test func `once the damage is behind, a transaction is as large as before`() {
    var caution = Caution()
    let goesOn = [8, 8, 4, 2].map { caution.metDamage(serving: $0) }
    #expect(goesOn == [true, true, true, true])
    var rooms: [Int] = []
    for _ in 0..<4 {
      rooms.append(caution.room(8))
      caution.succeeded()
    }
    #expect(rooms == [1, 2, 4, 8])
    #expect(caution.keepsUp)
  }

  @Test func `where upkeep is what meets damage it is left out for a while`() {
    var caution = Caution()
    let goesOn = caution.metDamage(serving: 8)
    #expect(goesOn)
    var count = 0
    while !caution.keepsUp, count < 1000 {
      #expect(caution.room(8) == 8)
      caution.succeeded()
      count += 1
    }
    #expect(count == 256)
  }
}
