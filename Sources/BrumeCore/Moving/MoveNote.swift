// How far a move has come, as it is noted in the target.

import BrumeStorage

struct MoveNote: Equatable {
  /// The identity of the source.
  let source: String
  /// What is being copied; nil: all is, and is to be compared.
  private(set) var table: MovedTable?
  /// Rows of it that are in the target.
  private(set) var rows = 0
  /// Rows of all tables that are in the target.
  private(set) var copied = 0

  init(source: String) {
    self.source = source
    table = MovedTable.allCases.first
  }

  mutating func add(_ count: Int) {
    rows += count
    copied += count
  }

  mutating func finishTable() {
    let next = MovedTable.allCases.drop { $0 != table }.dropFirst().first
    table = next
    rows = 0
  }

  // MARK: As a text

  private static let version = "1"

  var text: String {
    [Self.version, table?.rawValue ?? "all", String(rows), String(copied), source]
      .joined(separator: " ")
  }

  init(text: String) throws {
    let parts = text.split(separator: " ", maxSplits: 4, omittingEmptySubsequences: false)
    guard parts.count == 5, parts[0] == Self.version, let rows = Int(parts[2]),
      let copied = Int(parts[3]), parts[1] == "all" || MovedTable(rawValue: String(parts[1])) != nil
    else {
      throw StoreError(
        .tooNew, "the target holds an unfinished migration or restore of another version; empty it")
    }
    source = String(parts[4])
    table = MovedTable(rawValue: String(parts[1]))
    self.rows = rows
    self.copied = copied
  }
}
