import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// Pushes of a shared database: who takes part decides, and is asked when the push is made.
struct SharedNotifierTests {
  private let carol = UserID("_carol")

  /// Alice's zone with a share that Bob accepted, and both subscribed.
  private func prepared() async throws -> (NotifierWorld, ZoneKey) {
    let world = try await NotifierWorld()
    let notes = try await world.zone("Notes", of: alice)
    try await share("share", in: notes, with: [bob], world)
    try await world.register(alice, "A")
    try await world.register(bob, "B")
    try await world.register(carol, "C")
    for user in [alice, bob, carol] {
      try await world.subscribe(
        user, "shared", .database(recordType: nil), in: .shared, info: visible())
    }
    return (world, notes)
  }

  private func share(
    _ name: String, in zone: ZoneKey, with users: [UserID], _ world: NotifierWorld
  ) async throws {
    var record = record(name, Record.shareType, in: zone)
    record.shareDetails = Share(
      participants: users.map {
        Participant(
          id: $0.name, role: .privateUser, permission: .readOnly, acceptance: .accepted,
          identity: UserIdentity(user: $0))
      })
    let shared = record
    try await world.store.write(in: zone.database) { transaction in
      let sequence = try transaction.nextSequence(in: zone.database)
      try transaction.put(shared, in: zone, sequence: sequence)
      for user in users {
        try transaction.put(
          Membership(user: user, share: RecordKey(zone: zone, name: name)))
      }
    }
  }

  @Test func `a participant hears of covered changes, in the zone's own name`() async throws {
    let (world, notes) = try await prepared()
    try await world.log(.created, "n", in: notes, by: alice, on: "A", shares: ["share"])
    try await world.log(.created, "private", in: notes, by: alice, on: "A")
    try await world.notifier.drain()
    let told = try await world.mailbox(bob, "B")
    #expect(told.map(\.subject) == [.database(notes.id)])
    #expect(told.map(\.scope) == [.shared])
    #expect(try await world.told(carol, "C") == [])
    #expect(try await world.told(alice, "A") == [])
  }

  @Test func `a participant's own device is left out, the owner hears in the private database`()
    async throws
  {
    let (world, notes) = try await prepared()
    try await world.subscribe(alice, "mine", .database(recordType: nil), info: visible())
    try await world.log(.updated, "n", in: notes, by: bob, on: "B", shares: ["share"])
    try await world.notifier.drain()
    #expect(try await world.told(bob, "B") == [])
    #expect(try await world.told(alice, "A") == ["mine"])
  }

  @Test func `N11 whoever left before the push is made hears nothing of the record`() async throws {
    let (world, notes) = try await prepared()
    try await world.log(.created, "n", in: notes, shares: ["share"])
    try await share("share", in: notes, with: [], world)
    try await world.notifier.drain()
    #expect(try await world.told(bob, "B") == [])
  }

  @Test func `joining is told to the one who joined`() async throws {
    let (world, notes) = try await prepared()
    try await share("share", in: notes, with: [bob, carol], world)
    try await tellMembership(of: carol, in: notes, world)
    #expect(try await world.mailbox(carol, "C").map(\.subject) == [.database(notes.id)])
    #expect(try await world.told(bob, "B") == [])
  }

  @Test func `N11 leaving is told to the one who left, without the zone's name`() async throws {
    let (world, notes) = try await prepared()
    try await share("share", in: notes, with: [], world)
    try await tellMembership(of: bob, in: notes, world)
    #expect(try await world.mailbox(bob, "B").map(\.subject) == [.database(nil)])
    #expect(try await world.mailbox(bob, "B").map(\.scope) == [.shared])
  }

  private func tellMembership(
    of user: UserID, in zone: ZoneKey, _ world: NotifierWorld
  ) async throws {
    try await world.store.write(in: zone.database) { transaction in
      try transaction.append(
        .membership(user, zone), in: zone.database, origin: origin(user, "elsewhere"))
    }
    try await world.notifier.drain()
  }
}
