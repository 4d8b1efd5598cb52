// Queries: cases QRY.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct QueryTests {
  private func run(
    _ fixture: EngineFixture, _ filters: [Filter] = [], sorts: [Sort] = [], type: String = "Hike",
    limit: Int? = nil, marker: String? = nil, zone: ZoneID? = EngineFixture.trails,
    in scope: DatabaseScope = .private, as caller: Caller? = nil
  ) async throws -> QueryPage {
    try await fixture.engine.queries.run(
      .init(
        query: Query(recordType: type, filters: filters, sorts: sorts), zone: zone, limit: limit,
        marker: marker),
      in: scope, as: caller ?? fixture.phone)
  }

  private func refusal(
    _ fixture: EngineFixture, _ filters: [Filter] = [], sorts: [Sort] = [], type: String = "Hike"
  ) async throws -> BrumeError {
    try await ruleFailure { try await run(fixture, filters, sorts: sorts, type: type) }
  }

  private func remove(
    _ index: Schema.Index, _ field: String, _ fixture: EngineFixture, type: String = "Hike"
  ) async throws {
    try await fixture.engine.schemas.setIndex(
      index, on: field, of: type, to: false, in: TestContainer.development)
  }

  private func filled() async throws -> EngineFixture {
    let fixture = try await EngineFixture()
    for km in 0..<5 {
      try await fixture.save(
        .create("h\(km)", ["km": .int64(Int64(km)), "title": .string("Ridge \(km)")]))
    }
    return fixture
  }

  @Test func `QRY-01 QRY-12 a query sees a save at once, and no match is an empty page`()
    async throws
  {
    let fixture = try await filled()
    let found = try await run(fixture, [Filter(.equals, .field("km"), .int64(3))])
    #expect(found.records.map(\.name) == ["h3"])
    let none = try await run(fixture, [Filter(.equals, .field("km"), .int64(99))])
    #expect(none.records.isEmpty)
    #expect(none.marker == nil)
  }

  @Test func `QRY-02 an unknown record type is named`() async throws {
    let fixture = try await filled()
    let error = try await refusal(fixture, type: "Hikee")
    #expect(error.code == .notFound)
    #expect(error.reason.hasPrefix("Did not find record type: Hikee"))
  }

  @Test func `QRY-03 a query in a missing zone says so`() async throws {
    let fixture = try await filled()
    let error = try await ruleFailure { try await run(fixture, zone: ZoneID(name: "Ghost")) }
    #expect(error.code == .zoneNotFound)
  }

  @Test func `QRY-04 TRUE needs the record name's index and names the command`() async throws {
    let fixture = try await filled()
    #expect(try await run(fixture).records.count == 5)
    try await remove(.queryable, "___recordID", fixture)
    let error = try await refusal(fixture)
    #expect(error.code == .badRequest)
    #expect(
      error.reason
        == "Field 'recordName' is not marked queryable in record type 'Hike'; run "
        + "`brume schema index add Hike ___recordID queryable --container \(TestContainer.id.name) "
        + "--environment development`")
  }

  @Test func `QRY-05 an index that production lacks is added in development and deployed`() {
    let index = IndexName(type: "Hike", field: "km", index: "sortable")
    let container = "--container \(TestContainer.id.name)"
    #expect(
      index.command(in: TestContainer.production)
        == "brume schema index add Hike km sortable \(container) --environment development "
        + "&& brume schema deploy \(container)")
  }

  @Test func `QRY-05 an unindexed field is named with the command`() async throws {
    let fixture = try await filled()
    try await remove(.queryable, "title", fixture)
    let error = try await refusal(fixture, [Filter(.equals, .field("title"), .string("x"))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Field 'title' is not marked queryable"))
    #expect(error.reason.contains("`brume schema index add Hike title queryable "))
  }

  @Test func `QRY-06 sorting needs a sortable index`() async throws {
    let fixture = try await filled()
    try await remove(.sortable, "___createTime", fixture)
    let error = try await refusal(fixture, sorts: [Sort(.system(.createdTimestamp))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Field 'createdTimestamp' is not marked sortable"))
    #expect(error.reason.contains("___createTime sortable"))
  }

  @Test func `QRY-07 a field that the type lacks is named`() async throws {
    let fixture = try await filled()
    let error = try await refusal(fixture, [Filter(.equals, .field("height"), .int64(1))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Did not find field 'height' in record type 'Hike'"))
  }

  @Test func `QRY-07 of a long name that the type lacks the beginning is named`() async throws {
    let fixture = try await filled()
    let name = FieldName.field(String(repeating: "z", count: 100_000))
    let filtered = try await refusal(fixture, [Filter(.equals, name, .int64(1))])
    let sorted = try await refusal(fixture, sorts: [Sort(name)])
    for error in [filtered, sorted] {
      #expect(error.reason.hasPrefix("Did not find field 'zzzzz"))
      #expect(error.reason.utf8.count < 1000)
    }
  }

  @Test func `QRY-08 a value of the wrong type is refused by the expected type`() async throws {
    let fixture = try await filled()
    let list = FieldValue.list([.int64(1)], of: .int64)
    let error = try await refusal(fixture, [Filter(.in, .field("title"), list)])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Invalid value, expected type STRING"))
  }

  @Test func `QRY-11 a prefix finds strings`() async throws {
    let fixture = try await filled()
    let page = try await run(fixture, [Filter(.beginsWith, .field("title"), .string("Ridge 3"))])
    #expect(page.records.map(\.name) == ["h3"])
  }

  @Test(arguments: [true, false])
  func `QRY-13 pages follow each other without gaps or repetition`(_ isSorted: Bool) async throws {
    let fixture = try await filled()
    let sorts = isSorted ? [Sort(.field("km"), ascending: false)] : []
    var names: [String] = []
    var marker: String?
    repeat {
      let page = try await run(fixture, sorts: sorts, limit: 2, marker: marker)
      names += page.records.map(\.name)
      marker = page.marker
    } while marker != nil
    let all = (0..<5).map { "h\($0)" }
    #expect(names == (isSorted ? all.reversed() : all))
  }

  @Test func `QRY-13 an unsorted page goes on behind the last one, whatever changes meanwhile`()
    async throws
  {
    let fixture = try await filled()
    let first = try await run(fixture, limit: 2)
    #expect(first.records.map(\.name) == ["h0", "h1"])
    let changes: [RecordOperation] = [
      .delete("h0"), .force("h1", ["km": .int64(9)]), .force("h3", ["km": .int64(9)]),
      .create("h00"),
    ]
    #expect(try await fixture.modify(changes).allSucceeded)
    let rest = try await run(fixture, marker: try #require(first.marker))
    #expect(rest.records.map(\.name) == ["h2", "h3", "h4"] && rest.marker == nil)
  }

  @Test func `a marker belongs to its query, user and database`() async throws {
    let fixture = try await filled()
    let marker = try #require(try await run(fixture, limit: 2).marker)
    try await fixture.makeZone(EngineFixture.trails, as: fixture.bob)
    let attempts: [() async throws -> QueryPage] = [
      { try await run(fixture, sorts: [Sort(.field("km"))], marker: marker) },
      { try await run(fixture, marker: marker, zone: nil) },
      { try await run(fixture, marker: marker, as: fixture.bob) },
      { try await run(fixture, marker: String(marker.dropLast())) },
      { try await run(fixture, marker: "AAAA") },
    ]
    for attempt in attempts {
      let error = try await ruleFailure(attempt)
      #expect(error.code == .badRequest)
      #expect(error.reason.contains("continuation marker"))
    }
  }

  @Test func `QRY-15 a limit of 0 or above the maximum means the server's own`() async throws {
    let fixture = try await EngineFixture(limits: .tiny)
    for part in [0..<8, 8..<12] {
      _ = try await fixture.modify(part.map { .create("h\($0)") })
    }
    #expect(try await run(fixture, limit: 0).records.count == 10)
    #expect(try await run(fixture, limit: 500).records.count == 10)
  }

  @Test func `QRY-16 a sort by distance needs an index of the place`() async throws {
    let fixture = try await EngineFixture()
    let here = Location(latitude: 1, longitude: 2)
    try await fixture.save(.create("l1", ["at": .location(here)], type: "Lake"))
    let sorts = [Sort(.field("at"), relativeLocation: here)]
    #expect(try await run(fixture, sorts: sorts, type: "Lake").records.map(\.name) == ["l1"])
    for index in [Schema.Index.sortable, .queryable] {
      try await remove(index, "at", fixture, type: "Lake")
    }
    let error = try await refusal(fixture, sorts: sorts, type: "Lake")
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Field 'at' is not marked sortable in record type 'Lake'"))
  }

  @Test func `QRY-18 user records cannot be queried unless made queryable`() async throws {
    let fixture = try await filled()
    let error = try await ruleFailure {
      try await run(fixture, type: "Users", zone: nil, in: .public)
    }
    #expect(error.reason.hasPrefix("Field 'recordName' is not marked queryable"))
    try await fixture.engine.schemas.setIndex(
      .queryable, on: "___recordID", of: "Users", to: true, in: TestContainer.development)
    let alice = try #require(fixture.phone.user?.name)
    try await fixture.save(.force(alice, ["nick": .string("Al")], type: "Users"), in: .public)
    let page = try await run(fixture, type: "Users", zone: nil, in: .public)
    #expect(page.records.map(\.name) == [alice])
  }

  @Test func `QRY-19 an encrypted field is refused in conditions and sorts`() async throws {
    let fixture = try await filled()
    var draft = RecordDraft(name: "d1", type: "Hike")
    draft.fields = ["diary": DraftField(.string("secret"), isEncrypted: true)]
    try await fixture.save(RecordOperation(.create, draft))
    let filter = try await refusal(fixture, [Filter(.equals, .field("diary"), .string("secret"))])
    #expect(filter.reason.contains("'diary'"))
    #expect(filter.reason.contains("encrypted"))
    #expect(try await refusal(fixture, sorts: [Sort(.field("diary"))]).code == .badRequest)
  }

  @Test func `QRY-21 public records that a user may not read are absent`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.engine.schemas.replace(
      by: """
        DEFINE SCHEMA
          RECORD TYPE Secret (
            "___recordID" REFERENCE QUERYABLE,
            "___createdBy" REFERENCE,
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO "_creator"
          );
        """, in: TestContainer.development)
    try await fixture.save(.create("mine", type: "Secret"), in: .public)
    try await fixture.save(.create("his", type: "Secret"), in: .public, as: fixture.bob)
    let page = try await run(fixture, type: "Secret", zone: nil, in: .public)
    #expect(page.records.map(\.name) == ["mine"])
    let error = try await ruleFailure { try await fixture.fetch("his", in: .public) }
    #expect(error.code == .notFound)
    let anonymous = try await ruleFailure {
      try await run(fixture, type: "Secret", zone: nil, in: .public, as: fixture.server.anonymous())
    }
    #expect(anonymous.code == .authenticationRequired)
  }

  @Test func `a query over all zones finds records of each`() async throws {
    let fixture = try await filled()
    try await fixture.save(.create("d1", ["km": .int64(1)]), zone: nil)
    let page = try await fixture.engine.queries.run(
      .init(
        query: Query(recordType: "Hike", filters: [Filter(.equals, .field("km"), .int64(1))]),
        zoneWide: true), in: .private, as: fixture.phone)
    #expect(page.records.map(\.name) == ["h1", "d1"])
  }

  @Test func `a query over all zones of the public database is one of its default zone`()
    async throws
  {
    let fixture = try await filled()
    try await fixture.save(.create("p1", ["km": .int64(1)]), in: .public, zone: nil)
    let page = try await fixture.engine.queries.run(
      .init(query: Query(recordType: "Hike"), zoneWide: true), in: .public, as: fixture.phone)
    #expect(page.records.map(\.name) == ["p1"])
    let error = try await ruleFailure {
      try await fixture.engine.queries.run(
        .init(query: Query(recordType: "Hike"), zoneWide: true), in: .shared, as: fixture.phone)
    }
    #expect(error.code == .badRequest && error.reason.contains("name a zone"))
  }

  @Test(arguments: ["blah blah", "9lives", "", String(repeating: "x", count: 4000)])
  func `a type that no record can have is not found, with a short message`(
    _ type: String
  ) async throws {
    let fixture = try await filled()
    let error = try await ruleFailure { try await run(fixture, type: type) }
    #expect(error.code == .notFound)
    #expect(error.reason.utf8.count < 200)
  }

  @Test func `places are sorted by the distance from one, and by nothing else`() async throws {
    let fixture = try await filled()
    try await fixture.save(.create("p", ["at": .location(Location(latitude: 1, longitude: 2))]))
    let error = try await refusal(fixture, sorts: [Sort(.field("at"))])
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'at'") && error.reason.contains("add 'relativeLocation'"))
  }

  @Test func `conditions and lists have limits`() async throws {
    let fixture = try await filled()
    let filter = Filter(.equals, .field("km"), .int64(1))
    #expect(try await refusal(fixture, Array(repeating: filter, count: 101)).code == .badRequest)
    let list = FieldValue.list(Array(repeating: .int64(1), count: 251), of: .int64)
    #expect(try await refusal(fixture, [Filter(.in, .field("km"), list)]).reason.contains("251"))
  }
}
