// Queries: cases QRY.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct QueryTests {
  private func run(
    _ lab: Lab, _ filters: [Filter] = [], sorts: [Sort] = [], type: String = "Hike",
    limit: Int? = nil, marker: String? = nil, zone: ZoneID? = Lab.trails,
    in scope: DatabaseScope = .private, as caller: Caller? = nil
  ) async throws -> QueryPage {
    try await lab.engine.query(
      .init(
        query: Query(recordType: type, filters: filters, sorts: sorts), zone: zone, limit: limit,
        marker: marker),
      in: scope, as: caller ?? lab.phone)
  }

  private func refusal(
    _ lab: Lab, _ filters: [Filter] = [], sorts: [Sort] = [], type: String = "Hike"
  ) async throws -> BrumeError {
    try await ruleFailure { try await run(lab, filters, sorts: sorts, type: type) }
  }

  private func remove(
    _ index: Schema.Index, _ field: String, _ lab: Lab, type: String = "Hike"
  ) async throws {
    try await lab.engine.setIndex(
      index, on: field, of: type, to: false, container: TestContainer.id,
      environment: .development)
  }

  private func filled() async throws -> Lab {
    let lab = try await Lab()
    for km in 0..<5 {
      try await lab.save(
        .create("h\(km)", ["km": .int64(Int64(km)), "title": .string("Ridge \(km)")]))
    }
    return lab
  }

  @Test func `QRY-01 QRY-12 a query sees a save at once, and no match is an empty page`()
    async throws
  {
    let lab = try await filled()
    let found = try await run(lab, [Filter(.equals, .field("km"), .int64(3))])
    #expect(found.records.map(\.name) == ["h3"])
    let none = try await run(lab, [Filter(.equals, .field("km"), .int64(99))])
    #expect(none.records.isEmpty)
    #expect(none.marker == nil)
  }

  @Test func `QRY-02 an unknown record type is named`() async throws {
    let lab = try await filled()
    let error = try await refusal(lab, type: "Hikee")
    #expect(error.code == .notFound)
    #expect(error.reason.hasPrefix("Did not find record type: Hikee"))
  }

  @Test func `QRY-03 a query in a missing zone says so`() async throws {
    let lab = try await filled()
    let error = try await ruleFailure { try await run(lab, zone: ZoneID(name: "Ghost")) }
    #expect(error.code == .zoneNotFound)
  }

  @Test func `QRY-04 TRUE needs the record name's index and names the command`() async throws {
    let lab = try await filled()
    #expect(try await run(lab).records.count == 5)
    try await remove(.queryable, "___recordID", lab)
    let error = try await refusal(lab)
    #expect(error.code == .badRequest)
    #expect(
      error.reason
        == "Field 'recordName' is not marked queryable in record type 'Hike'; run "
        + "`brume schema index add Hike ___recordID queryable`")
  }

  @Test func `QRY-05 an unindexed field is named with the command`() async throws {
    let lab = try await filled()
    try await remove(.queryable, "title", lab)
    let error = try await refusal(lab, [Filter(.equals, .field("title"), .string("x"))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Field 'title' is not marked queryable"))
    #expect(error.reason.contains("`brume schema index add Hike title queryable`"))
  }

  @Test func `QRY-06 sorting needs a sortable index`() async throws {
    let lab = try await filled()
    try await remove(.sortable, "___createTime", lab)
    let error = try await refusal(lab, sorts: [Sort(.system(.createdTimestamp))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Field 'createdTimestamp' is not marked sortable"))
    #expect(error.reason.contains("___createTime sortable"))
  }

  @Test func `QRY-07 a field that the type lacks is named`() async throws {
    let lab = try await filled()
    let error = try await refusal(lab, [Filter(.equals, .field("height"), .int64(1))])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Did not find field 'height' in record type 'Hike'"))
  }

  @Test func `QRY-08 a value of the wrong type is refused by the expected type`() async throws {
    let lab = try await filled()
    let list = FieldValue.list([.int64(1)], of: .int64)
    let error = try await refusal(lab, [Filter(.in, .field("title"), list)])
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Invalid value, expected type STRING"))
  }

  @Test func `QRY-11 a prefix finds strings`() async throws {
    let lab = try await filled()
    let page = try await run(lab, [Filter(.beginsWith, .field("title"), .string("Ridge 3"))])
    #expect(page.records.map(\.name) == ["h3"])
  }

  @Test(arguments: [true, false])
  func `QRY-13 pages follow each other without gaps or repetition`(_ isSorted: Bool) async throws {
    let lab = try await filled()
    let sorts = isSorted ? [Sort(.field("km"), ascending: false)] : []
    var names: [String] = []
    var marker: String?
    repeat {
      let page = try await run(lab, sorts: sorts, limit: 2, marker: marker)
      names += page.records.map(\.name)
      marker = page.marker
    } while marker != nil
    let all = (0..<5).map { "h\($0)" }
    #expect(names == (isSorted ? all.reversed() : all))
  }

  @Test func `a marker belongs to its query, user and database`() async throws {
    let lab = try await filled()
    let marker = try #require(try await run(lab, limit: 2).marker)
    try await lab.makeZone(Lab.trails, as: lab.bob)
    let attempts: [() async throws -> QueryPage] = [
      { try await run(lab, sorts: [Sort(.field("km"))], marker: marker) },
      { try await run(lab, marker: marker, zone: nil) },
      { try await run(lab, marker: marker, as: lab.bob) },
      { try await run(lab, marker: String(marker.dropLast())) },
      { try await run(lab, marker: "AAAA") },
    ]
    for attempt in attempts {
      let error = try await ruleFailure(attempt)
      #expect(error.code == .badRequest)
      #expect(error.reason.contains("continuation marker"))
    }
  }

  @Test func `QRY-15 a limit of 0 or above the maximum means the server's own`() async throws {
    let lab = try await Lab(limits: .tiny)
    for part in [0..<8, 8..<12] {
      _ = try await lab.modify(part.map { .create("h\($0)") })
    }
    #expect(try await run(lab, limit: 0).records.count == 10)
    #expect(try await run(lab, limit: 500).records.count == 10)
  }

  @Test func `QRY-18 user records cannot be queried unless made queryable`() async throws {
    let lab = try await filled()
    let error = try await ruleFailure {
      try await run(lab, type: "Users", zone: nil, in: .public)
    }
    #expect(error.reason.hasPrefix("Field 'recordName' is not marked queryable"))
  }

  @Test func `QRY-19 an encrypted field is refused in conditions and sorts`() async throws {
    let lab = try await filled()
    var draft = RecordDraft(name: "d1", type: "Hike")
    draft.fields = ["diary": DraftField(.string("secret"), isEncrypted: true)]
    try await lab.save(RecordOperation(.create, draft))
    let filter = try await refusal(lab, [Filter(.equals, .field("diary"), .string("secret"))])
    #expect(filter.reason.contains("'diary'"))
    #expect(filter.reason.contains("encrypted"))
    #expect(try await refusal(lab, sorts: [Sort(.field("diary"))]).code == .badRequest)
  }

  @Test func `QRY-21 public records that a user may not read are absent`() async throws {
    let lab = try await Lab()
    try await lab.engine.importSchema(
      text: """
        DEFINE SCHEMA
          RECORD TYPE Secret (
            "___recordID" REFERENCE QUERYABLE,
            "___createdBy" REFERENCE,
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO "_creator"
          );
        """, container: TestContainer.id, environment: .development)
    try await lab.save(.create("mine", type: "Secret"), in: .public)
    try await lab.save(.create("his", type: "Secret"), in: .public, as: lab.bob)
    let page = try await run(lab, type: "Secret", zone: nil, in: .public)
    #expect(page.records.map(\.name) == ["mine"])
    let error = try await ruleFailure { try await lab.fetch("his", in: .public) }
    #expect(error.code == .notFound)
    let anonymous = try await ruleFailure {
      try await run(lab, type: "Secret", zone: nil, in: .public, as: lab.server.anonymous())
    }
    #expect(anonymous.code == .authenticationRequired)
  }

  @Test func `a query over all zones finds records of each`() async throws {
    let lab = try await filled()
    try await lab.save(.create("d1", ["km": .int64(1)]), zone: nil)
    let page = try await lab.engine.query(
      .init(
        query: Query(recordType: "Hike", filters: [Filter(.equals, .field("km"), .int64(1))]),
        zoneWide: true), in: .private, as: lab.phone)
    #expect(page.records.map(\.name) == ["h1", "d1"])
  }

  @Test func `a query over all zones of the public database is one of its default zone`()
    async throws
  {
    let lab = try await filled()
    try await lab.save(.create("p1", ["km": .int64(1)]), in: .public, zone: nil)
    let page = try await lab.engine.query(
      .init(query: Query(recordType: "Hike"), zoneWide: true), in: .public, as: lab.phone)
    #expect(page.records.map(\.name) == ["p1"])
    let error = try await ruleFailure {
      try await lab.engine.query(
        .init(query: Query(recordType: "Hike"), zoneWide: true), in: .shared, as: lab.phone)
    }
    #expect(error.code == .badRequest && error.reason.contains("name a zone"))
  }

  @Test(arguments: ["blah blah", "9lives", "", String(repeating: "x", count: 4000)])
  func `a type that no record can have is not found, with a short message`(
    _ type: String
  ) async throws {
    let lab = try await filled()
    let error = try await ruleFailure { try await run(lab, type: type) }
    #expect(error.code == .notFound)
    #expect(error.reason.utf8.count < 200)
  }

  @Test func `conditions and lists have limits`() async throws {
    let lab = try await filled()
    let filter = Filter(.equals, .field("km"), .int64(1))
    #expect(try await refusal(lab, Array(repeating: filter, count: 101)).code == .badRequest)
    let list = FieldValue.list(Array(repeating: .int64(1), count: 251), of: .int64)
    #expect(try await refusal(lab, [Filter(.in, .field("km"), list)]).reason.contains("251"))
  }
}
