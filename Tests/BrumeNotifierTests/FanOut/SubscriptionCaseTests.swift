import BrumeModel
import BrumeSchema
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// Saving, finding and removing subscriptions through the engine.
struct SubscriptionCaseTests {
  private let milk = Filter(.equals, .field("title"), .string("Milk"))

  private func error(_ result: SubscriptionResult) -> BrumeError? {
    if case .failure(let failure) = result { failure.error } else { nil }
  }
  private func saved(_ result: SubscriptionResult) -> Subscription? {
    if case .success(.saved(let subscription)) = result { subscription } else { nil }
  }

  @Test func `SUB-01 SUB-02 a zone subscription needs an existing custom zone`() async throws {
    let fixture = try await NotifierFixture()
    let notes = try await fixture.zone("Notes", of: alice)
    let there = try await fixture.subscribe(
      alice, "a", .zone(ZoneID(name: "Notes", ownerName: "__defaultOwner__"), recordType: nil))
    #expect(saved(there)?.kind == .zone(notes.id, recordType: nil))
    let missing = try await fixture.subscribe(
      alice, "b", .zone(ZoneID(name: "No"), recordType: nil))
    #expect(error(missing)?.code == .zoneNotFound)
    #expect(error(missing)?.reason.contains("'No'") == true)
    let standard = ZoneID(name: ZoneID.defaultName)
    let refused = try await fixture.subscribe(alice, "c", .zone(standard, recordType: nil))
    #expect(error(refused)?.code == .badRequest)
  }

  @Test func `SUB-03 the identical subscription again changes nothing`() async throws {
    let fixture = try await NotifierFixture()
    let first = try await fixture.subscribe(alice, "s", query("Note", [milk]))
    let position = try await fixture.store.read { try $0.log.lastPosition(in: .only) }
    let again = try await fixture.subscribe(alice, "s", query("Note", [milk]))
    #expect(saved(first) != nil && saved(first) == saved(again))
    #expect(try await fixture.store.read { try $0.log.lastPosition(in: .only) } == position)
  }

