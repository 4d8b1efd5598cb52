// What a caller may not see does not exist for him: the same question gets the same answer in a database
// with hidden records and in one without.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// A public database with a type whose records only their creator reads, and a zone of Alice's of which
/// Bob sees one tree.
private struct HiddenRecordFixture {
  let fixture: EngineFixture
  var zone: ZoneID { ZoneID(name: "Trails", ownerName: fixture.phone.user?.name) }

  init(hidden: Int, limits: Limits = .apple) async throws {
    fixture = try await EngineFixture(limits: limits)
    try await fixture.engine.schemas.replace(
      by: """
        DEFINE SCHEMA
          RECORD TYPE Secret (
            "___recordID" REFERENCE QUERYABLE,
            "___createdBy" REFERENCE,
            text STRING QUERYABLE SORTABLE,
            GRANT CREATE TO "_icloud",
            GRANT WRITE TO "_creator"
          );
        """, in: TestContainer.development)
    let (_, share) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(share, as: fixture.bob)
    for number in 0..<4 {
      try await fixture.save(.create("b\(number)", ["text": .string("m")], parent: "root"))
      try await fixture.save(
        .create("b\(number)", ["text": .string("m")], type: "Secret"), in: .public, as: fixture.bob)
    }
    for number in 0..<hidden {
      for name in ["a\(number)", "b1-\(number)", "c\(number)"] {
        try await fixture.save(.create(name, ["text": .string("m")]))
        try await fixture.save(
          .create(name, ["text": .string("m")], type: "Secret"), in: .public)
      }
    }
  }

  /// Pages of a query as Bob gets them, until the end.
  func pages(
    _ filters: [Filter], sorts: [Sort] = [], limit: Int, in scope: DatabaseScope
  ) async throws -> [[String]] {
    var pages: [[String]] = []
    var marker: String?
    let type = scope == .public ? "Secret" : "Hike"
    repeat {
      let page = try await fixture.engine.queries.run(
        .init(
          query: Query(recordType: type, filters: filters, sorts: sorts),
          zone: scope == .public ? nil : zone, limit: limit, marker: marker),
        in: scope, as: fixture.bob)
      pages.append(page.records.map(\.name))
      marker = page.marker
    } while marker != nil && pages.count < 100
    return pages
  }
}

struct HiddenRecordTests {
  private static let filters: [[Filter]] = [
    [], [Filter(.beginsWith, .field("text"), .string("m"))],
    [Filter(.equals, .field("text"), .string("m"))],
    [Filter(.notEquals, .field("text"), .string("x"))],
    [Filter(.equals, .field("text"), .string("nothing"))],
  ]

