// Where a conjunction is registered in the index, so that a record finds it without evaluating it.
//
// One condition is enough to find a conjunction: the others are checked when it is found. Preferred
// is what the fewest records meet: equality, then membership and list containment, then a prefix,
// then a bound. A bound beside an equality is kept too, because thresholds inside one posting can be
// sorted. What has none of these is scanned.
//
// Access values are coarser than the evaluator's equality, never finer: a candidate may turn out not
// to match, but no match is missed.

package import BrumeModel
import BrumePredicate

/// A value as the index hashes it.
package enum AccessValue: Hashable, Sendable {
  case text(String)
  case number(Double)

  /// Nil for what the index does not hash.
  init?(_ value: FieldValue) {
    switch value {
    case .string(let text): self = .text(text)
    // A reference equals a text that is its record name.
    case .reference(let reference): self = .text(reference.recordName)
    case .int64(let integer): self = .number(Double(integer))
    case .double(let double) where double.isNaN: return nil
    // Adding zero makes -0.0 the same key as 0.0.
    case .double(let double): self = .number(double + 0)
    case .timestamp(let time): self = .number(Double(time))
    case .bytes, .location, .asset, .list: return nil
    }
  }

  /// The order of thresholds: texts by their bytes.
  func precedes(_ other: AccessValue) -> Bool {
    switch (self, other) {
    case (.number(let a), .number(let b)): a < b
    case (.text(let a), .text(let b)): a.utf8.lexicographicallyPrecedes(b.utf8)
    case (.number, .text): true
    case (.text, .number): false
    }
  }
}

/// A bound on one field: `field > threshold` or `field < threshold`, taken inclusively.
package struct AccessBound: Hashable, Sendable {
  /// Which list of thresholds the bound belongs to.
  struct Side: Hashable, Sendable {
    let field: FieldName
    let isLower: Bool
    let isText: Bool
  }
  let side: Side
  let threshold: AccessValue

  init?(_ filter: Filter) {
    guard let field = filter.field, let threshold = AccessValue(filter.value) else { return nil }
    let isText = if case .text = threshold { true } else { false }
    switch filter.comparator {
    case .greaterThan, .greaterThanOrEquals:
      side = Side(field: field, isLower: true, isText: isText)
    case .lessThan, .lessThanOrEquals:
      side = Side(field: field, isLower: false, isText: isText)
    default: return nil
    }
    self.threshold = threshold
  }
}

package enum AccessPath: Hashable, Sendable {
  /// The field has one of these values, or contains one of them.
  case values(FieldName, [AccessValue], AccessBound?)
  /// The field, or a member of it, begins with the text.
  case prefix(FieldName, String)
  case bound(AccessBound)
  case scan

  /// The most selective path of a conjunction.
  ///
  /// - Parameter crowd: how many conjunctions wait at a value already; the emptier one wins.
  static func best(
    for filters: [Filter], crowd: (FieldName, AccessValue) -> Int
  ) -> AccessPath {
    let bound = filters.lazy.compactMap { AccessBound($0) }.first
    let choices = filters.compactMap { values(of: $0, crowd: crowd) }
    let weighed = choices.map { choice in
      (choice, choice.values.reduce(0) { $0 + crowd(choice.field, $1) } + choice.values.count)
    }
    if let (choice, _) = weighed.min(by: { $0.1 < $1.1 }) {
      return .values(choice.field, choice.values, bound)
    }
    if let prefix = filters.lazy.compactMap({ prefix(of: $0) }).first { return prefix }
    return bound.map { .bound($0) } ?? .scan
  }

  private static func values(
    of filter: Filter, crowd: (FieldName, AccessValue) -> Int
  ) -> (field: FieldName, values: [AccessValue])? {
    guard let field = filter.field, !filter.asksForPresence else { return nil }
    switch filter.comparator {
    case .equals, .listContains:
      return AccessValue(filter.value).map { (field, [$0]) }
    case .in, .listContainsAny:
      return all(filter.value).map { (field, $0) }
    case .listContainsAll:
      // Each of them must be there, so any one finds the record.
      guard let values = all(filter.value),
        let rarest = values.min(by: { crowd(field, $0) < crowd(field, $1) })
      else { return nil }
      return (field, [rarest])
    default: return nil
    }
  }

  private static func all(_ list: FieldValue) -> [AccessValue]? {
    guard case .list(let elements, _) = list else { return nil }
    var values: Set<AccessValue> = []
    for element in elements {
      guard let value = AccessValue(element) else { return nil }
      values.insert(value)
    }
    return Array(values)
  }

  private static func prefix(of filter: Filter) -> AccessPath? {
    guard let field = filter.field, case .string(let text) = filter.value, !text.isEmpty else {
      return nil
    }
    switch filter.comparator {
    case .beginsWith, .listMemberBeginsWith: return .prefix(field, text)
    default: return nil
    }
  }
}
