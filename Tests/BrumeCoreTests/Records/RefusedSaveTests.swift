// What a save may not contain: cases SAV-23, SAV-24, SAV-28 to SAV-33 and encrypted fields.

import BrumeCore
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeTestKit
import Testing

struct RefusedSaveTests {
  @Test(arguments: ["_hidden", "", "naïve", String(repeating: "x", count: 256), "tab\there"])
  func `SAV-28 a record name that breaks the rules is refused`(_ name: String) async throws {
    let fixture = try await EngineFixture()
    #expect(try await fixture.failure(of: .create(name)).code == .badRequest)
  }

  @Test(arguments: ["recordName", "creationDate", "recordChangeTag"])
  func `SAV-29 reserved field names are refused`(_ field: String) async throws {
    let fixture = try await EngineFixture()
    let error = try await fixture.failure(of: .create("h1", [field: .int64(1)]))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'\(field)'"))
  }

  @Test(arguments: ["_x", "a.b", "1a", "ä"])
  func `a field name that breaks the rules is refused`(_ field: String) async throws {
    let fixture = try await EngineFixture()
    #expect(try await fixture.failure(of: .create("h1", [field: .int64(1)])).code == .badRequest)
  }

  @Test func `a NUL in a string is refused, also inside a list`() async throws {
    let fixture = try await EngineFixture()
    let values: [FieldValue] = [
      .string("a\u{0}b"), .list([.string("ok"), .string("\u{0}")], of: .string),
    ]
    // Texts are looked at by eight bytes at once.
    let places = (0..<18).map { place -> FieldValue in
      let before = String(repeating: "\u{1}", count: place)
      return .string(before + "\u{0}" + String(repeating: "\u{80}", count: 18 - place))
    }
    for value in values + places {
      let error = try await fixture.failure(of: .create("h1", ["title": value]))
      #expect(error.code == .badRequest)
      #expect(error.reason.contains("'title'"))
    }
    let taken = FieldValue.string(String(repeating: "\u{1}\u{80}\u{ff}\u{100}", count: 5))
    #expect(try await fixture.modify([.create("h1", ["title": taken])]).allSucceeded)
  }

  @Test func `what is refused as a whole teaches the schema nothing`() async throws {
    let fixture = try await EngineFixture()
    let missing = FieldValue.reference(Reference(recordName: "ghost", action: .validate))
    _ = try await fixture.failure(of: .create("a", ["to": missing], type: "Refused"))
    let results = try await fixture.modify(
      [.create("b", type: "Spoilt"), .create("_no", type: "Spoilt")], atomic: true)
    #expect(results.allSatisfy { !$0.isSuccess })
    let schema = try await fixture.engine.schemas.current(of: TestContainer.development)
    #expect(schema.recordTypes["Refused"] == nil && schema.recordTypes["Spoilt"] == nil)
  }

  @Test func `what is refused among others teaches the schema nothing either`() async throws {
    let fixture = try await EngineFixture()
    let missing = FieldValue.reference(Reference(recordName: "ghost", action: .validate))
    let results = try await fixture.modify(
      [
        .create("a", ["to": missing], type: "Refused"),
        .create("b", ["to": missing, "km": .double(1.5)]), .create("c", ["title": .string("x")]),
      ], atomic: false)
    #expect(results.map(\.isSuccess) == [false, false, true])
    let schema = try await fixture.engine.schemas.current(of: TestContainer.development)
    #expect(schema.recordTypes["Refused"] == nil)
    let fields = try #require(schema.recordTypes["Hike"]).fields
    #expect(fields["title"] != nil && fields["to"] == nil && fields["km"] == nil)
  }

  @Test func `a value keeps in the schema the type that it got from a record which was refused`()
    async throws
  {
    let fixture = try await EngineFixture()
    let missing = FieldValue.reference(Reference(recordName: "ghost", action: .validate))
    var plain = RecordDraft(name: "b", type: "Hike")
    plain.fields = ["km": DraftField(.int64(2), isTagged: false)]
    let results = try await fixture.modify(
      [.create("a", ["to": missing, "km": .double(1.5)]), RecordOperation(.create, plain)],
      atomic: false)
    #expect(results.map(\.isSuccess) == [false, true])
    let schema = try await fixture.engine.schemas.current(of: TestContainer.development)
    #expect(schema.recordTypes["Hike"]?.fields["km"]?.type == .double)
    #expect(try await fixture.fetch("b").fields["km"] == .double(2))
  }

