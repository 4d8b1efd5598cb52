// Which change of a schema is allowed where.

import BrumeModel
import BrumeSchema
import Testing

struct EvolutionTests {
  static func schema(_ members: String, _ rest: String = "") throws -> Schema {
    try Schema(parsing: "DEFINE SCHEMA RECORD TYPE Hike (\(members)); \(rest)")
  }

  private func refusal(
    _ old: Schema, _ new: Schema, in environment: Environment = .development,
    deployed: Schema = Schema(), by occasion: Schema.Occasion = .importing
  ) -> String {
    do throws(BrumeError) {
      try old.checkChange(to: new, in: environment, deployed: deployed, by: occasion)
      return ""
    } catch {
      return error.reason
    }
  }

  @Test func `the difference names every step`() throws {
    let old = try Self.schema("a STRING QUERYABLE, b INT64, c STRING, d STRING", "CREATE ROLE x;")
    let new = try Self.schema(
      "a STRING SORTABLE, b DOUBLE, c ENCRYPTED STRING, e ASSET, GRANT READ TO _world",
      "RECORD TYPE Trail (f INT64); CREATE ROLE y;")
    #expect(
      old.changes(to: new) == [
        .addRole("y"), .removeRole("x"),
        .removeIndex(type: "Hike", field: "a", .queryable),
        .addIndex(type: "Hike", field: "a", .sortable),
        .changeType(type: "Hike", field: "b", from: .int64, to: .double),
        .changeEncryption(type: "Hike", field: "c", isEncrypted: true),
        .removeField(type: "Hike", field: "d"),
        .addField(type: "Hike", field: "e", Schema.Field(.asset)),
        .changeGrants(type: "Hike"),
        .addType("Trail"), .addField(type: "Trail", field: "f", Schema.Field(.int64)),
      ])
    #expect(old.changes(to: old).isEmpty)
    #expect(new.changes(to: old).contains(.removeType("Trail")))
  }

  @Test(arguments: [Environment.development, .production])
  func `types, fields, indexes, roles and grants may be added, indexes removed`(
    environment: Environment
  ) throws {
    let old = try Self.schema("a STRING QUERYABLE")
    let new = try Self.schema(
      "a STRING SORTABLE, b ENCRYPTED INT64, GRANT READ TO x",
      "CREATE ROLE x; RECORD TYPE Trail ();")
    #expect(refusal(old, new, in: environment, deployed: old) == "")
  }

  @Test func `SCH-01 in development, what was never deployed may go and what was may not`() throws {
    let old = try Self.schema("a STRING, b STRING", "RECORD TYPE Trail ();")
    let new = try Self.schema("a STRING")
    #expect(refusal(old, new) == "")
    let reason = refusal(old, new, deployed: old)
    #expect(reason.contains("field 'b' of 'Hike' is in production and cannot go"))
    #expect(reason.contains("record type 'Trail' is in production"))
    #expect(reason.contains("nothing was changed"))
  }

  @Test(arguments: [Environment.development, .production])
  func `a schema may lack the type of shares, which stays the server's`(
    environment: Environment
  ) throws {
    let old = try Self.schema("", "RECORD TYPE \"cloudkit.share\" (\"cloudkit.title\" STRING);")
    let new = try Self.schema("")
    #expect(old.changes(to: new).isEmpty)
    #expect(refusal(old, new, in: environment, deployed: old) == "")
  }

  @Test func `SCH-02 in production nothing goes`() throws {
    let old = try Self.schema("a STRING, b STRING")
    #expect(refusal(old, try Self.schema("a STRING"), in: .production).contains("field 'b'"))
    #expect(refusal(old, Schema(), in: .production).contains("record type 'Hike'"))
  }

  @Test func `SCH-03 leaving out an option of a system field drops its index`() throws {
    let old = try Self.schema("\"___recordID\" REFERENCE QUERYABLE")
    let new = try Self.schema("")
    let change = Schema.Change.removeIndex(type: "Hike", field: "___recordID", .queryable)
    #expect(old.changes(to: new) == [change])
    #expect(refusal(old, new, in: .production) == "")
  }

  @Test(arguments: [Environment.development, .production])
  func `SCH-07 a field keeps its type and its encryption`(environment: Environment) throws {
    let old = try Self.schema("a STRING, b ENCRYPTED STRING, c INT64")
    let typed = try Self.schema("a STRING, b ENCRYPTED STRING, c LIST<INT64>")
    let hidden = try Self.schema("a ENCRYPTED STRING, b ENCRYPTED STRING, c INT64")
    let opened = try Self.schema("a STRING, b STRING, c INT64")
    #expect(refusal(old, typed, in: environment).contains("is INT64 and cannot become LIST<INT64>"))
    #expect(refusal(old, hidden, in: environment).contains("cannot become encrypted"))
    #expect(refusal(old, opened, in: environment).contains("cannot become unencrypted"))
  }

  @Test func `SCH-06 a reset takes production's types and encryption, a deployment does not`()
    throws
  {
    let development = try Self.schema("a STRING, b ENCRYPTED STRING")
    let production = try Self.schema("a INT64, b STRING")
    #expect(refusal(development, production, deployed: production, by: .resetting) == "")
    let reason = refusal(production, development, in: .production, by: .deploying)
    #expect(reason.contains("field 'a' of 'Hike' is INT64 and cannot become STRING"))
    #expect(reason.contains("field 'b' of 'Hike' exists and cannot become encrypted"))
    #expect(reason.contains("`brume schema reset`"))
    #expect(!refusal(development, production).contains("reset"))
  }

  @Test func `many faults are counted, not all printed`() throws {
    let names = (0..<20).map { "f\($0) STRING" }.joined(separator: ", ")
    let old = try Self.schema(names)
    let reason = refusal(old, try Self.schema(""), in: .production)
    #expect(reason.contains("and 15 more"))
  }

  @Test func `a field made by a save has every index that its type allows`() {
    for type in FieldType.scalars + FieldType.scalars.map({ .list($0) }) {
      let field = Schema.Field.justInTime(type)
      #expect(field.indexes == Schema.Index.allowed(for: type))
      #expect(field.indexes.allSatisfy { field.obstacle(to: $0) == nil })
      #expect(Schema.Field.justInTime(type, isEncrypted: true).indexes.isEmpty)
    }
    #expect(Schema.Index.allowed(for: .string) == [.queryable, .searchable, .sortable])
    #expect(Schema.Index.allowed(for: .list(.string)) == [.queryable, .searchable])
    #expect(Schema.Index.allowed(for: .bytes).isEmpty)
    let made = Schema.RecordType.justInTime(["a": .justInTime(.int64)])
    #expect(made.field(.system(.recordName))?.indexes == [.queryable, .sortable])
    #expect(made.field(.field("a"))?.type == .int64)
    #expect(made.field(.system(.parent))?.type == .reference)
    #expect(made.field(.field("b")) == nil)
  }
}
