// The schema language: what it says, its errors, and that any text is survived.

import BrumeModel
import BrumeSchema
import BrumeTestKit
import Testing

struct ParseTests {
  static let sample = """
    DEFINE SCHEMA
        CREATE ROLE moderator;
        // Where people walk.
        RECORD TYPE Hike (
            "___createTime" TIMESTAMP SORTABLE,
            "___recordID"   REFERENCE QUERYABLE,
            area            REFERENCE QUERYABLE, -- the region
            diary           ENCRYPTED STRING,
            km              double queryable sortable,
            legs            NUMBER PREFERRED AS INT64,
            height          NUMBER,
            photo           ASSET,
            secrets         LIST<ENCRYPTED BYTES>,
            "sortable"      LOCATION QUERYABLE, /* a name
                                                   like a keyword */
            tags            LIST<STRING> QUERYABLE SEARCHABLE,
            GRANT WRITE TO "_creator",
            GRANT READ, CREATE TO moderator,
            GRANT WRITE TO moderator,
        );
        record type Empty ();
    """

  @Test func `a schema says types, indexes, encryption, roles and grants`() throws {
    let schema = try Schema(parsing: Self.sample)
    #expect(schema.roles == ["moderator"])
    #expect(Set(schema.recordTypes.keys) == ["Hike", "Empty", "Users"])
    let hike = try #require(schema.recordTypes["Hike"])
    let expected: [String: Schema.Field] = [
      "___createTime": .init(.timestamp, indexes: [.sortable]),
      "___recordID": .init(.reference, indexes: [.queryable]),
      "___createdBy": .init(.reference), "___etag": .init(.string),
      "___modTime": .init(.timestamp), "___modifiedBy": .init(.reference),
      "area": .init(.reference, indexes: [.queryable]),
      "diary": .init(.string, isEncrypted: true),
      "km": .init(.double, indexes: [.queryable, .sortable]),
      "legs": .init(.int64), "height": .init(.double), "photo": .init(.asset),
      "secrets": .init(.list(.bytes), isEncrypted: true),
      "sortable": .init(.location, indexes: [.queryable]),
      "tags": .init(.list(.string), indexes: [.queryable, .searchable]),
    ]
    #expect(hike.fields == expected)
    #expect(
      hike.grants == [
        Schema.Grant("_creator", [.write]), Schema.Grant("moderator", [.read, .create, .write]),
      ])
    #expect(schema.recordTypes["Empty"]?.grants == Schema.Grant.customary)
  }

  @Test(arguments: [
    ("", "line 1, column 1: encountered the end, was expecting DEFINE"),
    ("DEFINE THING", "line 1, column 8: encountered 'THING', was expecting SCHEMA"),
    ("DEFINE SCHEMA\n  DROP TYPE X;", "line 2, column 3: encountered 'DROP', was expecting CREATE"),
    ("DEFINE SCHEMA RECORD TYPE (", "column 27: encountered '(', was expecting a record type name"),
    ("DEFINE SCHEMA RECORD TYPE 9a ();", "must start with a letter"),
    ("DEFINE SCHEMA RECORD TYPE A (x);", "encountered ')', was expecting a type: BYTES"),
    ("DEFINE SCHEMA RECORD TYPE A (x TEXT);", "encountered 'TEXT', was expecting a type"),
    ("DEFINE SCHEMA RECORD TYPE A (x STRING y INT64);", "encountered 'y', was expecting ')'"),
    ("DEFINE SCHEMA RECORD TYPE A (x STRING)", "encountered the end, was expecting ';'"),
    ("DEFINE SCHEMA RECORD TYPE A (x LIST<LIST<STRING>>);", "encountered 'LIST'"),
    ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED ASSET);", "can be encrypted"),
    ("DEFINE SCHEMA RECORD TYPE A (x ENCRYPTED STRING QUERYABLE);", "an encrypted field"),
    ("DEFINE SCHEMA RECORD TYPE A (x BYTES QUERYABLE);", "BYTES fields have no index"),
    ("DEFINE SCHEMA RECORD TYPE A (x LIST<ASSET> QUERYABLE);", "have no index"),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64 SEARCHABLE);", "only text is searchable"),
    ("DEFINE SCHEMA RECORD TYPE A (x INT64, x STRING);", "field 'x' of 'A' again"),
    ("DEFINE SCHEMA RECORD TYPE A (); RECORD TYPE A ();", "record type 'A' again"),
    ("DEFINE SCHEMA CREATE ROLE a; CREATE ROLE a;", "role 'a' again"),
    ("DEFINE SCHEMA CREATE ROLE \"_world\";", "role '_world', was expecting another name"),
    ("DEFINE SCHEMA CREATE ROLE _creator;", "encountered role '_creator'"),
    ("DEFINE SCHEMA CREATE ROLE \"a\tb\";", "line 1, column 27: role name"),
    ("DEFINE SCHEMA CREATE ROLE \"é\";", "may hold printable ASCII only"),
    (
      "DEFINE SCHEMA CREATE ROLE \"\(String(repeating: "a", count: 256))\";",
      "has 256 characters; the maximum is 255"
    ),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT READ TO b);", "role 'b', was expecting a role that"),
    ("DEFINE SCHEMA RECORD TYPE A (GRANT DELETE TO _world);", "READ, CREATE or WRITE"),
    ("DEFINE SCHEMA RECORD TYPE A (\"___recordID\" STRING);", "expecting REFERENCE"),
    ("DEFINE SCHEMA RECORD TYPE A (___other STRING);", "must start with a letter"),
    ("DEFINE SCHEMA RECORD TYPE A (recordName STRING);", "reserved"),
    ("DEFINE SCHEMA RECORD TYPE A (sortable STRING);", "encountered 'sortable'"),
    ("DEFINE SCHEMA RECORD TYPE A (\"x\ny\" STRING);", "name without an end"),
    ("DEFINE SCHEMA /* no end", "column 15: encountered a comment without an end"),
    ("DEFINE SCHEMA RECORD TYPE A (é STRING);", "encountered 'é'"),
  ])
  func `SCH-05 an error names line, column, what was met and what was expected`(
    row: (String, String)
  ) {
    let error = #expect(throws: BrumeError.self) { try Schema(parsing: row.0) }
    #expect(error?.code == .badRequest)
    #expect(error?.reason.contains(row.1) == true, "\(error?.reason ?? "")")
    #expect(error?.reason.hasPrefix("line ") == true)
  }

  @Test func `a check of a text names each role that cannot be`() {
    let faults = Schema.faults(
      of: "DEFINE SCHEMA\nCREATE ROLE \"_world\";\nCREATE ROLE a;\nCREATE ROLE \"b\u{1}\";",
      limit: 9)
    #expect(faults.map(\.line) == [2, 4])
  }

  @Test func `a stored text with roles that are refused today is still read`() throws {
    let text = "DEFINE SCHEMA CREATE ROLE \"_world\"; CREATE ROLE \"a\tb\";"
    #expect(try Schema(stored: text).roles == ["_world", "a\tb"])
    #expect(throws: BrumeError.self) { try Schema(stored: "DEFINE SCHEMA CREATE") }
  }

  @Test func `a list may be sortable, as exports of the live service have it`() throws {
    let text = "DEFINE SCHEMA RECORD TYPE A (members LIST<STRING> QUERYABLE SEARCHABLE SORTABLE);"
    let field = try Schema(parsing: text).recordTypes["A"]?.fields["members"]
    #expect(field?.indexes == [.queryable, .searchable, .sortable])
  }

  @Test func `the printed form is stable and has the system fields first`() throws {
    let schema = try Schema(
      parsing: """
        DEFINE SCHEMA RECORD TYPE Hike (km DOUBLE SORTABLE QUERYABLE, "GRANT" STRING,
          note LIST<ENCRYPTED STRING>, "___recordID" REFERENCE QUERYABLE);
        RECORD TYPE Users (GRANT READ TO _world); CREATE ROLE judge;
        """)
    #expect(
      schema.text() == """
        DEFINE SCHEMA

            CREATE ROLE judge;

            RECORD TYPE Hike (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE QUERYABLE,
                "GRANT"         STRING,
                km              DOUBLE QUERYABLE SORTABLE,
                note            LIST<ENCRYPTED STRING>,
                GRANT WRITE TO "_creator",
                GRANT CREATE TO "_icloud",
                GRANT READ TO "_world"
            );

            RECORD TYPE Users (
                "___createTime" TIMESTAMP,
                "___createdBy"  REFERENCE,
                "___etag"       STRING,
                "___modTime"    TIMESTAMP,
                "___modifiedBy" REFERENCE,
                "___recordID"   REFERENCE,
                GRANT READ TO "_world"
            );

        """)
  }

  @Test(arguments: 1...20)
  func `printing and parsing give the schema again`(seed: Int) throws {
    var seeded = SeededRandom(seed: UInt64(seed))
    for _ in 0..<50 {
      let schema = Schema.random(&seeded)
      let text = schema.text()
      let again = try Schema(parsing: text)
      #expect(again == schema)
      #expect(again.text() == text)
    }
  }
}

