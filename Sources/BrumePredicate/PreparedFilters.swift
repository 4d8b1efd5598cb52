// Filters made ready to evaluate many records: lists of constants become sets and search texts become
// words, once instead of for each record. The answers are those of `Evaluate`; a test compares them.

package import BrumeModel

/// A list of filters, all of which a record must meet.
package struct PreparedFilters: Sendable {
  private var filters: [PreparedFilter]

  package init(_ filters: [Filter]) { self.filters = filters.map { PreparedFilter($0) } }

  /// One filter.
  ///
  /// - Parameter words: of a search's text, if they are known already.
  package init(_ filter: Filter, words: Set<String>?) {
    filters = [PreparedFilter(filter, words: words)]
  }

  /// Adds filters that a record must meet too.
  package mutating func add(_ others: PreparedFilters) { filters += others.filters }

  /// Whether the record meets every filter. `searchable` says which fields `self CONTAINS` looks at.
  package func match(_ record: Record, searchable: (String) -> Bool) -> Bool {
    withoutActuallyEscaping(searchable) { searchable in
      match(AskedRecord(record, searchable: searchable))
    }
  }

  /// As `match` of a record that other filters are asked about too.
  package func match(_ asked: AskedRecord) -> Bool {
    filters.allSatisfy { $0.answer(asked) == true }
  }
}

private struct PreparedFilter: Sendable {
  private enum Constants: Sendable {
    /// Evaluated as it is.
    case none
    case list(EqualitySet)
    case words(Set<String>)
  }
  private let filter: Filter
  private let constants: Constants

  init(_ filter: Filter, words: Set<String>? = nil) {
    self.filter = filter
    constants = words.map { .words($0) } ?? Self.constants(of: filter)
  }

  private static func constants(of filter: Filter) -> Constants {
    switch (filter.comparator, filter.value) {
    case (.containsAllTokens, _), (.containsAnyTokens, _):
      Tokens.of(filter.value).map { .words($0) } ?? .none
    case (.in, .list(let values, _)), (.notIn, .list(let values, _)),
      (.listContainsAny, .list(let values, _)), (.notListContainsAny, .list(let values, _)),
      (.listContainsAll, .list(let values, _)), (.notListContainsAll, .list(let values, _)):
      .list(EqualitySet(values))
    default: .none
    }
  }

  /// The filter's answer; nil is unknown.
  func answer(_ asked: AskedRecord) -> Bool? {
    switch constants {
    case .none: return asked.answer(filter)
    case .words(let wanted): return asked.answer(filter, words: wanted)
    case .list(let constants):
      guard let field = filter.field else { return nil }
      if filter.asksForPresence { return asked.answer(filter) }
      guard let value = asked.record.value(of: field) else { return nil }
      // What is less is looked up among what is more.
      if case .list(let elements, _) = value, elements.count > constants.keys.count {
        return asked.answer(filter)
      }
      return answer(value, constants)
    }
  }

  private func answer(_ value: FieldValue, _ constants: EqualitySet) -> Bool? {
    switch filter.comparator {
    case .in: value.isComparable ? constants.contains(value) : nil
    case .notIn: value.isComparable ? constants.contains(value).map(!) : nil
    case .listContainsAny: constants.meet(value)
    case .notListContainsAny: constants.meet(value).map(!)
    case .listContainsAll: constants.areIn(value)
    case .notListContainsAll: constants.areIn(value).map(!)
    default: nil
    }
  }
}

extension EqualitySet {
  /// Whether one of the constants is an element of the list.
  fileprivate func meet(_ value: FieldValue) -> Bool? {
    guard case .list(let elements, _) = value else { return nil }
    let found = Evaluate.oneOf(elements, contains)
    return found == false && kinds.contains(.incomparable) ? nil : found
  }

  /// Whether every constant is an element of the list.
  fileprivate func areIn(_ value: FieldValue) -> Bool? {
    guard case .list(let elements, _) = value else { return nil }
    var there: Set<EqualityKey> = []
    var elementKinds: Set<EqualityKey.Kind> = []
    for element in elements {
      let key = EqualityKey(element)
      there.formUnion(key?.equals ?? [])
      elementKinds.insert(key?.kind ?? .incomparable)
    }
    if elements.isEmpty, kinds.contains(.unequal) { return false }
    var isUnknown = kinds.contains(.incomparable) || kinds.contains(.unequal)
    for key in keys where !there.contains(key) {
      if elementKinds.allSatisfy({ $0.meets(key.kind) }) { return false }
      isUnknown = true
    }
    return isUnknown ? nil : true
  }
}
