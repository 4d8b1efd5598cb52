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
    let (gone, come) = difference(old, new)
    return (.list(gone, of: .string), .list(come, of: .string))
  }

  /// Both are in byte order.
  private static func difference(
    _ old: [FieldValue], _ new: [FieldValue]
  ) -> (gone: [FieldValue], come: [FieldValue]) {
    var (gone, come): ([FieldValue], [FieldValue]) = ([], [])
    var (left, right) = (old.startIndex, new.startIndex)
    while left < old.endIndex, right < new.endIndex {
      let (before, after) = (old[left].bytes, new[right].bytes)
      if before < after { gone.append(old[left]) }
      if after < before { come.append(new[right]) }
      if !(after < before) { left += 1 }
      if !(before < after) { right += 1 }
    }
    return (gone + old[left...], come + new[right...])
  }
}

extension FieldValue {
  fileprivate var bytes: ByteText {
    if case .string(let text) = self { ByteText(text) } else { ByteText("") }
  }
}