struct SchemaTotalityTests {
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func `random words and bytes never crash the parser`(seed: UInt64) {
    let words = [
      "DEFINE", "SCHEMA", "CREATE", "ROLE", "RECORD", "TYPE", "a", "\"b\"", "(", ")", ",", ";", "<",
      ">", "LIST", "STRING", "ENCRYPTED", "NUMBER", "PREFERRED", "AS", "INT64", "QUERYABLE",
      "GRANT",
      "READ", "TO", "_world", "\"___recordID\"", "REFERENCE", "//", "/*", "*/", "\n", "\"",
    ]
    var seeded = SeededRandom(seed: seed)
    for _ in 0..<5000 {
      let some = (0..<seeded.next(below: 20)).map { _ in seeded.pick(words) }
      survives("DEFINE SCHEMA RECORD TYPE T (" + some.joined(separator: " "))
      survives(some.joined(separator: " "))
      let bytes = (0..<seeded.next(below: 60)).map { _ in UInt8(truncatingIfNeeded: seeded.next()) }
      survives("DEFINE SCHEMA " + String(decoding: bytes, as: UTF8.self))
    }
  }

  @Test func `a schema cut anywhere or with any byte changed never crashes the parser`() {
    var seeded = SeededRandom(seed: 5)
    let bytes = Array(ParseTests.sample.utf8)
    for index in bytes.indices {
      survives(String(decoding: bytes[..<index], as: UTF8.self))
      var changed = bytes
      changed[index] = UInt8(truncatingIfNeeded: seeded.next())
      survives(String(decoding: changed, as: UTF8.self))
    }
  }

  private func survives(_ text: String) {
    do throws(BrumeError) {
      let schema = try Schema(parsing: text)
      #expect(throws: Never.self) { try Schema(parsing: schema.text()) }
    } catch {
      #expect(error.reason.hasPrefix("line "))
      #expect(error.reason.utf8.count < 1000)
    }
  }
}
