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

  @Test func `PSH-01 device A writes, B is notified, A is not, for every kind of change`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A", "B")
    try await fixture.subscribe(alice, "notes", query("Note"))
    for kind in [RecordChange.Kind.created, .updated, .deleted] {
      try await fixture.log(kind, "n", in: main, by: alice, on: "A")
    }
    try await fixture.notifier.drain()
    let pending = try await fixture.mailbox(alice, "B")
    #expect(
      pending.map(\.subject)
        == [RecordChange.Kind.created, .updated, .deleted].map { kind in
          .query(zone: main.id, recordName: "n", reason: FireRules.reason(kind), fields: [:])
        })
    #expect(Set(pending.map(\.id)).count == 3)
    #expect(try await fixture.pending(alice, "A") == [])
    #expect(fixture.pendingDevices.take() == ["B"])
  }

  @Test func `other users, environments and containers never match`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.register(bob, "B")
    try await fixture.subscribe(alice, "notes", query("Note"))
    try await fixture.subscribe(bob, "notes", query("Note"))
    try await fixture.log(.created, "n", in: main, by: alice, on: "other")
    let elsewhere = ZoneKey(
      database: DatabaseKey(in: production, owner: bob), name: ZoneID.defaultName)
    try await fixture.log(.created, "n", in: elsewhere)
    let foreign = ZoneKey(
      database: DatabaseKey(
        in: ContainerEnvironment(ContainerID("iCloud.other"), .development), owner: bob),
      name: ZoneID.defaultName)
    try await fixture.log(.created, "n", in: foreign)
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["notes"])
    #expect(try await fixture.pending(bob, "B") == [])
  }

  @Test func `one change that matches several subscriptions has one nid and several sids`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A", "B")
    let notes = try await fixture.zone("Notes", of: alice)
    try await fixture.subscribe(alice, "q", query("Note"))
    try await fixture.subscribe(alice, "z", .zone(notes.id, recordType: nil))
    try await fixture.subscribe(alice, "d", .database(recordType: nil))
    try await fixture.log(.created, "n", in: notes)
    try await fixture.notifier.drain()
    for name in ["A", "B"] {
      let entries = try await fixture.entries(device(name, of: alice))
      #expect(Set(entries.map(\.notificationID)).count == 1)
      #expect(entries.map(\.subscriptionID).sorted() == ["d", "q", "z"])
      #expect(entries.allSatisfy { $0.requestID == "request" })
    }
  }

  @Test func `SUB-20 firesOnce fires once under two matching changes, then it is gone`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A", "B")
    try await fixture.subscribe(alice, "once", query("Note", once: true))
    try await fixture.log(.created, "n1", in: main)
    try await fixture.log(.created, "n2", in: main)
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n3", in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["once"])
    #expect(try await fixture.pending(alice, "B") == ["once"])
    #expect(
      try await fixture.engine.subscriptions.list(in: .private, as: fixture.caller(alice)) == [])
    #expect(await fixture.notifier.status.subscriptions == 0)
  }

  @Test func `SUB-20 firesOnce waits for a change of which its user has a device to be notified`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.subscribe(alice, "once", query("Note", once: true))
    func kept() async throws -> Int {
      try await fixture.engine.notifications.kept(
        token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode
      ).items.count
    }
    try await fixture.log(.created, "n1", in: main)
    try await fixture.notifier.drain()
    #expect(await fixture.notifier.status.subscriptions == 1)
    #expect(try await kept() == 0)
    try await fixture.register(alice, "A")
    try await fixture.log(.created, "n2", in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["once"])
    #expect(await fixture.notifier.status.subscriptions == 0)
    #expect(try await kept() == 1)
  }

  @Test
  func `SUB-27 SUB-03 a subscription is active when its save returns, and silent on the past`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.log(.created, "before", in: main)
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.log(.created, "after", in: main)
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.notifier.drain()
    let names = try await fixture.mailbox(alice, "A").map(\.subject)
    #expect(names == [.query(zone: main.id, recordName: "after", reason: .created, fields: [:])])
  }

  @Test func `a removed subscription is silent, even for changes that it matched`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.notifier.drain()
    try await fixture.log(.created, "n", in: main)
    _ = try await fixture.engine.subscriptions.modify(
      [.delete(id: "s")], in: .private, as: fixture.caller(alice))
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == [])
  }

  @Test func `another condition under the same ID, saved after the match, silences it`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.log(.created, "n", in: main)
    // The match is found outside the transaction that delivers it.
    fixture.store.overtake { try await fixture.subscribe(alice, "s", query("Diary")) }
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == [])
  }

  @Test func `a new text for the same condition is used for what is not sent yet`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: visible("old"))
    try await fixture.log(.created, "n", in: main)
    try await fixture.subscribe(alice, "s", query("Note"), info: visible("new"))
    try await fixture.notifier.drain()
    #expect(try await fixture.mailbox(alice, "A").map(\.alert.literal) == ["new"])
  }

  @Test
  func `SUB-14 a database subscription matches new and deleted zones, not of the default zone`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "d", .database(recordType: nil), info: visible())
    let notes = zone("Notes", of: alice)
    for event in [LogEntry.Event.zoneCreated(notes), .zoneDeleted(notes)] {
      try await fixture.store.write(in: .database(notes.database)) { transaction in
        try transaction.log.append(event, in: notes.database, origin: origin())
      }
    }
    try await fixture.log(.created, "n", in: main)
    try await fixture.notifier.drain()
    let pending = try await fixture.mailbox(alice, "A")
    #expect(pending.map(\.subject) == [.database(notes.id), .database(notes.id)])
  }

  @Test func `public changes reach subscribers who may read the type, decided when it is sent`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(bob, "B")
    try await fixture.subscribe(bob, "notes", query("Note"), in: .public)
    try await fixture.subscribe(bob, "diaries", query("Diary"), in: .public)
    try await fixture.log(.created, "n", in: open, by: alice)
    try await fixture.log(.created, "hers", type: "Diary", in: open, by: alice)
    try await fixture.log(.created, "his", type: "Diary", in: open, by: bob)
    try await fixture.notifier.drain()
    let pending = try await fixture.mailbox(bob, "B").map(\.subject)
    #expect(
      pending == [
        .query(zone: open.id, recordName: "n", reason: .created, fields: [:]),
        .query(zone: open.id, recordName: "his", reason: .created, fields: [:]),
      ])
  }

  @Test func `PSH-16 the badge counts up per user and goes on from what the app sets`() async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A", "B")
    var info = visible()
    info.shouldBadge = true
    try await fixture.subscribe(alice, "s", query("Note"), info: info)
    try await fixture.log(.created, "n1", in: main)
    try await fixture.log(.created, "n2", in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.mailbox(alice, "A").map(\.badge) == [1, 2])
    #expect(try await fixture.mailbox(alice, "B").map(\.badge) == [1, 2])
    try await fixture.engine.notifications.setBadge(0, as: fixture.caller(alice))
    try await fixture.log(.created, "n3", in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.mailbox(alice, "A").last?.badge == 1)
  }

  @Test func `SUB-26 a subscription without notificationInfo sends silent pushes`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: nil)
    try await fixture.log(.created, "n", in: main)
    try await fixture.notifier.drain()
    let note = try #require(try await fixture.mailbox(alice, "A").first)
    #expect(note.contentAvailable && note.alert.isEmpty && note.badge == nil)
  }

  @Test func `entries that nobody follows are no lag until they are many`() {
    var status = NotifierStatus()
    status.position = 10
    let many = CommitSignals.unwatchedEntries
    #expect(status.lag(behind: 10 + many) == 0)
    #expect(status.lag(behind: 11 + many) == many + 1)
    status.waitingSince = 1
    #expect(status.lag(behind: 13) == 3)
  }

  @Test func `without a history the log is trimmed behind the cursor; the lag is reported`()
    async throws
  {
    let fixture = try await NotifierFixture {
      $0.notifierEntries = 2
      $0.historyAge = 0
    }
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"))
    for number in 0..<4 { try await fixture.log(.created, "n\(number)", in: main) }
    #expect(try await fixture.notifier.step())
    #expect(await fixture.notifier.status.position == 2)
    #expect(await fixture.notifier.status.lag == 3)
    try await fixture.notifier.drain()
    #expect(await fixture.notifier.status.lag == 0)
    #expect(
      try await fixture.store.read { try $0.log.entries(in: .only, after: 0, limit: 100).count }
        == 0)
  }

  @Test func `what concerns nobody costs no write, and is passed for good now and then`()
    async throws
  {
    let fixture = try await NotifierFixture {
      $0.notifierUnsavedEntries = 10
      $0.historyAge = 0
    }
    for number in 0..<9 {
      try await fixture.log(.created, "n\(number)", in: main)
      // Any write of the notifier would fail.
      fixture.store.plan([.beforeCommit])
      try await fixture.notifier.drain()
      fixture.store.plan([])
    }
    #expect(await fixture.notifier.status.lag == 0)
    #expect(
      try await fixture.store.read { try $0.log.entries(in: .only, after: 0, limit: 100).count }
        == 9)
    try await fixture.log(.created, "n9", in: main)
    try await fixture.notifier.drain()
    #expect(
      try await fixture.store.read { try $0.log.entries(in: .only, after: 0, limit: 100).count }
        == 0)
  }

  @Test func `after a restart, what was passed unsaved still concerns nobody`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.log(.created, "before", in: main)
    try await fixture.notifier.drain()
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.log(.created, "after", in: main)
    try await fixture.restarted().drain()
    #expect(try await fixture.pending(alice, "A") == ["s"])
  }
}
