// What the save or deletion of a record changes under one field of the query index. The engine removes
// the rows of what is gone and adds those of what has come (`eachIndexRow`).

package import BrumeModel
import BrumeStorage

/// What goes from under one field, and what comes.
package struct IndexChange: Equatable, Sendable {
  /// The value whose rows go.
  package let gone: FieldValue?
  /// The value whose rows come; nil: a record without the field, if it is there at all.
  package let come: FieldValue?
  /// Whether the record is there afterwards.
  package let isThere: Bool

  /// Nil: nothing changes. Of the records one may be missing; both have the same type.
  package init?(
    of field: IndexedField, from old: Record?, to new: Record?, in database: DatabaseKey
  ) {
    let before = old?.indexedValue(of: field, in: database)
    let after = new?.indexedValue(of: field, in: database)
    if old != nil, new != nil, before == after { return nil }
    (gone, come) = Self.difference(field, before, after)
    isThere = new != nil
  }

  /// Of a long text most words stay.
  private static func difference(
    _ field: IndexedField, _ before: FieldValue?, _ after: FieldValue?
  ) -> (gone: FieldValue?, come: FieldValue?) {
    guard case .words = field, case .list(let old, _) = before, case .list(let new, _) = after
    else { return (before, after) }
    let (known, wanted) = (Set(old.map(\.bytes)), Set(new.map(\.bytes)))
    return (
      .list(old.filter { !wanted.contains($0.bytes) }, of: .string),
      .list(new.filter { !known.contains($0.bytes) }, of: .string)
    )
  }
}

extension FieldValue {
  fileprivate var bytes: ByteText {
    if case .string(let text) = self { ByteText(text) } else { ByteText("") }
  }
}
