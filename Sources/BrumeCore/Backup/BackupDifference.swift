// What became of the rows of a store since an earlier backup: two lists in the order of their keys, side by side. And
// the way back: the earlier list with what became of it.

import BrumeStorage

/// The changes that make a later state of a table of an earlier one.
struct BackupDifference {
  private let older: any MovedRows
  private let newer: any MovedRows
  private var old: MovedRow?
  private var new: MovedRow?

  init(from older: any MovedRows, to newer: any MovedRows) throws {
    (self.older, self.newer) = (older, newer)
    (old, new) = (try older.next(), try newer.next())
  }

  /// - Returns: nil after the last.
  mutating func next() throws -> BackupChange? {
    while let change = try step() { if let change { return change } }
    return nil
  }

  /// One key further. The inner nil: nothing became of it; the outer: that was all.
  private mutating func step() throws -> BackupChange?? {
    guard let row = new, let before = old else {
      if let row = new { return try put(row) }
      if let before = old { return try removal(of: before) }
      return .none
    }
    if row.isBefore(before) { return try put(row) }
    if before.isBefore(row) { return try removal(of: before) }
    (old, new) = (try older.next(), try newer.next())
    return .some(row == before ? nil : .put(row))
  }

  private mutating func put(_ row: MovedRow) throws -> BackupChange {
    new = try newer.next()
    return .put(row)
  }

  private mutating func removal(of row: MovedRow) throws -> BackupChange {
    old = try older.next()
    return .gone(Array(row.key))
  }
}

/// The rows of a table in a backup: its own entries, on those of the backup that it continues.
final class BackupTableRows: MovedRows {
  private let older: (any MovedRows)?
  private let entries: BackupTableEntries
  private var row: MovedRow?
  private var entry: BackupChange?

  /// - Parameter older: of the earlier backup; nil: the backup is whole.
  init(_ entries: BackupTableEntries, on older: (any MovedRows)?) throws {
    (self.older, self.entries) = (older, entries)
    (row, entry) = (try older?.next(), try entries.next())
  }

  func next() throws -> MovedRow? {
    while let entry {
      if let row, MovedRow.isBefore(row.key, entry.key) { break }
      if let row, !MovedRow.isBefore(entry.key, row.key) { self.row = try older?.next() }
      self.entry = try entries.next()
      if case .put(let new) = entry { return new }
    }
    guard let row else { return nil }
    self.row = try older?.next()
    return row
  }
}
