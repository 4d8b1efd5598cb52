// A store whose file is not what was written: nothing wrong is answered as if it were right, and all of it is
// found when everything is read.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct DamagedRowsTests {
  let folder: TemporaryFolder
  var file: String { folder.path + "/data/brume.sqlite" }

  init() throws { folder = try TemporaryFolder() }

  // MARK: Values

  /// Columns that are damaged together, one of each table, by the table's name.
  typealias Columns = [(table: String, column: String)]

  /// All columns of tables that had checksums first, but for those by which rows are looked for: a row under another
  /// key is not where anybody looks. The other tables: `EveryTableTests`.
  static let rounds: [Columns] = {
    let tables: [(SummedTable, Int)] = [
      (.records, 2), (.log, 1), (.zones, 3), (.settings, 1), (.subscriptions, 5), (.mailbox, 2),
      (.kept, 2),
    ]
    let columns = tables.map { table, keys in
      (table.name, table.columns.dropFirst(keys) + (table.name == "log" ? ["image"] : []))
    }
    return (0..<15).map { round in
      columns.compactMap { name, columns in
        columns.dropFirst(round).first.map { (table: name, column: $0) }
      }
    }
  }()

  @Test func `a value that was changed in the file is an error, whichever it is`() async throws {
    let truth = try await fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    for round in Self.rounds {
      try whole.write(to: URL(fileURLWithPath: file))
      try damage(round)
      let findings = try inspection().findings
      for (table, _) in round {
        #expect(findings.contains { $0.hasPrefix("\(table): ") }, "\(round)")
      }
      let store = try folder.openSQLite()
      let claims = await Claims(of: store)
      let wrong = claims.sentences.subtracting(truth.sentences).filter { !Self.saysLess($0) }
      #expect(wrong == [], "\(round)")
      #expect((store.damagedRows?.count ?? 0) > round.count, "\(round)")
      try await store.close()
    }
  }

  @Test func `without checksums the same damage is answered as if it were right`() async throws {
    let truth = try await fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    var roundsWithLies = 0
    for round in Self.rounds {
      try whole.write(to: URL(fileURLWithPath: file))
      try damage(round)
      guard let store = try? folder.openSQLite(verifiesRows: false) else { continue }
      let wrong = await Claims(of: store).sentences.subtracting(truth.sentences)
      if wrong.contains(where: { !Self.saysLess($0) }) { roundsWithLies += 1 }
      try await store.close()
    }
    #expect(roundsWithLies > 5)
  }

  // MARK: Bytes

  @Test func `a flipped bit anywhere in the file is never answered as if it were right`()
    async throws
  {
    let truth = try await fill()
    let whole = try Data(contentsOf: URL(fileURLWithPath: file))
    let used = whole.indices.filter { whole[$0] != 0 }
    var (noticed, unfound) = (0, [Int]())
    let step = max(1, used.count / 80)
    for (number, place) in stride(from: 0, to: used.count, by: step).enumerated() {
      var damaged = whole
      damaged[used[place]] ^= 1 << UInt8(number % 8)
      try damaged.write(to: URL(fileURLWithPath: file))
      guard let store = try? folder.openSQLite() else {
        noticed += 1
        continue
      }
      let claims = await Claims(of: store)
      let wrong = claims.sentences.subtracting(truth.sentences)
      #expect(wrong.filter { !Self.saysLess($0) } == [], "byte \(used[place]), bit \(number % 8)")
      if store.damagedRows?.reads ?? 0 > 0 { noticed += 1 }
      try await store.close()
      // Who asks by a damaged index misses something, which only a look at everything shows.
      if !wrong.isEmpty, (try? inspection().findingCount) == 0 { unfound.append(used[place]) }
    }
    #expect(unfound == [])
    #expect(noticed > 20)
  }

  // MARK: Whole ones

  @Test func `in a whole store nothing is found, and rows of before are counted`() async throws {
    _ = try await fill()
    #expect(try inspection().findings == [])
    try folder.onFile { try $0.execute(sql: "UPDATE records SET checksum = NULL") }
    let result = try inspection()
    #expect(result.findings == [])
    let records = try #require(result.tables.first { $0.name == "records" })
    #expect(records.rows == 48 && records.unsummed == records.rows)
  }

  @Test func `a row of before checksums gets one when it is written again`() async throws {
    _ = try await fill()
    try folder.onFile { try $0.execute(sql: "UPDATE records SET checksum = NULL") }
    let store = try folder.openSQLite()
    try await store.write(in: .database(.sample())) { _ = try $0.putNext("a") }
    try await store.close()
    let records = try #require(try inspection().tables.first { $0.name == "records" })
    #expect(records.unsummed == records.rows - 1)
  }

  // MARK: Others beside it

  @Test func `the records beside a damaged one are answered, and it can be neither read nor saved`()
    async throws
  {
    _ = try await fill()
    try folder.onFile {
      try $0.execute(
        sql: "UPDATE records SET content = replace(content, 'Trail', 'Trial') WHERE name = 'a'")
    }
    let store = try folder.openSQLite()
    let page = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 100)
    }
    let readable = page.filter {
      if case .changed(let stored) = $0 { !stored.isUnreadable } else { true }
    }
    #expect(readable.count == page.count - 1)
    let query = EngineQuery(
      database: .sample(), zone: "Trails", query: Query(recordType: "Trail"), after: nil,
      limit: 100,
      candidateLimit: 100)
    let found = try await store.read { try $0.queries.matching(query).records }
    #expect(found.filter(\.isUnreadable).map(\.name) == ["a"])
    let zone = ZoneKey(database: .sample(), name: "Trails").id
    #expect(found.filter(\.isUnreadable).map(\.zone) == [zone])
    #expect(found.count > 3)
    let error = await #expect(throws: BrumeError.self) {
      try await store.write(in: .database(.sample())) { _ = try $0.putNext("a") }
    }
    #expect(error?.code == .internalError && error?.reason.contains("'a' is damaged") == true)
    // Who writes finds it as who reads does.
    let written = try await store.write(in: .database(.sample())) {
      try $0.records.find(RecordKey(zone: .sample(), name: "a"))
    }
    #expect(written?.isUnreadable == true)
    // Whoever failed has not kept others from writing.
    try await store.write(in: .database(.sample())) { _ = try $0.putNext("b") }
    try await store.close()
  }

  @Test func `an index that lies about a record is found when everything is read`() async throws {
    _ = try await fill()
    let store = try folder.openSQLite()
    let query = Query(recordType: "Trail", filters: [Filter(.lessThan, .field("n"), .int64(4))])
    let found = try await store.read {
      try $0.queries.matching(
        EngineQuery(
          database: .sample(), zone: "Trails", query: query, after: nil, limit: 9,
          candidateLimit: 99)
      ).records.map(\.name)
    }
    #expect(found == ["n1", "n2", "n3"])
    try await store.close()
    #expect(try inspection().findings == [])
    try folder.onFile {
      try $0.execute(sql: "UPDATE query_index SET value = 8 WHERE name = 'n2' AND value = 2")
    }
    #expect(try inspection().findings.contains { $0.contains("'n2'") && $0.contains("'n'") })
  }

  // MARK: Support

  /// A sentence that something is not there, or has no image, is no wrong value.
  static func saysLess(_ sentence: String) -> Bool {
    sentence.hasSuffix("none") || sentence.hasSuffix("unreadable")
  }

  func fill() async throws -> Claims {
    let store = try folder.openSQLite()
    try await DamageFixture.fill(store)
    let claims = await Claims(of: store)
    #expect(claims.refusals == 0 && claims.sentences.count > 60)
    try await store.close()
    return claims
  }

  func inspection() throws -> StoreInspection {
    try SQLiteInspection(folder: folder.path + "/data", coders: .wireForm).run()
  }

  private func damage(_ columns: Columns) throws {
    try folder.onFile { database in
      for (table, column) in columns {
        let name = "\"\(column)\""
        try database.execute(
          sql: """
            UPDATE \(table) SET \(name) = CASE typeof(\(name)) WHEN 'integer' THEN \(name) + 1
              WHEN 'text' THEN \(name) || 'x'
              WHEN 'blob' THEN CAST(substr(\(name), 1, length(\(name)) - 1) || x'07' AS BLOB)
              ELSE 'x' END
            \(table == "settings" ? "WHERE name GLOB 'port/*'" : "")
            """)
      }
    }
  }
}
