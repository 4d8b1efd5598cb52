import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// What is withheld in the transaction of a fan-out, because something happened between the match and it: the
/// history says which question it failed.
struct WithheldTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  private func trace(_ record: String, in zone: ZoneKey, _ fixture: NotifierFixture) async throws
    -> Trace
  {
    let tracing = Tracing(fixture.engine) { push, _ in
      Trace.Device(
        device: push.device.device.name, channel: push.channel.rawValue, verdict: .waiting,
        reason: "", source: .judged)
    }
    var question = TraceQuestion(in: development)
    question.record = (record, zone.name)
    let (asked, now) = (question, fixture.clock.now)
    return try await fixture.store.read { try tracing.trace(asked, now: now, in: $0) }
  }

  @Test func `a subscription that is replaced between match and push is named as replaced`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A", "B")
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n", in: main, by: alice, on: "A")
    fixture.store.overtake {
      try await fixture.subscribe(alice, "s", query("Diary"))
    }
    try await fixture.notifier.drain()
    let judged = try await trace("n", in: main, fixture).subscriptions.first
    #expect(judged?.verdict == .replaced && judged?.source == .recorded)
    #expect(judged?.gates.first { $0.outcome == .failed }?.name == .subscription)
    #expect(try await fixture.pending(alice, "B") == [])
  }

  @Test func `a share that is left between match and push is named as left`() async throws {
    let fixture = try await NotifierFixture()
    let notes = try await fixture.zone("Notes", of: alice)
    let membership = Membership(user: bob, share: RecordKey(zone: notes, name: "share"))
    try await shareRecord("share", in: notes, with: bob, fixture)
    try await fixture.register(bob, "B")
    try await fixture.subscribe(
      bob, "shared", .database(recordType: nil), in: .shared, info: visible())
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n", in: notes, by: alice, on: "A", shares: ["share"])
    fixture.store.overtake {
      try await fixture.store.write(in: .all) { try $0.shares.remove(membership) }
    }
    try await fixture.notifier.drain()
    let judged = try await trace("n", in: notes, fixture).subscriptions.first
    #expect(judged?.verdict == .shareLeft && judged?.source == .recorded)
    #expect(try await fixture.pending(bob, "B") == [])
  }

  @Test func `a record that no accepted share covers is none of a participant's business`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let notes = try await fixture.zone("Notes", of: alice)
    try await shareRecord("share", in: notes, with: bob, fixture)
    try await fixture.register(bob, "B")
    try await fixture.subscribe(
      bob, "shared", .database(recordType: nil), in: .shared, info: visible())
    try await fixture.log(.created, "private", in: notes, by: alice, on: "A")
    try await fixture.notifier.drain()
    let judged = try await trace("private", in: notes, fixture).subscriptions.first
    #expect(judged?.verdict == .shareLeft && judged?.source == .judged)
  }

  /// The transactions of one large fan-out each note their part.
  @Test func `a fan-out of several transactions is remembered whole`() async throws {
    let fixture = try await NotifierFixture { $0.notifierDeliveries = 3 }
    let open = zone(ZoneID.defaultName, of: nil)
    let users = (0..<10).map { UserID("_user\($0)") }
    for user in users {
      try await fixture.register(user, "D")
      try await fixture.subscribe(user, "s", query("Note"), in: .public, info: visible())
    }
    try await fixture.log(.created, "n", in: open)
    try await fixture.notifier.drain()
    let rows = try await fixture.store.read {
      try $0.history.served(after: 0, in: .only, limit: 99)
    }
    #expect(rows.count > 1 && rows.map(\.deliveries).reduce(0, +) == 10)
    #expect(rows.last?.last == 10)
    let found = try await trace("n", in: open, fixture)
    #expect(found.subscriptions.count == 10)
    #expect(found.subscriptions.allSatisfy { $0.verdict == .fired })
  }

  @Test func `deliveries are read as they were written`() {
    let key = SubscriptionKey(
      scope: SubscriptionScope(in: development, scope: .shared, user: bob), id: "café/1")
    let device = device("B", of: bob)
    let devices = [Device.Channel.stream, .courier(token: "t")].map {
      Device(key: device, channel: $0, registered: 1)
    }
    let fired = ServedDelivery(key, devices, devices, [.put(replaced: 7), .overflowed])
    let all = Withheld.allCases.map { ServedDelivery(key, $0) } + [fired]
    var packer = Packer()
    for delivery in all { delivery.add(to: &packer) }
    #expect(ServedDelivery.all(in: packer.bytes) == all)
    // Any bytes give values: those before the first that cannot be read.
    for end in packer.bytes.indices {
      let some = ServedDelivery.all(in: Array(packer.bytes[..<end]))
      #expect(Array(all.prefix(some.count)) == some)
    }
  }

  private func shareRecord(
    _ name: String, in zone: ZoneKey, with user: UserID, _ fixture: NotifierFixture
  ) async throws {
    var record = record(name, Record.shareType, in: zone)
    record.shareDetails = Share(
      participants: [
        Participant(
          id: user.name, role: .privateUser, permission: .readOnly, acceptance: .accepted,
          identity: UserIdentity(user: user))
      ])
    let shared = record
    try await fixture.store.write(in: .database(zone.database)) { transaction in
      let sequence = try transaction.sequences.next(in: zone.database)
      try transaction.records.put(shared, in: zone, sequence: sequence)
      try transaction.shares.put(Membership(user: user, share: RecordKey(zone: zone, name: name)))
    }
  }
}
