// The words of a long text take longer to cut and to sort than their rows to write: a megabyte a tenth of a second and more. A step
// that meets a large record ends before it, and whoever carries out steps cuts its texts while others write.

package import BrumeModel

/// What a step would like to know of a large record.
package struct IndexHomework: Sendable {
  enum Subject: Equatable, Sendable {
    case record(row: Int64, sequence: Int64)
    case gone(id: Int64)
  }
  let type: RecordTypeRowKey
  let subject: Subject
  let database: DatabaseKey
  let fields: [String]
  let old: Record?
  let new: Record?

  /// Does it, which takes long.
  package func done() -> PreparedIndex {
    var changes: [String: IndexChange] = [:]
    for name in fields {
      changes[name] = IndexChange(
        of: IndexedField(indexName: name), from: old, to: new, in: database)
    }
    return PreparedIndex(type: type, subject: subject, fields: Set(fields), changes: changes)
  }
}

/// What goes and comes with a large record, made beforehand.
package struct PreparedIndex: Sendable {
  let type: RecordTypeRowKey
  let subject: IndexHomework.Subject
  let fields: Set<String>
  let changes: [String: IndexChange]
}

/// When the texts of large records are cut into words.
package enum WordCutting: Sendable {
  /// By the step that takes them in.
  case inStep
  /// By whoever carries out steps: one ends before such a record, with its homework. What was made of the homework of the step
  /// before is for the next one, which goes on with its type.
  case betweenSteps(PreparedIndex?)

  var prepared: PreparedIndex? {
    if case .betweenSteps(let prepared) = self { prepared } else { nil }
  }

  /// What was made beforehand of this subject, if it is of all these fields.
  func prepared(
    of subject: IndexHomework.Subject, _ type: RecordTypeRowKey, _ fields: [String]
  ) -> PreparedIndex? {
    guard let prepared, prepared.type == type, prepared.subject == subject,
      prepared.fields.isSuperset(of: fields)
    else { return nil }
    return prepared
  }

  /// Whether a step ends before records of so many bytes together.
  func endsStep(before fields: [String], bytes: Int) -> Bool {
    guard case .betweenSteps = self, bytes > IndexDelay.bytesAtOnce else { return false }
    return fields.contains { IndexedField(indexName: $0).isWords }
  }
}

extension IndexedField {
  var isWords: Bool { if case .words = self { true } else { false } }
}
