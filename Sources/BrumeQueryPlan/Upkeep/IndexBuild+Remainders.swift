// Records with more rows than a step writes, which come in several steps, and records whose rows go.

import BrumeModel
import BrumeStorage

extension IndexBuild {
  /// Ours: rows that are written between two looks whether a write waits, and noted records that one step looks at.
  static let rowsBetweenLooks = 1000
  private static let goneOfStep = 64

  /// Keeps the rows of a record that the next steps write.
  func keep(
    _ long: (found: FoundRecord, rows: [IndexRow])?, of type: RecordTypeRowKey, _ names: [String],
    after place: LongRecord.Place
  ) {
    guard let long else { return }
    let record = LongRecord(
      name: long.found.record.name, sequence: long.found.sequence, fields: Set(names), after: place)
    index.remainders[type] = IndexRemainder(
      work: .come(record), row: long.found.row, rows: long.rows.sorted()[...])
  }

  /// Writes more of a record that was begun. Nil: there is none here.
  func goOn(
    _ type: RecordTypeRowKey, _ names: [String], after place: LongRecord.Place
  ) throws -> IndexStep? {
    guard var (record, left) = index.remainder(of: type, names, after: place) else { return nil }
    _ = try write(&left.rows, mayStop: true) { try index.insert(Array($0)) }
    index.remainders[type] = left.rows.isEmpty ? nil : left
    guard left.rows.isEmpty else { return try step(type, names, 0, isLast: false) }
    for name in names {
      let part = IndexPart(type: type, field: name)
      switch place {
      case .name: try fields.setBuilt(part, to: record.name)
      case .sequence: try fields.setBehind(part, record.sequence)
      }
    }
    if case .sequence = place { index.delay.caughtUp(1) }
    return try step(type, names, 1, isLast: false)
  }

  /// Takes away rows of records that were changed or removed. Nil: there are none of this type.
  func removeGone(
    _ type: RecordTypeRowKey, in database: DatabaseKey, _ words: WordCutting
  ) throws -> IndexStep? {
    guard let gone = index.gone else { return nil }
    var (records, looks, rows) = (0, 0, 0)
    repeat {
      guard
        var (id, left) = try index.goneRemainder(of: type)
          ?? next(of: type, gone, in: database, words)
      else { break }
      looks += 1
      if let asked = left.homework { return try step(type, [], records, isLast: false, asked) }
      rows += try write(&left.rows, mayStop: index.mayLeave(type)) { try index.remove($0) }
      index.remainders[type] = left.rows.isEmpty ? nil : left
      guard left.rows.isEmpty else { break }
      try gone.remove(id)
      index.delay.caughtUp(1)
      records += 1
    } while rows < IndexIntake.most && looks < Self.goneOfStep && !isAwaited()
    return looks > 0 ? try step(type, [], records, isLast: false) : nil
  }

  private func next(
    of type: RecordTypeRowKey, _ gone: any GoneRecordStoring, in database: DatabaseKey,
    _ words: WordCutting
  ) throws -> (id: Int64, left: IndexRemainder)? {
    guard let record = try gone.first(of: type) else { return nil }
    let now = record.now.flatMap { $0.isLaterForm(of: record.record) ? $0 : nil }
    let behind = try fields.keys(of: type).fields.filter { $0.value.behind != nil }
    let homework = IndexHomework(
      type: type, subject: .gone(id: record.id), database: database, fields: Array(behind.keys),
      old: record.record, new: now)
    var left = IndexRemainder(work: .gone(id: record.id), row: record.row, rows: [])
    let bytes = record.record.byteCount + (now?.byteCount ?? 0)
    let prepared = words.prepared(of: homework.subject, type, homework.fields)
    if prepared == nil, words.endsStep(before: homework.fields, bytes: bytes) {
      left.homework = homework
    } else {
      left.rows = rows(of: record, behind, (prepared ?? homework.done()).changes).sorted()[...]
    }
    return (record.id, left)
  }

  /// Those that the record does not have now as well, as far as that is seen easily.
  private func rows(
    of gone: GoneRecord, _ behind: [String: WantedField], _ changes: [String: IndexChange]
  ) -> [IndexRow] {
    var rows: [IndexRow] = []
    for (name, wanted) in behind {
      changes[name]?.gone?.eachIndexRow { kind, value in
        guard let key = wanted.key(kind) else { return }
        rows.append(IndexRow(key: key.id, value: value, name: gone.record.name, row: gone.row))
      }
    }
    return rows
  }

  /// Writes rows, as many as a step does or until somebody waits. Answers how many.
  private func write(
    _ rows: inout ArraySlice<IndexRow>, mayStop: Bool,
    _ change: (ArraySlice<IndexRow>) throws -> Void
  ) rethrows -> Int {
    var count = 0
    repeat {
      let part = rows.prefix(Self.rowsBetweenLooks)
      try change(part)
      rows = rows.dropFirst(part.count)
      count += part.count
    } while !rows.isEmpty && !(mayStop && (count >= IndexIntake.most || isAwaited()))
    return count
  }
}

extension Record {
  /// Whether it has the rows of another one under the same keys and name. The number of a record that is forgotten may be
  /// that of any other one.
  fileprivate func isLaterForm(of old: Record) -> Bool {
    type == old.type && ByteText(name) == ByteText(old.name)
  }
}
