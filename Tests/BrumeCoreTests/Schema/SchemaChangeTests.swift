// What operators see of a schema's change before it is made, and what it does.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct SchemaChangeTests {
  private static let empty = "DEFINE SCHEMA"
  private static let hikes = """
    DEFINE SCHEMA
      RECORD TYPE Hike ("___recordID" REFERENCE QUERYABLE, title STRING QUERYABLE);
    """

  @Test func `an import that lacks a type is refused unless drops are allowed`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    let schemas = fixture.engine.schemas
    let error = try await ruleFailure {
      try await schemas.replace(
        by: Self.empty, in: TestContainer.development, allowsDrops: false)
    }
    #expect(error.reason.contains("Hike") && error.reason.contains("--allow-drops"))
    #expect(try await fixture.exists("h1"))
    #expect(try await schemas.current(of: TestContainer.development).recordTypes["Hike"] != nil)
  }

  @Test func `records of a dropped type do not come back with the type`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.save(.create("b1"), in: .public, as: fixture.bob)
    try await fixture.save(.create("n1", type: "Note"))
    let token = try await fixture.changes().token
    let schemas = fixture.engine.schemas
    let text = """
      DEFINE SCHEMA RECORD TYPE Note ("___recordID" REFERENCE QUERYABLE);
      """
    try await schemas.replace(by: text, in: TestContainer.development, allowsDrops: true)
    try await schemas.replace(
      by: Self.hikes + " RECORD TYPE Note ();", in: TestContainer.development, allowsDrops: true)
    #expect(try await fixture.exists("h1") == false)
    #expect(try await fixture.exists("b1", in: .public) == false)
    #expect(try await fixture.exists("n1"))
    #expect(try await fixture.changes(since: token).summary == ["-h1"], "devices learn of it")
  }

  @Test func `a difference names each step, what follows, and what is not allowed`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .int64(1)]))
    try await fixture.engine.schemas.deploy(TestContainer.id)
    let difference = try await fixture.engine.schemas.difference(
      to: Self.empty, in: TestContainer.development)
    #expect(difference.dropped == ["Hike"])
    #expect(!difference.isAllowed)
    let step = try #require(difference.steps.first)
    #expect(step.obstacle?.contains("is in production and cannot go") == true)
    #expect(step.consequence.contains("deleted"))
  }

  @Test func `a type that nobody has agreed to lose stays, with its records`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.save(.create("n1", type: "Note"))
    let schemas = fixture.engine.schemas
    let imported = try await ruleFailure {
      try await schemas.replace(
        by: Self.empty, in: TestContainer.development, allowsDrops: true, of: ["Hike"])
    }
    #expect(imported.reason.contains("types that are there: Note;"), "\(imported.reason)")
    let reset = try await ruleFailure {
      try await schemas.reset(TestContainer.id, dropping: ["Note"])
    }
    #expect(reset.reason.contains("types that are there: Hike;"), "\(reset.reason)")
    #expect(reset.reason.contains("`brume schema deploy`") && !reset.reason.contains("the text"))
    #expect(try await fixture.exists("h1"))
    #expect(try await fixture.exists("n1"))
    try await schemas.reset(TestContainer.id, dropping: ["Hike", "Note"])
    #expect(try await fixture.exists("h1") == false)
    #expect(try await fixture.exists("n1") == false)
  }

  @Test func `SCH-10 a dry run of a deployment is what the deployment does`() async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    try await fixture.save(.create("h1", ["km": .int64(1)]))
    let before = try await schemas.differenceOfDeployment(TestContainer.id)
    #expect(before.steps.map(\.text).contains("add record type Hike"))
    #expect(try await schemas.current(of: TestContainer.production).recordTypes["Hike"] == nil)
    try await schemas.deploy(TestContainer.id)
    #expect(try await schemas.differenceOfDeployment(TestContainer.id).steps == [])
  }

  @Test func `SCH-06 a reset leaves what production has and takes the rest along`() async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    try await fixture.save(.create("h1", ["km": .int64(1)]))
    try await schemas.deploy(TestContainer.id)
    try await fixture.save(.create("n1", type: "Note"))
    try await fixture.save(.create("h2", ["title": .string("x")]))
    #expect(try await schemas.differenceOfReset(TestContainer.id).dropped == ["Note"])
    try await schemas.reset(TestContainer.id)
    #expect(try await schemas.differenceOfReset(TestContainer.id).steps == [])
    #expect(try await fixture.exists("n1") == false)
    #expect(try await fixture.exists("h1"))
    // A field goes from the schema, and records keep what they have in it.
    let hike = try await schemas.current(of: TestContainer.development).recordTypes["Hike"]
    #expect(hike?.fields["km"] != nil && hike?.fields["title"] == nil)
    #expect(try await fixture.fetch("h2").fields["title"] == .string("x"))
  }

  @Test func `SCH-06 a reset takes production's type of a field that a save made another`()
    async throws
  {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    let text = "DEFINE SCHEMA RECORD TYPE Hike (v STRING, w ENCRYPTED STRING);"
    try await schemas.replace(by: text, in: TestContainer.production)
    try await fixture.save(.create("h1", ["v": .int64(3), "w": .string("open")]))
    let deployment = try await ruleFailure { try await schemas.deploy(TestContainer.id) }
    #expect(deployment.reason.contains("`brume schema reset`"))
    let difference = try await schemas.differenceOfReset(TestContainer.id)
    let step = try #require(
      difference.steps.first { $0.text == "change Hike.v from INT64 to STRING" })
    #expect(difference.isAllowed && step.consequence.contains("keep the values that they have"))
    try await schemas.reset(TestContainer.id)
    #expect(try await schemas.differenceOfReset(TestContainer.id).steps == [])
    #expect(try await schemas.differenceOfDeployment(TestContainer.id).steps == [])
    try await schemas.deploy(TestContainer.id)
    let read = try await fixture.fetch("h1")
    #expect(read.fields == ["v": .int64(3), "w": .string("open")])
    try await fixture.save(.update(read, ["v": .int64(3), "w": .string("open")]))
  }

  @Test func `SCH-06 a reset to a production that has nothing takes every record along`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1"))
    try await fixture.engine.schemas.reset(TestContainer.id)
    #expect(try await fixture.exists("h1") == false)
    #expect(
      try await fixture.engine.schemas.current(of: TestContainer.development).recordTypes["Hike"]
        == nil)
  }

  @Test func `SCH-06 types go together, whichever of them has the parents`() async throws {
    let fixture = try await EngineFixture()
    for name in ["A", "Z"] {
      try await fixture.save(.create("l" + name, type: name + "List"))
      try await fixture.save(.create("r" + name, type: "Reminder", parent: "l" + name))
    }
    try await fixture.engine.schemas.reset(TestContainer.id)
    for name in ["lA", "lZ", "rA", "rZ"] { #expect(try await fixture.exists(name) == false) }
  }

  @Test func `a type goes whose records are on more pages than their parents`() async throws {
    var limits = Limits.apple
    limits.operationsPerRequest = 2
    let fixture = try await EngineFixture(limits: limits)
    for scope in [DatabaseScope.private, .public] {
      try await fixture.save(.create("h0"), in: scope)
      for number in 1..<7 {
        try await fixture.save(.create("h\(number)", parent: "h\(number - 1)"), in: scope)
      }
    }
    let schemas = fixture.engine.schemas
    try await schemas.replace(by: Self.empty, in: TestContainer.development, allowsDrops: true)
    for number in 0..<7 {
      #expect(try await fixture.exists("h\(number)") == false)
      #expect(try await fixture.exists("h\(number)", in: .public) == false)
    }
  }

  @Test func `a type stays while a record of another type needs one of its records`() async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    try await fixture.save(.create("a1", type: "Area"))
    try await fixture.save(.create("h1", parent: "a1"))
    let reference = Reference(recordName: "h1", action: .validate)
    try await fixture.save(.create("n1", ["of": .reference(reference)], type: "Note"))
    let text = "DEFINE SCHEMA RECORD TYPE Note (of REFERENCE);"
    let error = try await ruleFailure {
      try await schemas.replace(by: text, in: TestContainer.development, allowsDrops: true)
    }
    #expect(error.code == .validatingReferenceError)
    #expect(error.reason.contains("record type 'Hike' cannot go: record 'h1' in zone 'Trails'"))
    #expect(error.reason.contains("'n1' of type 'Note', which refers to it with action VALIDATE"))
    for name in ["a1", "h1", "n1"] { #expect(try await fixture.exists(name)) }
    let current = try await schemas.current(of: TestContainer.development)
    #expect(Set(current.recordTypes.keys).isSuperset(of: ["Area", "Hike", "Note"]))
  }

  @Test func `a schema that lists the type of shares, and then does not, leaves every share`()
    async throws
  {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    try await fixture.save(.create("h1"))
    try await fixture.save(.share("s1", of: "h1"))
    let own = try await schemas.current(of: TestContainer.development).text()
    let listed = own + #"RECORD TYPE "cloudkit.share" ("cloudkit.title" STRING);"#
    try await schemas.replace(by: listed, in: TestContainer.development)
    let difference = try await schemas.difference(to: own, in: TestContainer.development)
    #expect(difference.dropped == [])
    try await schemas.replace(by: own, in: TestContainer.development)
    #expect(try await fixture.exists("s1"))
    #expect(try await fixture.fetch("h1").share == "s1")
  }

  @Test func `SCH-04 an export has no comments of what was imported`() async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    let text = """
      DEFINE SCHEMA -- first
        // second
        RECORD TYPE Hike (title STRING /* third */);
      """
    try await schemas.replace(by: text, in: TestContainer.development)
    let export = try await schemas.current(of: TestContainer.development).text()
    #expect(export.contains("title"))
    for comment in ["--", "//", "/*", "first", "second", "third"] {
      #expect(!export.contains(comment))
    }
  }

  @Test(arguments: Schema.Index.allCases)
  func `SCH-08 an encrypted field gets no index, by an import or by itself`(
    _ index: Schema.Index
  ) async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    func hike(_ options: String) -> String {
      "DEFINE SCHEMA RECORD TYPE Hike (diary ENCRYPTED STRING \(options));"
    }
    try await schemas.replace(by: hike(""), in: TestContainer.development)
    let imported = try await ruleFailure {
      try await schemas.replace(by: hike(index.rawValue), in: TestContainer.development)
    }
    #expect(imported.code == .badRequest && imported.reason.contains("encrypted"))
    let added = try await ruleFailure {
      try await schemas.setIndex(
        index, on: "diary", of: "Hike", to: true, in: TestContainer.development)
    }
    #expect(added.code == .badRequest && added.reason.contains("an encrypted field has no index"))
    let kept = try await schemas.current(of: TestContainer.development)
    #expect(kept.recordTypes["Hike"]?.fields["diary"]?.indexes == [])
  }

  /// Whether an index may be is said once: a command does what an import does.
  @Test(arguments: FieldType.scalars + FieldType.scalars.map { .list($0) })
  func `a command adds an index exactly where a text may have it`(type: FieldType) async throws {
    let fixture = try await EngineFixture()
    let schemas = fixture.engine.schemas
    func text(_ index: String) -> String {
      "DEFINE SCHEMA RECORD TYPE Hike (f \(Schema.text(of: type)) \(index));"
    }
    for index in Schema.Index.allCases {
      try await schemas.replace(by: text(""), in: TestContainer.development)
      let isTaken = (try? Schema(parsing: text(index.rawValue))) != nil
      do {
        try await schemas.setIndex(
          index, on: "f", of: "Hike", to: true, in: TestContainer.development)
        #expect(isTaken, "\(index.rawValue)")
      } catch let error as BrumeError {
        #expect(!isTaken && error.code == .badRequest, "\(index.rawValue)")
      }
    }
  }
}
