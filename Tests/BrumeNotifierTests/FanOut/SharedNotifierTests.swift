import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// Pushes of a shared database: who takes part decides, and is asked when the push is made.
struct SharedNotifierTests {
  private let carol = UserID("_carol")

  /// Alice's zone with a share that Bob accepted, and both subscribed.
  private func prepared(
    _ change: (inout Limits) -> Void = { _ in }
  ) async throws -> (NotifierFixture, ZoneKey) {
    let fixture = try await NotifierFixture(change)
    let notes = try await fixture.zone("Notes", of: alice)
    try await share("share", in: notes, with: [bob], fixture)
    try await fixture.register(alice, "A")
    try await fixture.register(bob, "B")
    try await fixture.register(carol, "C")
    for user in [alice, bob, carol] {
      try await fixture.subscribe(
        user, "shared", .database(recordType: nil), in: .shared, info: visible())
    }
    return (fixture, notes)
  }

  private func share(
    _ name: String, in zone: ZoneKey, with users: [UserID], _ fixture: NotifierFixture
  ) async throws {
    var record = record(name, Record.shareType, in: zone)
    record.shareDetails = Share(
      participants: users.map {
        Participant(
          id: $0.name, role: .privateUser, permission: .readOnly, acceptance: .accepted,
          identity: UserIdentity(user: $0))
      })
    let shared = record
    try await fixture.store.write(in: .database(zone.database)) { transaction in
      let sequence = try transaction.sequences.next(in: zone.database)
      try transaction.records.put(shared, in: zone, sequence: sequence)
      for user in users {
        try transaction.shares.put(
          Membership(user: user, share: RecordKey(zone: zone, name: name)))
      }
    }
  }

  /// A fan-out stops before an entry of which nothing is served yet: the entries after it are read again
  /// with it, and theirs must be found as well.
  @Test func `a participant is notified of a change behind one that had no room`() async throws {
    let (fixture, notes) = try await prepared { $0.notifierDeliveries = 3 }
    let open = zone(ZoneID.defaultName, of: nil)
    try await fixture.register(alice, "A2", "A3")
    try await fixture.subscribe(alice, "diary", query("Diary"), in: .public, info: visible())
    for user in [bob, carol] {
      try await fixture.subscribe(user, "notes", query("Note"), in: .public, info: visible())
    }
    try await fixture.notifier.drain()
    try await fixture.log(.created, "fills the transaction", type: "Diary", in: open, by: alice)
    try await fixture.log(.created, "has no room", in: open)
    try await fixture.log(.created, "behind", in: notes, by: alice, on: "A", shares: ["share"])
    try await fixture.notifier.drain()
    #expect(try await fixture.mailbox(alice, "A").count == 1)
    #expect(try await fixture.pending(carol, "C") == ["notes"])
    #expect(try await fixture.pending(bob, "B") == ["notes", "shared"])
  }

  @Test func `a participant is notified of covered changes, in the zone's own name`() async throws {
    let (fixture, notes) = try await prepared()
    try await fixture.log(.created, "n", in: notes, by: alice, on: "A", shares: ["share"])
    try await fixture.log(.created, "private", in: notes, by: alice, on: "A")
    try await fixture.notifier.drain()
    let pending = try await fixture.mailbox(bob, "B")
    #expect(pending.map(\.subject) == [.database(notes.id)])
    #expect(pending.map(\.scope) == [.shared])
    #expect(try await fixture.pending(carol, "C") == [])
    #expect(try await fixture.pending(alice, "A") == [])
  }

  @Test
  func `a participant's own device is left out, the owner is notified in the private database`()
    async throws
  {
    let (fixture, notes) = try await prepared()
    try await fixture.subscribe(alice, "mine", .database(recordType: nil), info: visible())
    try await fixture.log(.updated, "n", in: notes, by: bob, on: "B", shares: ["share"])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(bob, "B") == [])
    #expect(try await fixture.pending(alice, "A") == ["mine"])
  }

  @Test func `N11 whoever left before the push is made is not notified of the record`() async throws
  {
    let (fixture, notes) = try await prepared()
    try await fixture.log(.created, "n", in: notes, shares: ["share"])
    try await share("share", in: notes, with: [], fixture)
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(bob, "B") == [])
  }

  /// Every bucket would hold those of all users.
  @Test func `subscriptions to shared databases are not held, and found by who reads`() async throws
  {
    let (fixture, notes) = try await prepared()
    try await fixture.notifier.drain()
    #expect(await fixture.notifier.status.subscriptions == 0)
    let later = Subscription(id: "later", kind: .database(recordType: "Note"), info: visible())
    for result in try await fixture.engine.subscriptions.modify(
      [.save(later)], in: .shared, as: fixture.caller(bob))
    {
      _ = try result.get()
    }
    try await fixture.log(.created, "one", in: notes, by: alice, on: "A", shares: ["share"])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(bob, "B").sorted() == ["later", "shared"])
    _ = try await fixture.engine.subscriptions.modify(
      [.delete(id: "shared")], in: .shared, as: fixture.caller(bob))
    try await fixture.log(.created, "two", in: notes, by: alice, on: "A", shares: ["share"])
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(bob, "B").sorted() == ["later", "later", "shared"])
    #expect(await fixture.notifier.status.subscriptions == 0)
  }

  @Test(arguments: [0, 1, 3])
  func `of a change with more readers than room each is notified once, also after steps:`(
    steps: Int
  ) async throws {
    let (fixture, notes) = try await prepared { $0.notifierDeliveries = 1 }
    let readers = (0..<5).map { UserID("_reader\($0)") }
    try await share("share", in: notes, with: readers, fixture)
    for reader in readers {
      try await fixture.register(reader, "R")
      try await fixture.subscribe(
        reader, "shared", .database(recordType: nil), in: .shared, info: visible())
    }
    try await fixture.notifier.drain()
    for name in ["one", "two"] {
      try await fixture.log(.created, name, in: notes, by: alice, on: "A", shares: ["share"])
    }
    for _ in 0..<steps { try await fixture.notifier.step() }
    // Another one goes on, as after a crash.
    try await (steps == 0 ? fixture.notifier : fixture.restarted()).drain()
    for reader in readers {
      #expect(try await fixture.pending(reader, "R") == ["shared", "shared"])
    }
  }

  @Test func `joining notifies the user who joined`() async throws {
    let (fixture, notes) = try await prepared()
    try await share("share", in: notes, with: [bob, carol], fixture)
    try await logMembership(of: carol, in: notes, fixture)
    #expect(try await fixture.mailbox(carol, "C").map(\.subject) == [.database(notes.id)])
    #expect(try await fixture.pending(bob, "B") == [])
  }

  @Test func `N11 leaving notifies the user who left, without the zone's name`() async throws {
    let (fixture, notes) = try await prepared()
    try await share("share", in: notes, with: [], fixture)
    try await logMembership(of: bob, in: notes, fixture)
    #expect(try await fixture.mailbox(bob, "B").map(\.subject) == [.database(nil)])
    #expect(try await fixture.mailbox(bob, "B").map(\.scope) == [.shared])
  }

  private func logMembership(
    of user: UserID, in zone: ZoneKey, _ fixture: NotifierFixture
  ) async throws {
    try await fixture.store.write(in: .database(zone.database)) { transaction in
      try transaction.log.append(
        .membership(user, zone), in: zone.database, origin: origin(user, "elsewhere"))
    }
    try await fixture.notifier.drain()
  }
}
