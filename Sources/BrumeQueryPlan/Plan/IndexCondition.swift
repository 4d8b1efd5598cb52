// A filter as a condition on the query index. A filter without one is evaluated on the decoded record.
// Every condition here must find exactly what `Evaluate` finds: a test compares the two.

package import BrumeModel
import BrumePredicate
import BrumeStorage

/// A filter as ranges of the index, by the kind of the field's values.
package struct IndexCondition: Equatable, Sendable {
  package let field: IndexedField
  /// A kind without a range has no match.
  package private(set) var ranges: [IndexKind: ValueRange] = [:]
  /// What the ranges find is evaluated anyway.
  package private(set) var isRough = false

  /// What a filter asks of the index. Each is a condition that its matches meet; none if the index
  /// cannot answer it.
  ///
  /// - Parameter words: of its text, if they are known already.
  package static func all(
    _ filter: Filter, in database: DatabaseKey, words: Set<String>? = nil
  ) -> [IndexCondition] {
    switch filter.comparator {
    case .containsAllTokens, .containsAnyTokens:
      self.words(filter, words ?? Tokens.of(filter.value) ?? [])
    case .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
      .near, .in, .notIn, .beginsWith, .notBeginsWith, .listContains, .notListContains,
      .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll,
      .listMemberBeginsWith, .notListMemberBeginsWith:
      IndexCondition(filter, in: database).map { [$0] } ?? []
    }
  }

  /// Nil: the index cannot answer this filter.
  private init?(_ filter: Filter, in database: DatabaseKey) {
    guard let field = filter.field, field.isIndexed, !filter.asksForPresence,
      !(field.hidesOwner(of: database) && filter.value.mayName(database.owner))
    else { return nil }
    self.field = .value(field)
    switch filter.comparator {
    case .equals: ranges = Self.equality([filter.value])
    case .in: ranges = Self.equality(Self.elements(filter.value))
    case .listContains: ranges = Self.ofElements(Self.equality([filter.value]))
    case .listContainsAny:
      ranges = Self.ofElements(Self.equality(Self.elements(filter.value)))
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
      ranges = Self.order(filter.comparator, filter.value)
    case .beginsWith: ranges = Self.prefix(filter.value)
    case .listMemberBeginsWith: ranges = Self.ofElements(Self.prefix(filter.value))
    case .near: ranges = Self.near(filter)
    case .notEquals, .containsAllTokens, .containsAnyTokens, .notIn, .notBeginsWith,
      .notListContains, .notListContainsAny, .listContainsAll, .notListContainsAll,
      .notListMemberBeginsWith:
      return nil
    }
    if ranges.isEmpty { return nil }
  }

  /// Ours: words of a search that are looked up; what they find is evaluated by all.
  private static let wordsLookedUp = 8
  /// Ours: a search for any of more words looks at every record.
  private static let anyWords = 500

  private static func words(_ filter: Filter, _ wanted: Set<String>) -> [IndexCondition] {
    let field: IndexedField
    switch filter.field {
    case nil: field = .words(nil)
    case .field(let name): field = .words(name)
    case .system: return []
    }
    // The longest first: they are the rarest.
    let known = wanted.compactMap { IndexedWord.spellings(of: $0) }
      .sorted { ($1[0].utf8.count, ByteText($0[0])) < ($0[0].utf8.count, ByteText($1[0])) }
    let others = IndexValue.text(IndexedWord.others)
    func condition(_ words: some Sequence<String>) -> IndexCondition {
      IndexCondition(
        field: field, ranges: [.texts: .oneOf(words.map { .text($0) } + [others])], isRough: true)
    }
    if filter.comparator == .containsAllTokens {
      return known.prefix(wordsLookedUp).map { condition($0) }
    }
    // A word that the index cannot spell may be in any record.
    let isWhole = known.count == wanted.count && known.count <= anyWords
    return isWhole ? [condition(known.joined())] : []
  }

  private init(field: IndexedField, ranges: [IndexKind: ValueRange], isRough: Bool) {
    self.field = field
    self.ranges = ranges
    self.isRough = isRough
  }

  private static func elements(_ value: FieldValue) -> [FieldValue] {
    if case .list(let elements, _) = value { elements } else { [] }
  }

  private static func ofElements(_ ranges: [IndexKind: ValueRange]) -> [IndexKind: ValueRange] {
    Dictionary(uniqueKeysWithValues: ranges.map { ($0.key.ofElements, $0.value) })
  }

  /// None if one of the constants cannot be in the index though a field may equal it.
  private static func equality(_ constants: [FieldValue]) -> [IndexKind: ValueRange] {
    var values: [IndexKind: [IndexValue]] = [:]
    for constant in constants {
      guard let (kind, _) = constant.indexed, let value = constant.uncut else { return [:] }
      values[kind, default: []].append(value)
      // A reference is also equal to a text that is its record name.
      if kind == .text { values[.reference, default: []].append(value) }
    }
    return values.mapValues { $0.count == 1 ? .equals($0[0]) : .oneOf($0) }
  }

  private static func order(
    _ comparator: Comparator, _ constant: FieldValue
  ) -> [IndexKind: ValueRange] {
    guard let (kind, _) = constant.indexed, kind != .reference, let value = constant.uncut else {
      return [:]
    }
    let isIncluded = comparator == .lessThanOrEquals || comparator == .greaterThanOrEquals
    let bound = ValueRange.Bound(value: value, isIncluded: isIncluded)
    let isUpper = comparator == .lessThan || comparator == .lessThanOrEquals
    return [kind: isUpper ? .between(lower: nil, upper: bound) : .between(lower: bound, upper: nil)]
  }

  private static func near(_ filter: Filter) -> [IndexKind: ValueRange] {
    guard case .location(let centre) = filter.value, let metres = filter.distance,
      let numbers = GlobeCells.numbers(near: centre, metres: metres)
    else { return [:] }
    return [.place: .within(numbers)]
  }

  private static func prefix(_ constant: FieldValue) -> [IndexKind: ValueRange] {
    guard case .string(let prefix) = constant else { return [:] }
    let lower = ValueRange.Bound(value: .text(prefix), isIncluded: true)
    // The least text after all that begin so: the last byte raised by one. No byte of UTF-8 is 255.
    var end = Array(prefix.utf8)
    if let last = end.popLast() { end.append(last + 1) }
    let upper = end.isEmpty ? nil : ValueRange.Bound(value: .cut(end), isIncluded: false)
    return [.text: .between(lower: lower, upper: upper)]
  }
}

extension FieldValue {
  /// The value as a constant to compare with: whole, however long.
  fileprivate var uncut: IndexValue? {
    switch self {
    case .string(let text): .text(text)
    case .reference(let reference): .text(reference.recordName)
    case .int64, .double, .timestamp: indexed?.value
    case .bytes, .location, .asset, .list: nil
    }
  }

  /// Whether the constant, or one of its elements, is this user.
  fileprivate func mayName(_ user: UserID?) -> Bool {
    guard let user else { return false }
    return switch self {
    case .string(let name): ByteText(name) == ByteText(user.name)
    case .reference(let reference): ByteText(reference.recordName) == ByteText(user.name)
    case .list(let elements, _): elements.contains { $0.mayName(user) }
    case .int64, .double, .timestamp, .bytes, .location, .asset: false
    }
  }
}