  @Test func `SAV-30 development learns new types and fields with every index`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["title": .string("Ridge")]))
    let schema = try await fixture.engine.schemas.current(of: TestContainer.development)
    let type = try #require(schema.recordTypes["Hike"])
    #expect(type.fields["title"]?.type == .string)
    #expect(type.fields["title"]?.indexes == [.queryable, .sortable, .searchable])
    #expect(type.fields["___recordID"]?.indexes.contains(.queryable) == true)
  }

  @Test func `a development schema takes up so many types from saves, and no more`() async throws {
    var limits = Limits.apple
    // The type of users is there.
    limits.learnedRecordTypes = 3
    let fixture = try await EngineFixture(limits: limits)
    func save(_ type: String) async throws {
      let results = try await fixture.modify([
        RecordOperation(.create, RecordDraft(name: "a \(type)", type: type))
      ])
      _ = try #require(results.first).get()
    }
    try await save("Hike")
    try await save("Hut")
    let error = await #expect(throws: ItemFailure<RecordID>.self) {
      try await save("Boat")
    }
    #expect(error?.error.code == .badRequest)
    #expect(error?.error.reason.contains("'Boat'") == true)
    #expect(error?.error.reason.contains("3 record types") == true)
    try await fixture.save(.create("h1", ["title": .string("Ridge")]))
  }

  @Test func `a type takes up so many fields from saves, and no more`() async throws {
    var limits = Limits.apple
    limits.learnedFieldsPerType = Schema.RecordType.justInTime().fields.count + 2
    let fixture = try await EngineFixture(limits: limits)
    try await fixture.save(.create("h1", ["title": .string("Ridge"), "km": .int64(1)]))
    let error = try await fixture.failure(of: .create("h2", ["late": .int64(1)]))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'late'") && error.reason.contains("'Hike'"))
    try await fixture.save(.create("h2", ["km": .int64(2)]))
  }

  @Test func `a save that is refused brings no type to the schema`() async throws {
    let fixture = try await EngineFixture()
    var refused = RecordOperation.create("h1", ["title": .string("Ridge")])
    refused.record.fields["title"]?.isEncrypted = true
    let error = try await fixture.failure(of: refused, in: .public)
    #expect(error.reason.contains("encrypted"))
    let schema = try await fixture.engine.schemas.current(of: fixture.phone.containerEnvironment)
    #expect(schema.recordTypes["Hike"] == nil)
  }

  @Test(arguments: [(0, true), (-1, false)])
  func `saves bring a schema to so many bytes, and no more`(more: Int, isTaken: Bool) async throws {
    var limits = Limits.apple
    let names = ["Hike", "title", "km"]
    limits.learnedSchemaBytes = names.reduce(more) { $0 + $1.utf8.count + 64 }
    let fixture = try await EngineFixture(limits: limits)
    let results = try await fixture.modify([
      .create("h1", ["title": .string("Ridge"), "km": .int64(1)])
    ])
    #expect(results.allSucceeded == isTaken)
    if let error = results.first?.error { #expect(error.reason.contains("'Hike'")) }
  }

  @Test func `SAV-31 production refuses a new type`() async throws {
    let fixture = try await EngineFixture(environment: .production)
    let error = try await fixture.failure(of: .create("h1"))
    #expect(error.code == .badRequest)
    #expect(error.reason.hasPrefix("Cannot create new type 'Hike' in production schema"))
  }

  @Test func `SAV-32 production refuses a new field of a known type`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["title": .string("Ridge")]))
    try await fixture.engine.schemas.deploy(TestContainer.id)
    let phone = try await fixture.server.device("phone", of: "alice", environment: .production)
    try await fixture.makeZone(EngineFixture.trails, as: phone)
    try await fixture.save(.create("h1", ["title": .string("Ridge")]), as: phone)
    let error = try await fixture.failure(of: .create("h2", ["km": .int64(1)]), as: phone)
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("'km'"))
    #expect(error.reason.contains("'Hike'"))
    #expect(error.reason.contains("production"))
  }

  @Test func `SAV-33 a value of another type than the schema's is refused by name`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["km": .double(1.5)]))
    let error = try await fixture.failure(of: .create("h2", ["km": .string("far")]))
    #expect(error.code == .badRequest)
    #expect(error.reason.contains("expected type DOUBLE"))
    #expect(error.reason.contains("'km'"))
  }

  @Test func `SAV-33 a whole number beyond 64 bits is named so`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["n": .int64(1), "walked": .timestamp(1)]))
    for field in ["n", "walked"] {
      var draft = RecordDraft(name: "h2", type: "Hike")
      draft.fields[field] = DraftField(.double(9_223_372_036_854_775_808), isTagged: false)
      let error = try await fixture.failure(of: RecordOperation(.create, draft))
      #expect(error.reason.contains("'\(field)' of record type 'Hike' got a number beyond 64 bits"))
    }
  }

  @Test func `values without a tag take the schema's type where they can`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(
      .create(
        "h1",
        ["km": .double(1.5), "walked": .timestamp(1), "blob": .bytes([1]), "n": .int64(1)]))
    var draft = RecordDraft(name: "h2", type: "Hike")
    draft.fields = [
      "km": DraftField(.int64(2), isTagged: false),
      "walked": DraftField(.int64(1500), isTagged: false),
      "blob": DraftField(.string("AQI="), isTagged: false),
      "n": DraftField(.double(3), isTagged: false),
    ]
    let record = try await fixture.save(RecordOperation(.create, draft))
    #expect(
      record.fields == [
        "km": .double(2), "walked": .timestamp(1500), "blob": .bytes([1, 2]), "n": .int64(3),
      ])
    draft.name = "h3"
    draft.fields = ["walked": DraftField(.string("x"), isTagged: false)]
    let error = try await fixture.failure(of: RecordOperation(.create, draft))
    #expect(error.reason.contains("expected type TIMESTAMP"))
  }

  @Test func `an empty list takes the schema's element type`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["tags": .list([.string("a")], of: .string)]))
    let record = try await fixture.save(.create("h2", ["tags": .list([], of: nil)]))
    #expect(record.fields["tags"]?.type == .list(.string))
  }

  @Test func `SAV-23 only the creator writes a public record`() async throws {
    let fixture = try await EngineFixture()
    let record = try await fixture.save(.create("p1"), in: .public)
    let update = try await fixture.failure(
      of: .update(record, ["km": .int64(1)]), in: .public, as: fixture.bob)
    #expect(update.code == .accessDenied)
    #expect(update.reason.hasPrefix("WRITE operation not permitted"))
    let delete = try await fixture.failure(of: .delete("p1"), in: .public, as: fixture.bob)
    #expect(delete.code == .accessDenied)
    #expect(try await fixture.exists("p1", in: .public, as: fixture.bob))
    try await fixture.save(.update(record, ["km": .int64(2)]), in: .public, as: fixture.tablet)
  }

  @Test func `SAV-24 writing to the public database needs a signed-in user`() async throws {
    let fixture = try await EngineFixture()
    let anonymous = fixture.server.anonymous()
    let error = try await ruleFailure {
      try await fixture.modify([.create("p1")], in: .public, as: anonymous)
    }
    #expect(error.code == .authenticationRequired)
  }

  @Test func `everybody reads public records, also without an account`() async throws {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("p1", ["km": .int64(1)]), in: .public)
    let anonymous = fixture.server.anonymous()
    let record = try await fixture.fetch("p1", in: .public, as: anonymous)
    #expect(record.fields["km"] == .int64(1))
  }

  @Test func `encrypted fields work in the private database and nowhere public`() async throws {
    let fixture = try await EngineFixture()
    var draft = RecordDraft(name: "h1", type: "Diary")
    draft.fields = ["text": DraftField(.string("secret"), isEncrypted: true)]
    let record = try await fixture.save(RecordOperation(.create, draft))
    #expect(record.fields["text"] == .string("secret"))
    #expect(record.encryptedFields == ["text"])
    let refused = try await fixture.failure(of: RecordOperation(.create, draft), in: .public)
    #expect(refused.code == .badRequest)
    #expect(refused.reason.contains("'text'"))
  }

  @Test func `SCH-07 a plain field does not become encrypted, nor the other way round`()
    async throws
  {
    let fixture = try await EngineFixture()
    try await fixture.save(.create("h1", ["title": .string("Ridge")]))
    var draft = RecordDraft(name: "h2", type: "Hike")
    draft.fields = ["title": DraftField(.string("x"), isEncrypted: true)]
    let error = try await fixture.failure(of: RecordOperation(.create, draft))
    #expect(error.reason.hasPrefix("attempt to save encrypted data in a non encrypted field type"))
    #expect(error.code == .badRequest)
    draft.fields = ["diary": DraftField(.string("secret"), isEncrypted: true)]
    try await fixture.save(RecordOperation(.create, draft))
    let plain = try await fixture.failure(of: .create("h3", ["diary": .string("open")]))
    #expect(plain.code == .badRequest)
    #expect(plain.reason.hasPrefix("field 'diary' of 'Hike' is defined as ENCRYPTED"))
  }

  @Test func `REF-09 a reference cannot be encrypted`() async throws {
    let fixture = try await EngineFixture()
    var draft = RecordDraft(name: "h1", type: "Hike")
    draft.fields = [
      "area": DraftField(.reference(Reference(recordName: "a")), isEncrypted: true)
    ]
    #expect(try await fixture.failure(of: RecordOperation(.create, draft)).code == .badRequest)
  }
}
