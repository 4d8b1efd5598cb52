// A move of a store to another engine: it copies all rows in pages, each one transaction with a note of how far
// it is, reads both stores back and compares them, and ends by having the generation raised. One that was interrupted
// goes on where it was.

import BrumeModel
package import BrumeStorage

/// Leads one store's contents into another.
package struct StoreMove {
  /// Rows of one table that were copied or compared so far.
  package struct Progress: Equatable, Sendable {
    /// What is done to rows: copying into the target, or comparing both stores.
    package enum Step: Sendable { case copying, comparing }
    package let step: Step
    package let table: MovedTable
    package let rows: Int
    /// Whether the table is done.
    package let isLast: Bool
  }
  /// What a move that ended well did.
  package struct Outcome: Equatable, Sendable {
    /// The same for every store with these contents.
    package let hash: String
    /// Of all tables.
    package let rows: Int
    /// Rows of an earlier attempt that this one went on from.
    package let resumed: Int
  }

  /// Ours: of a page, whichever comes first.
  package static let page = (rows: 500, bytes: 4 << 20)

  private let source: any StoreExport
  private let target: any StoreImport
  private let pageRows: Int
  private let report: (Progress) throws -> Void

  /// - Parameter report: called after each page.
  package init(
    from source: any StoreExport, to target: any StoreImport, pageRows: Int = page.rows,
    report: @escaping (Progress) throws -> Void = { _ in }
  ) {
    self.source = source
    self.target = target
    self.pageRows = max(1, pageRows)
    self.report = report
  }

  /// - Throws: `StoreError`: the target is in use for something else, a row cannot be read, or the two stores
  ///   are not the same afterwards.
  package func run() throws -> Outcome {
    let (outline, conversion) = try prepared()
    let resumed = try copyAll(outline, conversion)
    let (hash, rows) = try compare(conversion)
    try target.finish(
      MoveEnding(
        sequenceFloor: outline.sequenceFloor, cursors: conversion.cursors,
        reason: "its records come from \(source.engineName)"))
    return Outcome(hash: hash, rows: rows, resumed: resumed)
  }

  /// Copies all rows and leaves the target as one that no server uses, until `run` compares and ends the move.
  ///
  /// - Throws: as `run`.
  package func copy() throws {
    let (outline, conversion) = try prepared()
    _ = try copyAll(outline, conversion)
  }

  private func prepared() throws -> (outline: StoreOutline, conversion: MoveConversion) {
    let outline = try source.outline()
    let conversion = try MoveConversion(
      outline, log: try source.logPlaces(), buckets: (source.bucketCount, target.bucketCount))
    return (outline, conversion)
  }

  /// Answers how many rows an earlier attempt had copied.
  private func copyAll(_ outline: StoreOutline, _ conversion: MoveConversion) throws -> Int {
    var note = try begin(outline)
    let resumed = note.copied
    while let table = note.table { try copy(table, &note, conversion) }
    return resumed
  }

  // MARK: Beginning

  private func begin(_ outline: StoreOutline) throws -> MoveNote {
    guard let text = try target.note() else {
      try requireEmpty()
      let note = MoveNote(source: outline.identity)
      try target.prepare(outline, note: note.text)
      return note
    }
    let note = try MoveNote(text: text)
    guard ByteText(note.source) == ByteText(outline.identity) else {
      throw StoreError(
        .inUse,
        "the target holds an unfinished migration or restore from another source, or from this one before "
          + "a server ran on it again; empty the target and begin anew")
    }
    try target.resume(outline)
    return note
  }

  private func requireEmpty() throws {
    for table in MovedTable.allCases where try target.rows(of: table).next() != nil {
      throw StoreError(
        .inUse,
        "the target is not empty (table \(table.rawValue)); it must be a store that no server has run on: a "
          + "new folder, or an empty database")
    }
  }

  // MARK: Copying

  private func copy(
    _ table: MovedTable, _ note: inout MoveNote, _ conversion: MoveConversion
  ) throws {
    let rows = OrderedRows(try source.rows(of: table))
    try rows.skip(note.rows)
    while true {
      let page = try self.page(rows).map { try conversion.converted($0) }
      let isLast = page.isEmpty
      if isLast { note.finishTable() } else { note.add(page.count) }
      if !isLast || note.table == nil { try target.put(page, note: note.text) }
      try report(Progress(step: .copying, table: table, rows: rows.count, isLast: isLast))
      if isLast { return }
    }
  }

  private func page(_ rows: OrderedRows) throws -> [MovedRow] {
    var page: [MovedRow] = []
    var bytes = 0
    while page.count < pageRows, bytes < Self.page.bytes, let row = try rows.next() {
      page.append(row)
      bytes += row.byteCount
    }
    return page
  }

  // MARK: Comparing

  private func compare(_ conversion: MoveConversion) throws -> (hash: String, rows: Int) {
    var hashes = (source: MoveHash(), target: MoveHash())
    var count = 0
    for table in MovedTable.allCases {
      hashes.source.begin(table)
      hashes.target.begin(table)
      let expected = OrderedRows(try source.rows(of: table))
      let found = OrderedRows(try target.rows(of: table))
      while let row = try expected.next() {
        let row = try conversion.converted(row)
        let copy = try found.next()
        guard let copy, copy == row else { throw Self.difference(row, copy) }
        hashes.source.add(row)
        hashes.target.add(copy)
        if expected.count % 10_000 == 0 { try reportCompared(table, expected.count, isLast: false) }
      }
      if let extra = try found.next() { throw Self.difference(nil, extra) }
      count += expected.count
      try reportCompared(table, expected.count, isLast: true)
    }
    guard hashes.source.text == hashes.target.text else {
      throw StoreError(.corrupt, "the hashes of the two stores differ")
    }
    return (hashes.target.text, count)
  }

  private func reportCompared(_ table: MovedTable, _ rows: Int, isLast: Bool) throws {
    try report(Progress(step: .comparing, table: table, rows: rows, isLast: isLast))
  }

  /// At least one of them is there.
  private static func difference(_ source: MovedRow?, _ target: MovedRow?) -> StoreError {
    let advice = "; empty the target and begin anew"
    guard let source else {
      return target?.unreadable("it is in the target alone" + advice) ?? .closed
    }
    guard let target, !source.isBefore(target) else {
      return source.unreadable("it is missing in the target" + advice)
    }
    if target.isBefore(source) { return target.unreadable("it is in the target alone" + advice) }
    let columns = source.table.columns.indices.filter { source.values[$0] != target.values[$0] }
    let names = columns.map { "'\(source.table.columns[$0].name)'" }.joined(separator: ", ")
    return source.unreadable("source and target differ in \(names)" + advice)
  }
}

/// Rows whose order is looked at: without it neither going on nor comparing would be right.
private final class OrderedRows {
  private let rows: any MovedRows
  private var last: MovedRow?
  private(set) var count = 0

  init(_ rows: any MovedRows) { self.rows = rows }

  func next() throws -> MovedRow? {
    guard let row = try rows.next() else { return nil }
    if let last, !last.isBefore(row) {
      throw row.unreadable("it does not come after the row before it; is the key there twice?")
    }
    last = row
    count += 1
    return row
  }

  func skip(_ count: Int) throws {
    for _ in 0..<count where try next() == nil {
      throw StoreError(.corrupt, "the source has fewer rows than were copied from it")
    }
  }
}