  @Test
  func `SUB-04 SUB-05 an equal subscription under another ID is rejected and names the first`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let notes = try await fixture.zone("Notes", of: alice)
    let pairs: [Subscription.Kind] = [
      .zone(notes.id, recordType: nil), .database(recordType: nil), query("Note", [milk]),
    ]
    for (index, kind) in pairs.enumerated() {
      try await fixture.subscribe(alice, "first\(index)", kind)
      let twin = error(try await fixture.subscribe(alice, "second\(index)", kind, info: visible()))
      #expect(twin?.code == .rejected)
      #expect(twin?.reason.hasPrefix("subscription is duplicate of 'first\(index)'") == true)
      #expect(twin?.code.meaning.ckError == 15)
    }
  }

  @Test func `SUB-06 SUB-07 SUB-08 type, condition, zone and exact events make the difference`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let bread = Filter(.equals, .field("title"), .string("Bread"))
    let zone = ZoneID(name: ZoneID.defaultName)
    let different: [Subscription.Kind] = [
      query("Note", [milk], on: [.create]), query("Note", [milk], on: [.create, .update]),
      query("Note", [bread], on: [.create]), query("Note", on: [.create]),
      query("Diary", [milk], on: [.create]), query("Note", [milk], zone: zone, on: [.create]),
    ]
    for (index, kind) in different.enumerated() {
      #expect(error(try await fixture.subscribe(alice, "s\(index)", kind, in: .public)) == nil)
    }
    let same = query("Note", [milk, milk], on: [.create], once: true)
    let twin = try await fixture.subscribe(alice, "t", same, in: .public)
    #expect(error(twin)?.reason.hasPrefix("subscription is duplicate of 's0'") == true)
  }

  @Test func `SUB-22 a query subscription works on while its index goes and comes back`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let main = zone(ZoneID.defaultName, of: alice)
    try await fixture.register(alice, "phone")
    try await fixture.subscribe(alice, "s", query("Note", [milk]))
    for (number, isOn) in [false, true].enumerated() {
      try await fixture.engine.schemas.setIndex(
        .queryable, on: "title", of: "Note", to: isOn, in: development)
      try await fixture.log(.created, "n\(number)", ["title": .string("Milk")], in: main)
    }
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "phone") == ["s", "s"])
  }

  @Test func `the same ID with other conditions overwrites`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.subscribe(alice, "s", query("Note", [milk]))
    #expect(saved(try await fixture.subscribe(alice, "s", query("Note"))) != nil)
    let all = try await fixture.engine.subscriptions.list(in: .private, as: fixture.caller(alice))
    #expect(all.map(\.kind) == [query("Note")])
  }

  @Test
  func `SUB-09 SUB-10 an unknown subscription is not found, to look up and to delete`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.subscribe(alice, "s", query("Note"))
    let found = try await fixture.engine.subscriptions.lookup(
      ["s", "gone"], in: .private, as: fixture.caller(alice))
    #expect(saved(found[0])?.id == "s")
    #expect(error(found[1])?.code == .notFound)
    #expect(error(found[1])?.code.meaning.ckError == 11)
    let results = try await fixture.engine.subscriptions.modify(
      [.delete(id: "gone"), .delete(id: "s")], in: .private, as: fixture.caller(alice))
    #expect(results.map { error($0)?.code } == [.notFound, nil])
    #expect(
      try await fixture.engine.subscriptions.list(in: .private, as: fixture.caller(alice)).isEmpty)
  }

  @Test func `an update changes a subscription that is there, and makes none`() async throws {
    let fixture = try await NotifierFixture()
    func update(_ id: String) async throws -> SubscriptionResult {
      let subscription = Subscription(id: id, kind: query("Diary"), info: silent())
      let results = try await fixture.engine.subscriptions.modify(
        [.update(subscription)], in: .private, as: fixture.caller(alice))
      return results[0]
    }
    #expect(error(try await update("s"))?.code == .notFound)
    try await fixture.subscribe(alice, "s", query("Note"))
    #expect(saved(try await update("s"))?.kind == query("Diary"))
    let all = try await fixture.engine.subscriptions.list(in: .private, as: fixture.caller(alice))
    #expect(all.map(\.id) == ["s"] && all.first?.kind == query("Diary"))
  }

  @Test func `SUB-11 SUB-23 a list shows the user's own of this database and environment`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.subscribe(alice, "b", query("Note"))
    try await fixture.subscribe(alice, "a", .database(recordType: nil))
    try await fixture.subscribe(alice, "p", query("Note"), in: .public)
    try await fixture.subscribe(bob, "x", query("Note"))
    func list(_ scope: DatabaseScope, _ caller: Caller) async throws -> [String] {
      try await fixture.engine.subscriptions.list(in: scope, as: caller).map(\.id)
    }
    #expect(try await list(.private, fixture.caller(alice)) == ["a", "b"])
    #expect(try await list(.public, fixture.caller(alice)) == ["p"])
    #expect(try await list(.shared, fixture.caller(alice)) == [])
    #expect(try await list(.private, fixture.caller(bob)) == ["x"])
    #expect(try await list(.private, fixture.caller(alice, environment: .production)) == [])
  }

  @Test func `SUB-12 SUB-13 each database refuses the kinds it has not and names what works`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let zone = Subscription.Kind.zone(ZoneID(name: "Z", ownerName: "_bob"), recordType: nil)
    let refused: [(Subscription.Kind, DatabaseScope, String)] = [
      (query("Note"), .shared, "use a database subscription"),
      (zone, .shared, "use a database subscription"), (zone, .public, "use a query subscription"),
      (.database(recordType: nil), .public, "use a query subscription"),
    ]
    for (kind, scope, hint) in refused {
      let refusal = error(try await fixture.subscribe(alice, "s", kind, in: scope))
      #expect(refusal?.code.meaning.ckError == 12)
      #expect(refusal?.reason.contains(hint) == true)
    }
    let works = try await fixture.subscribe(alice, "s", .database(recordType: nil), in: .shared)
    #expect(saved(works) != nil)
  }

  @Test func `SUB-15 a zone or database subscription has no desired keys`() async throws {
    let fixture = try await NotifierFixture()
    var info = silent()
    info.desiredKeys = ["title"]
    let refusal = error(
      try await fixture.subscribe(alice, "d", .database(recordType: nil), info: info))
    #expect(refusal?.code.meaning.ckError == 12)
    #expect(refusal?.reason.contains("additional fields are not possible") == true)
  }

  @Test func `SUB-16 desired keys: at most three, no lists, bytes or encrypted fields`()
    async throws
  {
    let fixture = try await NotifierFixture()
    func save(_ keys: [String]) async throws -> BrumeError? {
      var info = silent()
      info.desiredKeys = keys
      return error(try await fixture.subscribe(alice, "s", query("Note"), info: info))
    }
    #expect(try await save(["title", "priority", "unknownYet"]) == nil)
    let many = try await save(["title", "priority", "a", "b"])
    #expect(many?.code == .badRequest && many?.reason.contains("'additionalFields'") == true)
    for key in ["tags", "data", "secret"] {
      #expect(try await save([key])?.reason.contains("'\(key)'") == true)
    }
  }

  @Test func `SUB-17 an unindexed field is refused with the words of a query`() async throws {
    let fixture = try await NotifierFixture()
    let filters = [Filter(.equals, .field("hidden"), .string("x"))]
    let refusal = error(try await fixture.subscribe(alice, "s", query("Note", filters)))
    let caller = fixture.caller(alice)
    await #expect {
      _ = try await fixture.engine.queries.run(
        QueryRequest(query: Query(recordType: "Note", filters: filters)), in: .private, as: caller)
    } throws: { ($0 as? BrumeError)?.reason == refusal?.reason }
    #expect(refusal?.reason.contains("brume schema index add Note hidden queryable") == true)
  }

  @Test func `SUB-18 an unknown record type is refused by name`() async throws {
    let fixture = try await NotifierFixture()
    let refusal = error(try await fixture.subscribe(alice, "s", query("Nothing")))
    #expect(refusal?.code == .notFound)
    #expect(refusal?.reason.contains("Nothing") == true)
  }

  @Test func `SUB-19 a deleted zone takes its subscriptions along`() async throws {
    let fixture = try await NotifierFixture()
    let caller = fixture.caller(alice)
    let id = ZoneID(name: "Notes")
    _ = try await fixture.engine.zones.modify(
      [ZoneOperation(.create, id)], in: .private, as: caller)
    try await fixture.subscribe(alice, "z", .zone(id, recordType: nil))
    try await fixture.subscribe(alice, "q", query("Note", zone: id))
    try await fixture.subscribe(alice, "d", .database(recordType: nil))
    _ = try await fixture.engine.zones.modify(
      [ZoneOperation(.delete, id)], in: .private, as: caller)
    let left = try await fixture.engine.subscriptions.list(in: .private, as: caller)
    #expect(left.map(\.id) == ["d"])
    try await fixture.notifier.drain()
    #expect(await fixture.notifier.status.subscriptions == 1)
  }

  @Test func `SUB-24 the number of subscriptions is bounded`() async throws {
    let fixture = try await NotifierFixture { $0.subscriptionsPerUser = 2 }
    try await fixture.subscribe(alice, "a", query("Note"))
    try await fixture.subscribe(alice, "b", query("Note"), in: .public)
    let refusal = error(try await fixture.subscribe(alice, "c", .database(recordType: nil)))
    #expect(refusal?.code == .limitExceeded)
    #expect(refusal?.reason.contains("the maximum is 2") == true)
    // Saving one that exists is no new one.
    #expect(error(try await fixture.subscribe(alice, "a", query("Note", [milk]))) == nil)
    #expect(error(try await fixture.subscribe(bob, "c", .database(recordType: nil))) == nil)
  }

  @Test func `a subscription without an ID gets one, and bad IDs are refused`() async throws {
    let fixture = try await NotifierFixture()
    let made = saved(try await fixture.subscribe(alice, "", query("Note")))
    #expect(made?.id.hasPrefix("UUID-") == true)
    for id in ["a\u{1}", String(repeating: "x", count: 256)] {
      #expect(error(try await fixture.subscribe(alice, id, query("Note")))?.code == .badRequest)
    }
    let none = try await fixture.subscribe(alice, "e", query("Note", on: []))
    #expect(error(none)?.code == .badRequest)
  }

  @Test func `texts of a push are bounded`() async throws {
    let fixture = try await NotifierFixture()
    let long = visible(String(repeating: "x", count: 40_000))
    let refusal = error(try await fixture.subscribe(alice, "s", query("Note"), info: long))
    #expect(refusal?.code == .limitExceeded)
  }

  @Test func `without a user there are no subscriptions`() async throws {
    let fixture = try await NotifierFixture()
    let nobody = Caller(in: development, user: nil, device: nil, kind: .anonymous, requestID: "r")
    await #expect {
      try await fixture.engine.subscriptions.list(in: .public, as: nobody)
    } throws: { ($0 as? BrumeError)?.code == .authenticationRequired }
  }
}
