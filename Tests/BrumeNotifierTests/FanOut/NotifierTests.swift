import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct NotifierTests {
  private let main = zone(ZoneID.defaultName, of: alice)
  private let open = zone(ZoneID.defaultName, of: nil)

  @Test func `PSH-01 device A writes, B is told, A is not, for every kind of change`() async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A", "B")
    try await world.subscribe(alice, "notes", query("Note"))
    for kind in [RecordChange.Kind.created, .updated, .deleted] {
      try await world.log(kind, "n", in: main, by: alice, on: "A")
    }
    try await world.notifier.drain()
    let told = try await world.mailbox(alice, "B")
    #expect(
      told.map(\.subject)
        == [RecordChange.Kind.created, .updated, .deleted].map { kind in
          .query(zone: main.id, recordName: "n", reason: FireRules.reason(kind), fields: [:])
        })
    #expect(Set(told.map(\.id)).count == 3)
    #expect(try await world.told(alice, "A") == [])
    #expect(world.woken.take() == ["B"])
  }

  @Test func `other users, environments and containers never match`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.register(bob, "B")
    try await world.subscribe(alice, "notes", query("Note"))
    try await world.subscribe(bob, "notes", query("Note"))
    try await world.log(.created, "n", in: main, by: alice, on: "other")
    let elsewhere = ZoneKey(
      database: DatabaseKey(container: container, environment: .production, owner: bob),
      name: ZoneID.defaultName)
    try await world.log(.created, "n", in: elsewhere)
    let foreign = ZoneKey(
      database: DatabaseKey(
        container: ContainerID("iCloud.other"), environment: .development, owner: bob),
      name: ZoneID.defaultName)
    try await world.log(.created, "n", in: foreign)
    try await world.notifier.drain()
    #expect(try await world.told(alice, "A") == ["notes"])
    #expect(try await world.told(bob, "B") == [])
  }

  @Test func `one change that matches several subscriptions has one nid and several sids`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A", "B")
    let notes = try await world.zone("Notes", of: alice)
    try await world.subscribe(alice, "q", query("Note"))
    try await world.subscribe(alice, "z", .zone(notes.id, recordType: nil))
    try await world.subscribe(alice, "d", .database(recordType: nil))
    try await world.log(.created, "n", in: notes)
    try await world.notifier.drain()
    for name in ["A", "B"] {
      let entries = try await world.entries(device(name, of: alice))
      #expect(Set(entries.map(\.notificationID)).count == 1)
      #expect(entries.map(\.subscriptionID).sorted() == ["d", "q", "z"])
      #expect(entries.allSatisfy { $0.requestID == "request" })
    }
  }

  @Test func `SUB-20 firesOnce fires once under two matching changes, then it is gone`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A", "B")
    try await world.subscribe(alice, "once", query("Note", once: true))
    try await world.log(.created, "n1", in: main)
    try await world.log(.created, "n2", in: main)
    try await world.notifier.drain()
    try await world.log(.created, "n3", in: main)
    try await world.notifier.drain()
    #expect(try await world.told(alice, "A") == ["once"])
    #expect(try await world.told(alice, "B") == ["once"])
    #expect(try await world.engine.listSubscriptions(in: .private, as: world.caller(alice)) == [])
    #expect(await world.notifier.status.subscriptions == 0)
  }

  @Test
  func `SUB-27 SUB-03 a subscription is active when its save returns, and silent on the past`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.log(.created, "before", in: main)
    try await world.subscribe(alice, "s", query("Note"))
    try await world.log(.created, "after", in: main)
    try await world.subscribe(alice, "s", query("Note"))
    try await world.notifier.drain()
    let names = try await world.mailbox(alice, "A").map(\.subject)
    #expect(names == [.query(zone: main.id, recordName: "after", reason: .created, fields: [:])])
  }

  @Test func `a removed subscription is silent, even for changes that it matched`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "s", query("Note"))
    try await world.notifier.drain()
    try await world.log(.created, "n", in: main)
    _ = try await world.engine.modifySubscriptions(
      [.delete(id: "s")], in: .private, as: world.caller(alice))
    try await world.notifier.drain()
    #expect(try await world.told(alice, "A") == [])
  }

  @Test func `another condition under the same ID, saved after the match, silences it`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "s", query("Note"))
    try await world.log(.created, "n", in: main)
    // The match is found outside the transaction that tells it.
    world.store.overtake { try await world.subscribe(alice, "s", query("Diary")) }
    try await world.notifier.drain()
    #expect(try await world.told(alice, "A") == [])
  }

  @Test func `a new text for the same condition is used for what is not sent yet`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "s", query("Note"), info: visible("old"))
    try await world.log(.created, "n", in: main)
    try await world.subscribe(alice, "s", query("Note"), info: visible("new"))
    try await world.notifier.drain()
    #expect(try await world.mailbox(alice, "A").map(\.alert.literal) == ["new"])
  }

  @Test
  func `SUB-14 a database subscription hears of new and deleted zones, not of the default zone`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "d", .database(recordType: nil), info: visible())
    let notes = zone("Notes", of: alice)
    for event in [LogEntry.Event.zoneCreated(notes), .zoneDeleted(notes)] {
      try await world.store.write(in: notes.database) { transaction in
        try transaction.append(event, in: notes.database, origin: origin())
      }
    }
    try await world.log(.created, "n", in: main)
    try await world.notifier.drain()
    let told = try await world.mailbox(alice, "A")
    #expect(told.map(\.subject) == [.database(notes.id), .database(notes.id)])
  }

  @Test func `public changes reach subscribers who may read the type, decided when it is sent`()
    async throws
  {
    let world = try await NotifierWorld()
    try await world.register(bob, "B")
    try await world.subscribe(bob, "notes", query("Note"), in: .public)
    try await world.subscribe(bob, "diaries", query("Diary"), in: .public)
    try await world.log(.created, "n", in: open, by: alice)
    try await world.log(.created, "hers", type: "Diary", in: open, by: alice)
    try await world.log(.created, "his", type: "Diary", in: open, by: bob)
    try await world.notifier.drain()
    let told = try await world.mailbox(bob, "B").map(\.subject)
    #expect(
      told == [
        .query(zone: open.id, recordName: "n", reason: .created, fields: [:]),
        .query(zone: open.id, recordName: "his", reason: .created, fields: [:]),
      ])
  }

  @Test func `PSH-16 the badge counts up per user and goes on from what the app sets`() async throws
  {
    let world = try await NotifierWorld()
    try await world.register(alice, "A", "B")
    var info = visible()
    info.shouldBadge = true
    try await world.subscribe(alice, "s", query("Note"), info: info)
    try await world.log(.created, "n1", in: main)
    try await world.log(.created, "n2", in: main)
    try await world.notifier.drain()
    #expect(try await world.mailbox(alice, "A").map(\.badge) == [1, 2])
    #expect(try await world.mailbox(alice, "B").map(\.badge) == [1, 2])
    try await world.engine.setBadge(0, as: world.caller(alice))
    try await world.log(.created, "n3", in: main)
    try await world.notifier.drain()
    #expect(try await world.mailbox(alice, "A").last?.badge == 1)
  }

  @Test func `SUB-26 a subscription without notificationInfo sends silent pushes`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.subscribe(alice, "s", query("Note"), info: nil)
    try await world.log(.created, "n", in: main)
    try await world.notifier.drain()
    let note = try #require(try await world.mailbox(alice, "A").first)
    #expect(note.contentAvailable && note.alert.isEmpty && note.badge == nil)
  }

  @Test func `entries that nobody follows are no lag until they are many`() {
    var status = NotifierStatus()
    status.position = 10
    let many = CommitSignals.unfollowedEntries
    #expect(status.lag(behind: 10 + many) == 0)
    #expect(status.lag(behind: 11 + many) == many + 1)
    status.waitingSince = 1
    #expect(status.lag(behind: 13) == 3)
  }

  @Test func `the log is trimmed behind the cursor and the lag is told`() async throws {
    let world = try await NotifierWorld { $0.notifierEntries = 2 }
    try await world.register(alice, "A")
    try await world.subscribe(alice, "s", query("Note"))
    for number in 0..<4 { try await world.log(.created, "n\(number)", in: main) }
    #expect(try await world.notifier.step())
    #expect(await world.notifier.status.position == 2)
    #expect(await world.notifier.status.lag == 3)
    try await world.notifier.drain()
    #expect(await world.notifier.status.lag == 0)
    #expect(try await world.store.read { try $0.log(after: 0, limit: 100).count } == 0)
  }

  @Test func `what concerns nobody costs no write, and is passed for good now and then`()
    async throws
  {
    let world = try await NotifierWorld { $0.notifierUnsavedEntries = 10 }
    for number in 0..<9 {
      try await world.log(.created, "n\(number)", in: main)
      // Any write of the notifier would fail.
      world.store.plan([.beforeCommit])
      try await world.notifier.drain()
      world.store.plan([])
    }
    #expect(await world.notifier.status.lag == 0)
    #expect(try await world.store.read { try $0.log(after: 0, limit: 100).count } == 9)
    try await world.log(.created, "n9", in: main)
    try await world.notifier.drain()
    #expect(try await world.store.read { try $0.log(after: 0, limit: 100).count } == 0)
  }

  @Test func `after a restart, what was passed unsaved still concerns nobody`() async throws {
    let world = try await NotifierWorld()
    try await world.register(alice, "A")
    try await world.log(.created, "before", in: main)
    try await world.notifier.drain()
    try await world.subscribe(alice, "s", query("Note"))
    try await world.log(.created, "after", in: main)
    try await world.restarted().drain()
    #expect(try await world.told(alice, "A") == ["s"])
  }
}
