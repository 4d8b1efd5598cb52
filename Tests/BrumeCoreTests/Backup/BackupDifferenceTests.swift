// What became of rows since an earlier backup, and the way back.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore

@Suite struct BackupDifferenceTests {
  @Test func `the earlier rows with what became of them are the later rows`() throws {
    var random = SeededRandom(seed: 11)
    for _ in 0..<200 {
      let older = try Self.rows(upTo: 30, &random)
      let newer = try Self.rows(upTo: 30, &random)
      let changes = try Self.changes(from: older, to: newer)
      #expect(try Self.applied(changes, to: older) == newer)
    }
  }

  @Test func `only what came, changed or went is a change`() throws {
    let older = try [Self.row("a", 1), Self.row("b", 1), Self.row("c", 1)]
    let newer = try [Self.row("a", 1), Self.row("b", 2), Self.row("d", 1)]
    let expected: [BackupChange] = [.put(newer[1]), .gone([.text("c")]), .put(newer[2])]
    #expect(try Self.changes(from: older, to: newer) == expected)
    #expect(try Self.changes(from: newer, to: newer) == [])
  }

  @Test func `a page of changes is read as it was written, and any other bytes are no page`() throws
  {
    let page = try BackupPage(
      .settings, [.put(Self.row("a", 1)), .gone([.text("b")]), .put(Self.row("c", 2))])
    let bytes = page.bytes(as: .changes)
    #expect(try BackupPage(BackupFrame(.changes, at: 8, bytes)) == page)
    #expect(try BackupPage(BackupFrame(.changes, at: 8, Array(bytes.dropLast()))) == nil)
    #expect(try BackupPage(BackupFrame(.changes, at: 8, bytes + [0])) == nil)
    #expect(try BackupPage(BackupFrame(.asset, at: 8, bytes)) == nil)
    // A key that no row of the table can have.
    let wrong = BackupPage(.settings, [.gone([.integer(4)])])
    #expect(try BackupPage(BackupFrame(.changes, at: 8, wrong.bytes(as: .changes))) == nil)
  }

  // MARK: Rows

  private static func row(_ name: String, _ value: UInt8) throws -> MovedRow {
    try MovedRow(.settings, [.text(name), .bytes([value])])
  }

  private static func rows(upTo most: Int, _ random: inout SeededRandom) throws -> [MovedRow] {
    var rows: [MovedRow] = []
    for number in 0..<most where Bool.random(using: &random) {
      rows.append(try row("n\(100 + number)", UInt8.random(in: 0..<3, using: &random)))
    }
    return rows
  }

  private static func changes(from older: [MovedRow], to newer: [MovedRow]) throws -> [BackupChange]
  {
    var difference = try BackupDifference(from: ListedRows(older), to: ListedRows(newer))
    var changes: [BackupChange] = []
    while let change = try difference.next() { changes.append(change) }
    return changes
  }

  /// By a file's own way: through frames.
  private static func applied(_ changes: [BackupChange], to older: [MovedRow]) throws -> [MovedRow]
  {
    let page = BackupPage(.settings, changes).bytes(as: .changes)
    let bytes = BackupFrame(.changes, at: 0, page).bytes
    let entries = BackupTableEntries(.settings, from: changes.isEmpty ? nil : 0) { offset, count in
      Array(bytes.dropFirst(Int(offset)).prefix(count))
    }
    let rows = try BackupTableRows(entries, on: ListedRows(older))
    var all: [MovedRow] = []
    while let row = try rows.next() { all.append(row) }
    return all
  }
}

private final class ListedRows: MovedRows {
  private var rows: [MovedRow]

  init(_ rows: [MovedRow]) { self.rows = rows.reversed() }

  func next() throws -> MovedRow? { rows.popLast() }
}
