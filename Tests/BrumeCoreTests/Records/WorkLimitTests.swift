// What one request may make the server do. Amounts are counted, never timed.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

struct WorkLimitTests {
  private func fixture(_ change: (inout Limits) -> Void) async throws -> EngineFixture {
    var limits = Limits.apple
    change(&limits)
    return try await EngineFixture(limits: limits)
  }

  private func references(_ count: Int, _ action: Reference.Action) -> FieldValue {
    .list(
      (0..<count).map { .reference(Reference(recordName: "t\($0)", action: action)) },
      of: .reference)
  }

  @Test func `the references of a request have a maximum, over all its records`() async throws {
    let fixture = try await fixture { $0.referencesPerRequest = 10 }
    func save(_ first: Int, _ second: Int) async throws -> [RecordResult] {
      try await fixture.modify([
        .force("a", ["to": references(first, .deleteSelf)]),
        .force("b", ["to": references(second, .none)]),
      ])
    }
    #expect(try await save(5, 5).allSucceeded)
    let error = try await ruleFailure { try await save(5, 6) }
    #expect(error.code == .limitExceeded && error.reason.contains("hold 11 references"))
  }

  @Test func `the stored records that a save refers to have a maximum of bytes`() async throws {
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    let names = (0..<5).map { "t\($0)" }
    func saved(_ most: Int) async throws -> EngineFixture {
      let fixture = try await fixture { $0.cascadeBytes = most }
      for name in names { try await fixture.save(.create(name, ["text": text])) }
      return fixture
    }
    func refused(_ operation: RecordOperation, in fixture: EngineFixture) async throws {
      let error = try await fixture.failure(of: operation)
      #expect(error.code == .limitExceeded && error.reason.contains("save, delete, move or share"))
      #expect(try await !fixture.exists("b"))
    }
    // Twice as many bytes are read, and the record with which they are reached.
    let (exact, less) = (try await saved(1500), try await saved(1499))
    try await exact.save(.force("a", ["to": references(4, .validate)]))
    try await less.save(.force("a", ["to": references(3, .validate)]))
    try await refused(.force("b", ["to": references(5, .validate)]), in: exact)
    try await refused(.create("b", ["to": references(4, .validate)], parent: "t4"), in: exact)
    try await refused(.force("b", ["to": references(4, .validate)]), in: less)
    // What the request brings itself has other bounds.
    let own = names.map { RecordOperation.force($0, ["n": .int64(1)]) }
    #expect(
      try await exact.modify(own + [.force("b", ["to": references(5, .validate)])]).allSucceeded)
  }

  @Test func `a record that refers to too many bytes fails alone`() async throws {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    for name in (0..<6).map({ "t\($0)" }) { try await fixture.save(.create(name, ["text": text])) }
    func results(_ record: RecordOperation) async throws -> [BrumeError.Code?] {
      try await fixture.modify([.force("b"), record, .force("c")], atomic: false).codes
    }
    let parent = RecordOperation.create("a", ["to": references(3, .validate)], parent: "t5")
    let codes: [BrumeError.Code?] = [nil, .limitExceeded, nil]
    #expect(try await results(.force("a", ["to": references(4, .validate)])) == codes)
    #expect(try await results(parent) == codes)
    #expect(try await !fixture.exists("a"))
  }

  @Test func `the elements of lists of a request have a maximum`() async throws {
    let fixture = try await fixture { $0.listElementsPerRequest = 10 }
    func save(_ count: Int) async throws -> [RecordResult] {
      try await fixture.modify([
        .force("a", ["n": Self.list(count)])
      ])
    }
    #expect(try await save(10).allSucceeded)
    let error = try await ruleFailure { try await save(11) }
    #expect(error.code == .limitExceeded && error.reason.contains("have 11 elements"))
  }

  private static func list(_ count: Int) -> FieldValue {
    .list(Array(repeating: .string(""), count: count), of: .string)
  }

  @Test func `the elements of all lists of a record have the same maximum`() async throws {
    let fixture = try await fixture { $0.listElementsPerRequest = 10 }
    try await fixture.save(.force("a", ["m": Self.list(10)]))
    let error = try await fixture.failure(of: .force("a", ["n": Self.list(10)]))
    #expect(error.code == .limitExceeded)
    #expect(error.reason.contains("record 'a' have 20 elements"))
    try await fixture.save(.force("a", ["km": .int64(1)]))
    try await fixture.save(.force("a", ["m": Self.list(4), "n": Self.list(6)]))
    #expect(
      try await fixture.failure(of: .force("a", ["n": Self.list(7)])).code == .limitExceeded)
  }

  @Test func `a record whose lists had more before can be changed, and does not grow`()
    async throws
  {
    let fixture = try await fixture { $0.listElementsPerRequest = 10 }
    var record = try await fixture.save(.create("a", ["m": Self.list(1), "n": Self.list(1)]))
    (record.fields["m"], record.fields["n"]) = (Self.list(15), Self.list(5))
    let (old, database) = (record, try fixture.phone.databaseKey(.private))
    try await fixture.server.store.write(in: .database(database)) { transaction in
      let zone = ZoneKey(database: database, name: "Trails")
      let sequence = try transaction.sequences.next(in: database)
      try transaction.records.put(old, in: zone, sequence: sequence)
    }
    try await fixture.save(.force("a", ["km": .int64(1)]))
    try await fixture.save(.force("a", ["n": Self.list(4)]))
    #expect(
      try await fixture.failure(of: .force("a", ["n": Self.list(5)])).code == .limitExceeded)
  }

  @Test func `an element counts for the bytes of a cascade, and none keeps its own record`()
    async throws
  {
    let fixture = try await fixture { $0.cascadeBytes = 1200 }
    let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
    try await fixture.save(.create("area"))
    try await fixture.save(.force("h1", ["area": area, "n": Self.list(11)]))
    #expect(try await fixture.failure(of: .delete("area")).code == .limitExceeded)
    try await fixture.save(.force("h1", ["n": Self.list(10)]))
    #expect(try await fixture.modify([.delete("area")]).allSucceeded)
    #expect(try await !fixture.exists("h1"))
    try await fixture.save(.create("alone", ["n": Self.list(11)]))
    #expect(try await fixture.modify([.delete("alone")]).allSucceeded)
  }

  @Test func `the different words of a request have a maximum, over all its texts`() async throws {
    let fixture = try await fixture { $0.wordsPerRequest = 10 }
    func save(_ count: Int) async throws -> [RecordResult] {
      let words = (0..<count).map { "w\($0)" }
      let text = FieldValue.string((words.prefix(5) + words.prefix(5)).joined(separator: " "))
      let rest = FieldValue.string(words.dropFirst(5).joined(separator: " "))
      return try await fixture.modify([
        .force("a", ["s": text]), .force("b", ["l": .list([rest], of: .string)]),
      ])
    }
    #expect(try await save(10).allSucceeded)
    let error = try await ruleFailure { try await save(11) }
    #expect(error.code == .limitExceeded && error.reason.contains("more than 10 different words"))
    #expect(error.reason.contains("records in halves"))
  }

  @Test func `the different words of a record have a maximum, and others are saved beside it`()
    async throws
  {
    let fixture = try await fixture {
      $0.wordsPerRecord = 10
      $0.wordsPerRequest = 12
    }
    func text(_ count: Int) -> FieldValue {
      .string((0..<count).map { "w\($0) w\($0)" }.joined(separator: " "))
    }
    func save(_ count: Int) async throws -> [RecordResult] {
      try await fixture.modify([
        .force("a", ["long": text(count - 2), "short": text(2)]), .force("b", ["s": text(2)]),
      ])
    }
    #expect(try await save(10).allSucceeded)
    #expect(try await save(11).codes == [.limitExceeded, nil])
    guard case .failure(let failure) = try await save(50)[0] else {
      Issue.record("a record with 50 words is saved")
      return
    }
    #expect(failure.error.reason.contains("more than 10 different words"))
    #expect(failure.error.reason.contains("field 'long' has most"))
    let secret = DraftField(text(50), isEncrypted: true)
    let encrypted = RecordDraft(name: "c", type: "Hike", fields: ["secret": secret])
    #expect(try await fixture.modify([RecordOperation(.create, encrypted)]).allSucceeded)
  }

  @Test func `a cascade has a maximum of bytes too`() async throws {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    try await fixture.save(.create("area"))
    let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
    func save(_ name: String, _ bytes: Int) async throws {
      let text = FieldValue.string(String(repeating: "x", count: bytes - area.size))
      try await fixture.save(.force(name, ["area": area, "text": text]))
    }
    try await save("h1", 600)
    try await save("h2", 401)
    let error = try await fixture.failure(of: .delete("area"))
    #expect(error.code == .limitExceeded && error.reason.contains("1000 bytes"))
    #expect(try await fixture.exists("area"))
    try await save("h2", 400)
    #expect(try await fixture.modify([.delete("area")]).allSucceeded)
  }

  @Test(arguments: [false, true])
  func `of what a request deletes no more is read than twice what may go, in all its zones`(
    inTwoZones: Bool
  ) async throws {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    let text = FieldValue.string(String(repeating: "x", count: 600))
    let other = inTwoZones ? ZoneID(name: ZoneID.defaultName) : EngineFixture.trails
    let records = (0..<6).map { (name: "r\($0)", zone: $0 < 3 ? EngineFixture.trails : other) }
    for (name, zone) in records {
      try await fixture.save(.create(name, ["text": text]), zone: zone)
    }
    let results = try await fixture.modify(
      records.map { RecordOperation(.forceDelete, RecordDraft(name: $0.name, zone: $0.zone)) },
      atomic: false)
    // One may go, three more are read to refuse them.
    #expect(results.codes.filter { $0 == nil }.count == 1)
    let reasons = results.compactMap { $0.error?.reason }
    #expect(reasons.filter { $0.contains("delete more than") }.count == 3)
    #expect(reasons.filter { $0.contains("read more than 2000 bytes") }.count == 2)
  }

  @Test func `a share counts for the bytes of a cascade`() async throws {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    func text(_ bytes: Int) -> FieldValue { .string(String(repeating: "x", count: bytes)) }
    var share = RecordOperation.share("s1", of: "root")
    share.record.fields["cloudkit.title"] = DraftField(text(600))
    let child = RecordOperation.create("child", ["text": text(401)], parent: "root")
    #expect(try await fixture.modify([.create("root"), child, share]).allSucceeded)
    #expect(try await fixture.failure(of: .delete("root")).code == .limitExceeded)
    try await fixture.save(.force("child", ["text": text(400)]))
    #expect(try await fixture.modify([.delete("root")]).allSucceeded)
    #expect(try await !fixture.exists("s1"))
  }

  @Test func `what is above a record that is shared has a maximum of bytes`() async throws {
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    func error(_ most: Int) async throws -> BrumeError? {
      let fixture = try await fixture { $0.cascadeBytes = most }
      for number in 0..<5 {
        try await fixture.save(
          .create("r\(number)", ["text": text], parent: number == 0 ? nil : "r\(number - 1)"))
      }
      let results = try await fixture.modify([.force("own"), .share("s", of: "r4")], atomic: false)
      #expect(results.first?.error == nil)
      return results.last?.error
    }
    // Twice as many bytes are read, and the record with which they are reached.
    #expect(try await error(2000) == nil)
    #expect(try await error(1999)?.reason.contains("read more than 3998 bytes") == true)
  }

  @Test func `of a public record that too many bytes refer to none of them goes along`()
    async throws
  {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    let text = FieldValue.string(String(repeating: "x", count: 600))
    try await fixture.save(.create("area"), in: .public)
    let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
    for name in ["h1", "h2"] {
      try await fixture.save(
        .create(name, ["area": area, "text": text]), in: .public, as: fixture.bob)
    }
    #expect(try await fixture.modify([.delete("area")], in: .public).allSucceeded)
    #expect(try await fixture.exists("area", in: .public) == false)
    for name in ["h1", "h2"] { #expect(try await fixture.exists(name, in: .public)) }
  }

  @Test func `what is deleted in the same request does not make room in a cascade`() async throws {
    let fixture = try await fixture { $0.cascadeBytes = 1000 }
    try await fixture.save(.create("area"))
    let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
    let text = FieldValue.string(String(repeating: "x", count: 600))
    for name in ["h1", "h2"] {
      try await fixture.save(.create(name, ["area": area, "text": text]))
    }
    #expect(
      try await fixture.modify([.delete("h1"), .delete("area")]).codes == [nil, .limitExceeded])
    #expect(try await fixture.modify([.delete("h2")]).allSucceeded)
    #expect(try await fixture.modify([.delete("area")]).allSucceeded)
  }

  @Test func `a chain of saves that fail from its root fails as a whole`() async throws {
    let fixture = try await EngineFixture()
    let count = 150
    var operations = (1..<count).map { RecordOperation.create("r\($0)", parent: "r\($0 - 1)") }
    operations.append(.create("r0", parent: "missing"))
    for operations in [operations, operations.reversed()] {
      let codes = try await fixture.modify(operations).codes
      #expect(codes.filter { $0 == .validatingReferenceError }.count == 1)
      #expect(codes.filter { $0 == .internalError }.count == count - 1)
    }
  }

  @Test func `a chain of deletions that one record holds fails as a whole`() async throws {
    let fixture = try await EngineFixture()
    let count = 100
    let chain = (0..<count).map {
      RecordOperation.create("r\($0)", parent: $0 == 0 ? nil : "r\($0 - 1)")
    }
    #expect(try await fixture.modify(chain).allSucceeded)
    let last = FieldValue.reference(Reference(recordName: "r\(count - 1)", action: .validate))
    try await fixture.save(.create("holder", ["to": last]))
    let deletions = (0..<count).map { RecordOperation.delete("r\($0)") }
    for deletions in [deletions, deletions.reversed()] {
      let codes = try await fixture.modify(deletions).codes
      #expect(codes.allSatisfy { $0 == .validatingReferenceError })
    }
    #expect(try await fixture.modify(deletions + [.delete("holder")]).allSucceeded)
  }

  @Test func `an answer holds so many bytes, and the records beyond can be asked for again`()
    async throws
  {
    func saved(_ most: Int) async throws -> EngineFixture {
      let fixture = try await fixture { $0.answerBytes = most }
      let text = FieldValue.string(String(repeating: "x", count: 1000))
      for name in ["a", "b", "c", "d"] { try await fixture.save(.create(name, ["text": text])) }
      return fixture
    }
    func lookup(_ names: [String], in fixture: EngineFixture) async throws -> [RecordResult] {
      try await fixture.engine.records.lookup(
        .init(zone: EngineFixture.trails, items: names.map { .init(name: $0) }), in: .private,
        as: fixture.phone)
    }
    let roomy = try await saved(1 << 20)
    let zone = try roomy.phone.zoneKey(EngineFixture.trails, in: .private, limits: .apple)
    let bytes = try await roomy.server.store.read {
      try $0.records.find(RecordKey(zone: zone, name: "a"))?.byteCount ?? 0
    }
    let (exact, less) = (try await saved(2 * bytes), try await saved(2 * bytes - 1))
    #expect(
      try await lookup(["a", "b", "c", "d"], in: exact).codes
        == [nil, nil, .limitExceeded, .limitExceeded])
    #expect(try await lookup(["c", "d"], in: exact).allSucceeded)
    #expect(try await lookup(["c", "d"], in: less).codes == [nil, .limitExceeded])
    // What comes then is not even looked for.
    #expect(
      try await lookup(["a", "b", "c", "not there"], in: exact).codes
        == [nil, nil, .limitExceeded, .limitExceeded])
    #expect(
      try await lookup(Array(repeating: "a", count: 5), in: exact).filter(\.isSuccess).count == 2)
  }

  @Test func `the text of an error is never as long as the name that it is about`() async throws {
    let fixture = try await EngineFixture()
    let name = String(repeating: "x", count: 100_000)
    let error = try await ruleFailure { try await fixture.fetch(name) }
    #expect(error.code == .notFound && error.reason.utf8.count < 200)
  }

  @Test func `saves whose answer would be too large fail, those before them do not`() async throws {
    let fixture = try await fixture { $0.answerBytes = 3000 }
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    let names = ["a", "b", "c", "d"]
    for name in names { try await fixture.save(.create(name, ["text": text])) }
    let full: [BrumeError.Code?] = [nil, nil, .limitExceeded, .limitExceeded]
    #expect(try await fixture.modify(names.map { .force($0, ["n": .int64(1)]) }).codes == full)
    #expect(try await fixture.fetch("c").fields["n"] == nil)
    let conflicts = try await fixture.modify(names.map { .create($0) })
    #expect(conflicts.codes == [.conflict, .conflict, .limitExceeded, .limitExceeded])
    let fields: [String: FieldValue?] = ["n": .int64(1)]
    #expect(try await fixture.modify([.force("c", fields), .force("d", fields)]).allSucceeded)
  }

  @Test func `empty texts of a list take room in an answer`() async throws {
    let fixture = try await fixture { $0.answerBytes = 3000 }
    let saved = try await fixture.modify(["a", "b"].map { .create($0, ["n": Self.list(500)]) })
    #expect(saved.codes == [nil, .limitExceeded])
  }

  @Test func `pages of changes end when the answer is full, over all zones, and skip nothing`()
    async throws
  {
    let fixture = try await fixture { $0.answerBytes = 3000 }
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    let names = (0..<7).map { "h\($0)" }
    for name in names { try await fixture.save(.create(name, ["text": text])) }
    var seen: [String] = []
    var token: String?
    var more = true
    while more {
      let page = try await fixture.changes(since: token)
      #expect(page.changes.count <= 3)
      seen += page.summary
      (token, more) = (page.token, page.moreComing)
    }
    #expect(seen == names.map { "+\($0)" })
    let twice = try await fixture.engine.changes.ofZones(
      Array(repeating: .init(zone: EngineFixture.trails), count: 5), in: .private, as: fixture.phone
    )
    let pages = try twice.map { try $0.get() }
    #expect(pages.reduce(0) { $0 + $1.changes.count } <= 3)
    #expect(pages.allSatisfy { $0.moreComing })
    #expect(try await fixture.changes(since: pages[4].token).summary.first == "+h0")
  }

  @Test func `CHG-28 of zones asked for together each has records, another token or an error`()
    async throws
  {
    let fixture = try await fixture { $0.answerBytes = 3000 }
    let lakes = ZoneID(name: "Lakes")
    try await fixture.makeZone(lakes)
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    for index in 0..<7 { try await fixture.save(.create("h\(index)", ["text": text])) }
    for index in 0..<2 { try await fixture.save(.create("l\(index)"), zone: lakes) }
    var (seen, errors): ([String], [BrumeError]) = ([], [])
    var requests = [EngineFixture.trails, lakes].map { ZoneChangesRequest(zone: $0) }
    while !requests.isEmpty {
      let results = try await fixture.engine.changes.ofZones(
        requests, in: .private, as: fixture.phone)
      requests = zip(requests, results).compactMap { request, result in
        switch result {
        case .failure(let failure):
          errors.append(failure.error)
          return request
        case .success(let page):
          #expect(!page.changes.isEmpty || page.token != request.token)
          seen += page.summary
          return page.moreComing ? ZoneChangesRequest(zone: page.zone, token: page.token) : nil
        }
      }
    }
    let reason = "the answer is full before zone 'Lakes'; ask for it again"
    let refusal = BrumeError(.tryAgainLater, reason, retryAfter: 1)
    #expect(!errors.isEmpty && errors.allSatisfy { $0 == refusal })
    #expect(seen.sorted() == ((0..<7).map { "+h\($0)" } + ["+l0", "+l1"]))
  }

  @Test func `a search has a maximum of words, however often each is there`() async throws {
    let fixture = try await fixture { $0.wordsPerSearch = 3 }
    try await fixture.save(.create("h", ["s": .string("a long walk to the lake")]))
    func search(_ words: String, in field: FieldName?) async throws -> QueryPage {
      let filter = Filter(.containsAnyTokens, field, .string(words))
      return try await fixture.engine.queries.run(
        .init(query: Query(recordType: "Hike", filters: [filter]), zone: EngineFixture.trails),
        in: .private, as: fixture.phone)
    }
    for field in [FieldName.field("s"), nil] {
      #expect(try await search("hut the Lake lake peak", in: field).records.count == 1)
      let failure = try await ruleFailure { try await search("hut lake peak pass", in: field) }
      #expect(failure.code == .badRequest && failure.reason.contains("4 words"))
    }
  }

  @Test func `a query has a maximum of values and of bytes over all its conditions`() async throws {
    let fixture = try await fixture {
      $0.valuesPerQuery = 4
      $0.queryBytes = 100
    }
    try await fixture.save(.create("h", ["n": .int64(1), "s": .string("")]))
    func query(_ filters: [Filter]) async throws -> QueryPage {
      try await fixture.engine.queries.run(
        .init(query: Query(recordType: "Hike", filters: filters), zone: EngineFixture.trails),
        in: .private, as: fixture.phone)
    }
    let two = Filter(.notIn, .field("n"), .list([.int64(5), .int64(6)], of: .int64))
    #expect(try await query([two, two]).records.count == 1)
    let one = Filter(.notIn, .field("n"), .list([.int64(7)], of: .int64))
    let values = try await ruleFailure { try await query([two, two, one]) }
    #expect(values.code == .badRequest && values.reason.contains("5 values"))
    func text(_ bytes: Int) -> Filter {
      Filter(.notEquals, .field("s"), .string(String(repeating: "x", count: bytes)))
    }
    #expect(try await query([text(60), text(40)]).records.count == 1)
    let bytes = try await ruleFailure { try await query([text(60), text(41)]) }
    #expect(bytes.code == .badRequest && bytes.reason.contains("101 bytes"))
  }
}
