// What the filters of a query mean in one zone: which the index there answers, and which must be evaluated
// on the decoded record.

package import BrumeModel
import BrumePredicate
package import BrumeStorage

/// A query's filters, divided between the index and the judgement on records.
package struct ResolvedFilters: Sendable {
  /// What the index answers.
  package private(set) var conditions: [ZonePlan.Condition] = []
  /// What it does not answer, or not for certain.
  private(set) var evaluated: [ReadyFilter] = []
  /// Set when the query names records.
  package private(set) var names: Set<ByteText>?
  /// No record can match.
  package private(set) var isImpossible = false

  package init(_ filters: ReadyFilters, _ keys: TypeKeys) {
    for filter in filters.all {
      if let named = filter.names {
        names = names.map { $0.intersection(named) } ?? named
      } else if filter.asksForNoWord {
        isImpossible = true
      } else {
        let answers = filter.conditions.map { resolve(filter, $0, keys) }
        // Of an answer that says nothing or not all, the filter itself decides.
        if !answers.contains(true) { evaluated.append(filter) }
      }
    }
  }

  /// The filters of `evaluated`.
  package var residual: [Filter] { evaluated.map(\.filter) }

  /// Answers whether what the condition's rows find needs no further look.
  private mutating func resolve(
    _ filter: ReadyFilter, _ condition: IndexCondition, _ keys: TypeKeys
  ) -> Bool {
    // Not in the index, or not all of it yet.
    guard let all = keys.complete(condition.field) else { return false }
    let fitting = all.compactMap { key in
      condition.ranges[key.kind].map { (key: key, range: $0) }
    }
    guard let (key, range) = fitting.first else {
      isImpossible = true
      return true
    }
    // The field has values of several kinds, which no schema allows: not worth an index.
    guard fitting.count == 1 else { return false }
    let rows = ZonePlan.Rows(key: key, range: key.isCut ? range.overBeginnings : range)
    let isRough = key.isRough || condition.isRough
    add(ZonePlan.Condition(ready: [filter], rows: rows, isRough: isRough))
    return !isRough
  }

  /// Two conditions that are one range of rows are one.
  private mutating func add(_ new: ZonePlan.Condition) {
    for index in conditions.indices {
      guard let both = conditions[index].joined(with: new) else { continue }
      conditions[index] = both
      return
    }
    conditions.append(new)
  }
}

extension ResolvedFilters {
  /// The records that the query names or that alone are visible; nil if they may be any.
  func names(visible: VisibleRecords) -> Set<ByteText>? {
    guard case .named(let visible) = visible else { return names }
    return names?.intersection(visible) ?? visible
  }
}

extension Filter {
  /// The record names that a filter on `recordName` allows.
  var recordNames: Set<ByteText>? {
    guard field == .system(.recordName) else { return nil }
    switch (comparator, value) {
    case (.equals, _): return [value].recordNames
    case (.in, .list(let elements, _)): return elements.recordNames
    default: return nil
    }
  }
}

extension [FieldValue] {
  fileprivate var recordNames: Set<ByteText> {
    var names: Set<ByteText> = []
    for value in self {
      switch value {
      case .string(let name): names.insert(ByteText(name))
      case .reference(let reference): names.insert(ByteText(reference.recordName))
      case .int64, .double, .bytes, .timestamp, .location, .asset, .list: continue
      }
    }
    return names
  }
}