  @Test func `DEL-07 of what refers to a public record only what the caller may read counts`()
    async throws
  {
    var limits = Limits.apple
    limits.deleteSelfReferences = 2
    let fixture = try await HiddenRecordFixture(hidden: 0, limits: limits).fixture
    func save(_ name: String, as caller: Caller) async throws -> BrumeError.Code? {
      let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
      let operation = RecordOperation.create(name, ["area": area], type: "Secret")
      return try await fixture.modify([operation], in: .public, as: caller).codes[0]
    }
    for name in ["own1", "own2"] { #expect(try await save(name, as: fixture.phone) == nil) }
    for name in ["p1", "p2"] { #expect(try await save(name, as: fixture.bob) == nil) }
    #expect(try await save("own3", as: fixture.phone) == .badRequest)
  }

  @Test func `DEL-07 large hidden records that refer to a public record keep nobody from it`()
    async throws
  {
    var limits = Limits.apple
    limits.deleteSelfReferences = 4
    limits.cascadeBytes = 1000
    let fixture = try await HiddenRecordFixture(hidden: 0, limits: limits).fixture
    let text = FieldValue.string(String(repeating: "x", count: 1000))
    func save(_ name: String, as caller: Caller) async throws -> BrumeError.Code? {
      let area = FieldValue.reference(Reference(recordName: "area", action: .deleteSelf))
      let operation = RecordOperation.create(name, ["area": area, "text": text], type: "Secret")
      return try await fixture.modify([operation], in: .public, as: caller).codes[0]
    }
    for name in ["h1", "h2", "h3", "h4"] {
      #expect(try await save(name, as: fixture.phone) == nil)
    }
    // All of them are twice as much as may be read of what the caller sees.
    #expect(try await save("p1", as: fixture.bob) == nil)
    #expect(try await save("own", as: fixture.phone) == .limitExceeded)
  }

  private func limits(_ candidates: Int) -> Limits {
    var limits = Limits.apple
    limits.candidatesPerPage = candidates
    return limits
  }

  @Test(arguments: [DatabaseScope.shared, .public])
  func `pages and markers of a query are those of a database without the hidden records`(
    scope: DatabaseScope
  ) async throws {
    for candidates in [20_000, 3, 1] {
      let with = try await HiddenRecordFixture(hidden: 5, limits: limits(candidates))
      let without = try await HiddenRecordFixture(hidden: 0, limits: limits(candidates))
      for filters in Self.filters {
        for sorts in [[], [Sort(.field("text"), ascending: false)]] {
          for limit in [1, 2, 3, 200] {
            let seen = try await with.pages(filters, sorts: sorts, limit: limit, in: scope)
            let wanted = try await without.pages(filters, sorts: sorts, limit: limit, in: scope)
            #expect(seen == wanted, "\(candidates) candidates, limit \(limit), \(filters)")
          }
        }
      }
    }
  }

  @Test func `a hidden record is looked up as one that is not there, in the public database too`()
    async throws
  {
    let setup = try await HiddenRecordFixture(hidden: 1)
    for (scope, zone) in [(DatabaseScope.shared, setup.zone), (.public, nil as ZoneID?)] {
      func failure(_ name: String) async throws -> BrumeError {
        try await ruleFailure {
          try await setup.fixture.fetch(name, in: scope, zone: zone, as: setup.fixture.bob)
        }
      }
      let hidden = try await failure("a0")
      #expect(hidden.code == .notFound)
      #expect(hidden.reason == (try await failure("zz")).reason.replacing("zz", with: "a0"))
    }
  }

  @Test func `without a user nobody learns whether a record is there that users alone may read`()
    async throws
  {
    let setup = try await HiddenRecordFixture(hidden: 1)
    func failure(_ name: String) async throws -> BrumeError {
      try await ruleFailure {
        try await setup.fixture.fetch(name, in: .public, as: setup.fixture.server.anonymous())
      }
    }
    let hidden = try await failure("a0")
    let missing = try await failure("zz")
    #expect(hidden.code == .authenticationRequired && missing.code == .authenticationRequired)
    #expect(hidden.reason == missing.reason.replacing("zz", with: "a0"))
  }

  @Test(arguments: [DatabaseScope.shared, .public])
  func `parent and VALIDATE find a hidden record as little as a missing one`(
    scope: DatabaseScope
  ) async throws {
    let setup = try await HiddenRecordFixture(hidden: 1)
    let zone = scope == .public ? nil : setup.zone
    func failures(_ target: String) async throws -> [String] {
      var operations = [RecordOperation.create("new", type: "Hike", parent: target)]
      let reference = Reference(recordName: target, action: .validate)
      operations.append(
        .create("new", ["to": .reference(reference)], parent: scope == .public ? nil : "root"))
      var reasons: [String] = []
      for operation in operations {
        let error = try await setup.fixture.failure(
          of: operation, in: scope, zone: zone, as: setup.fixture.bob)
        #expect(error.code == .validatingReferenceError)
        reasons.append(error.reason.replacing(target, with: "TARGET"))
      }
      return reasons
    }
    #expect(try await failures("a0") == failures("zz"))
  }

  @Test(arguments: [
    RecordOperation.Kind.create, .update, .forceUpdate, .replace, .forceReplace, .delete,
    .forceDelete,
  ])
  func `a save over a hidden record learns at most that the name is taken`(
    kind: RecordOperation.Kind
  ) async throws {
    let setup = try await HiddenRecordFixture(hidden: 1)
    let operation = RecordOperation.make(
      kind, "a0", kind.isDelete ? [:] : ["text": .string("x")], type: "Secret", tag: "1")
    let results = try await setup.fixture.modify([operation], in: .public, as: setup.fixture.bob)
    switch kind {
    case .delete, .forceDelete: #expect(results.allSucceeded)
    case .update, .replace: #expect(results.codes == [.notFound])
    case .create, .forceUpdate, .forceReplace:
      let error = try #require(results.first?.error)
      #expect(error.code == .accessDenied && error.reason.contains("the name is taken"))
      #expect(error.serverRecord == nil)
    }
    #expect(try await setup.fixture.fetch("a0", in: .public).fields["text"] == .string("m"))
  }

  @Test func `a hidden share is like none, whatever an operation calls it`() async throws {
    let setup = try await HiddenRecordFixture(hidden: 1)
    let fixture = setup.fixture
    try await fixture.save(.create("other"))
    try await fixture.save(.share("s2", of: "other"))
    func outcomes(_ name: String) async throws -> [String] {
      var outcomes: [String] = []
      for type in [Record.shareType, "Hike", nil] as [String?] {
        for kind in [RecordOperation.Kind.update, .replace, .forceDelete] {
          let operation = RecordOperation.make(kind, name, [:], type: type, tag: "1")
          let results = try await fixture.modify(
            [operation], in: .shared, zone: setup.zone, as: fixture.bob)
          let error = results.first?.error
          outcomes.append("\(error?.reason.replacing(name, with: "NAME") ?? "done")")
        }
      }
      return outcomes
    }
    #expect(try await outcomes("s2") == outcomes("s3"))
    #expect(try await outcomes("a0") == outcomes("s3"), "nor a hidden record of another type")
  }

  @Test func `what keeps a record from being deleted is not named to a participant`() async throws {
    let setup = try await HiddenRecordFixture(hidden: 0)
    let fixture = setup.fixture
    let reference = Reference(recordName: "b0", action: .validate)
    try await fixture.save(.create("watcher", ["to": .reference(reference)]))
    let error = try await fixture.failure(
      of: .delete("b0"), in: .shared, zone: setup.zone, as: fixture.bob)
    #expect(error.code == .validatingReferenceError)
    #expect(!error.reason.contains("watcher"))
    #expect(try await fixture.failure(of: .delete("b0")).reason.contains("'watcher'"))
  }
}

/// References that keep their target from being deleted need the right to delete it.
struct PinTests {
  private func failure(
    _ action: Reference.Action?, to target: String, _ fixture: EngineFixture
  ) async throws -> BrumeError? {
    let fields: [String: FieldValue] =
      action.map { ["to": .reference(Reference(recordName: target, action: $0))] } ?? [:]
    let operation = RecordOperation.create(
      "by-bob", fields, parent: action == nil ? target : nil)
    return try await fixture.modify([operation], in: .public, as: fixture.bob).first?.error
  }

  @Test func `nobody's VALIDATE reference or child keeps another's public record`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("alices"), in: .public)
    for action in [Reference.Action.validate, nil] {
      let error = try #require(try await failure(action, to: "alices", fixture))
      #expect(error.code == .accessDenied)
      #expect(error.reason.contains("'alices'") && error.reason.contains("action NONE"))
    }
    #expect(try await failure(Reference.Action.none, to: "alices", fixture) == nil)
    #expect(try await fixture.modify([.delete("alices")], in: .public).allSucceeded)
  }

