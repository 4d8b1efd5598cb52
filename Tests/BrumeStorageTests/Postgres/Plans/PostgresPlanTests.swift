// How PostgreSQL carries out what requests ask most, whatever it believes to know about the tables: only by
// looking up in indexes.

import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite(.serialized) struct PostgresPlanTests {
  enum Statistics: CaseIterable, Sendable {
    /// Nobody has ever looked at the tables.
    case none
    /// Somebody has, when they were empty.
    case ofEmptyTables
    /// Plans were made when the tables were empty, and are used since.
    case ofEmptyTablesInPlans
  }
  static let server = Result {
    try PostgresServer([
      "shared_preload_libraries=auto_explain", "auto_explain.log_analyze=on",
      "auto_explain.log_timing=off", "auto_explain.log_format=json", "log_min_messages=log",
      "log_line_prefix=", "autovacuum=off",
    ])
  }

  @Test(arguments: Statistics.allCases)
  func `requests look up in indexes, with statistics:`(statistics: Statistics) async throws {
    let server = try Self.server.get()
    let url = try server.emptySchema()
    let schema = try #require(url.split(separator: "%3D").last)
    let filler = try PostgresStore.forTest(url: url, writers: 1, readers: 1)
    let explained = try PostgresStore.forTest(
      url: url + "%20-cauto_explain.log_min_duration%3D0", writers: 1, readers: 1)
    if statistics == .ofEmptyTables { try server.execute("SET search_path = \(schema); ANALYZE") }
    let tables = try await FullTables(filler)
    try await tables.begin()
    if statistics == .ofEmptyTablesInPlans { try await FullTables(explained).request() }
    try await tables.fill()
    try server.execute("SET search_path = \(schema); \(FullTables.moreRows)")
    // Plans are old for a while only.
    if statistics == .ofEmptyTablesInPlans {
      for _ in 0..<2 { try await FullTables(explained).request() }
    }
    let log = try await server.perform(.log)
    let before = try Self.size(of: log)
    try await FullTables(explained).request()
    let statements = try ExplainedStatement.all(in: Self.text(of: log, after: before))
    // With old plans some have been answered before.
    if statistics == .none { try Self.expectAll(statements) }
    let met = Set(statements.flatMap { $0.root.all.compactMap(\.relation) })
    #expect(try await Self.tables(explained).subtracting(met).subtracting(Self.seldom) == [])
    for statement in statements {
      #expect(statement.faults == [], "\(statement.text)")
    }
    try await explained.close()
    try await filler.close()
  }

  /// Each statement of the sources was asked, or is named with a reason.
  private static func expectAll(_ statements: [ExplainedStatement]) throws {
    let met = Set(statements.flatMap { SQL.places(of: $0.text) })
    let written = try WrittenStatement.all()
    let unmet = Set(written.filter { !met.contains($0.place) }.map(\.name))
    #expect(
      unmet.subtracting(WrittenStatement.unaskedNames) == [],
      "ask them in FullTables, or name them in UnaskedStatements.swift")
    #expect(
      WrittenStatement.unaskedNames.subtracting(written.map(\.name)) == [],
      "no statement is called that")
    #expect(written.count > 200)
  }

  /// What operators ask for, or a server once; `commits` only on Citus, and `shared_changes` nobody any more.
  private static let seldom: Set = [
    "commits", "audit", "nodes", "notifiers", "operator_credentials", "operators",
    "shared_changes",
  ]

  private static func tables(_ store: PostgresStore) async throws -> Set<String> {
    try await store.read { transaction in
      let transaction = try #require(transaction as? PostgresTransaction)
      return Set(try transaction.session.all(names, []) { $0.text(0) })
    }
  }
  private static let names = SQL(
    "SELECT tablename::text FROM pg_tables WHERE schemaname = current_schema()")

  static func size(of file: String) throws -> UInt64 {
    let handle = try #require(FileHandle(forReadingAtPath: file))
    return try handle.seekToEnd()
  }

  static func text(of file: String, after place: UInt64) throws -> String {
    let handle = try #require(FileHandle(forReadingAtPath: file))
    try handle.seek(toOffset: place)
    return String(decoding: try handle.readToEnd() ?? Data(), as: UTF8.self)
  }
}
