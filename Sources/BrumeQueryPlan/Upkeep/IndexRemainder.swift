// One record may have more rows than a step writes. They are made once, and written in several steps; what is left of them
// is only known in memory. Who forgets it begins with the record anew, which does no harm.

import BrumeModel
import BrumeStorage

/// What is left of the rows of one record.
struct IndexRemainder {
  enum Work: Equatable {
    /// Rows of a noted record that go.
    case gone(id: Int64)
    /// Rows of a record that come.
    case come(LongRecord)
  }
  let work: Work
  /// The engine's number of the record.
  let row: Int64
  var rows: ArraySlice<IndexRow>
  /// What is to be known before there are rows.
  var homework: IndexHomework?
}

/// A record with more rows than a step writes, and where the fields that take it in have come to.
struct LongRecord: Equatable {
  enum Place: Equatable { case name(ByteText), sequence(Int64) }
  let name: String
  let sequence: Int64
  let fields: Set<String>
  let after: Place
}

extension QueryIndex {
  /// Ours: types of whose records something is left; each may be ten megabytes. Records of others are written at once.
  private static let mostRemainders = 4

  /// Whether the rows of a record of this type may be left for the next step.
  func mayLeave(_ type: RecordTypeRowKey) -> Bool {
    delay.leaves && (remainders[type] != nil || remainders.count < Self.mostRemainders)
  }

  /// What is left of a record that goes.
  func goneRemainder(of type: RecordTypeRowKey) -> (id: Int64, left: IndexRemainder)? {
    guard let left = remainders[type], case .gone(let id) = left.work else { return nil }
    return (id, left)
  }

  /// What is left of a record that comes, if its turn is still now.
  func remainder(
    of type: RecordTypeRowKey, _ fields: [String], after place: LongRecord.Place
  ) -> (record: LongRecord, left: IndexRemainder)? {
    guard let left = remainders[type], case .come(let record) = left.work,
      record.fields == Set(fields), record.after == place
    else { return nil }
    return (record, left)
  }

  /// The record has changed: what is left was of what it had before.
  func forgetRemainder(of row: Int64, _ type: RecordTypeRowKey) {
    guard let left = remainders[type], left.row == row, case .come = left.work else { return }
    remainders[type] = nil
  }

  /// What a body or a group of them changed is undone. Of rows that were written before what is left is known still, however
  /// often others fail.
  package func forgetRemainders() { if haveRemaindersChanged { remainders = [:] } }

  /// What was changed stays.
  package func groupCommitted() { haveRemaindersChanged = false }
}