  @Test func `one's own records and those of the same request may be referred to`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("bobs"), in: .public, as: fixture.bob)
    #expect(try await failure(.validate, to: "bobs", fixture) == nil)
    let together = try await fixture.modify(
      [
        .create("one"),
        .create("two", ["to": .reference(Reference(recordName: "one", action: .validate))]),
      ], in: .public, as: fixture.bob)
    #expect(together.allSucceeded)
  }

  @Test(arguments: ["root", "nothing", nil])
  func `who may only read does not learn which names are taken (SHR-13)`(
    parent: String?
  ) async throws {
    let fixture = try await EngineFixture()
    let (_, share) = try await fixture.shareHike(with: "bob")
    try await fixture.join(share, as: fixture.bob)
    try await fixture.save(.create("hidden"))
    let zone = ZoneID(name: "Trails", ownerName: fixture.phone.user?.name)
    for kind in [RecordOperation.Kind.create, .forceUpdate, .forceReplace] {
      var answers: [String] = []
      for name in ["hidden", "free"] {
        var operation = RecordOperation.create(name, parent: parent)
        operation.kind = kind
        let error = try await fixture.failure(
          of: operation, in: .shared, zone: zone, as: fixture.bob)
        answers.append("\(error.code) \(error.reason)")
      }
      #expect(answers[0] == answers[1])
    }
  }

  @Test func `a participant who may only read a tree keeps none of its records`() async throws {
    let fixture = try await EngineFixture()
    let (_, mine) = try await fixture.shareHike(with: "bob", .readWrite)
    try await fixture.join(mine, as: fixture.bob)
    try await fixture.save(.create("other"))
    let readable = try await fixture.save(
      .share("s2", of: "other", with: ["bob@example.org"], .readOnly))
    try await fixture.join(readable, as: fixture.bob)
    let reference = Reference(recordName: "other", action: .validate)
    let error = try await fixture.failure(
      of: .create("x", ["to": .reference(reference)], parent: "root"), in: .shared,
      zone: ZoneID(name: "Trails", ownerName: fixture.phone.user?.name), as: fixture.bob)
    #expect(error.code == .accessDenied)
    #expect(try await fixture.exists("x") == false)
  }
}
