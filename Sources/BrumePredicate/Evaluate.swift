// Whether a record meets a list of filters, and which of two records a sort puts first. This is the
// reference: SQL and the index of subscriptions must give the same answers.
//
// A filter has three answers. Yes, no, or unknown: the field is missing, encrypted or of another
// type. Unknown is never a match, not for a negated comparator either.

package import BrumeModel

/// Judges records.
package enum Evaluate {
  /// Whether the record meets every filter. `searchable` says which fields `self CONTAINS` looks at.
  package static func matches(
    _ filters: [Filter], _ record: Record, searchable: (String) -> Bool
  ) -> Bool {
    filters.allSatisfy { answer($0, record, searchable: searchable) == true }
  }

  /// One filter's answer; nil is unknown.
  package static func answer(
    _ filter: Filter, _ record: Record, searchable: (String) -> Bool
  ) -> Bool? {
    guard let field = filter.field else {
      return tokens(filter, record.searchableWords(searchable))
    }
    if filter.asksForPresence { return presence(filter, field, record) }
    guard let value = record.value(of: field) else { return nil }
    return answer(filter, value)
  }

  /// As `answer`, of a value that is there.
  package static func answer(_ filter: Filter, _ value: FieldValue) -> Bool? {
    let wanted = filter.value
    switch filter.comparator {
    case .equals: return order(value, wanted).map { $0 == .same }
    case .notEquals: return order(value, wanted).map { $0 != .same }
    case .lessThan: return rank(value, wanted).map { $0 == .before }
    case .lessThanOrEquals: return rank(value, wanted).map { $0 != .after }
    case .greaterThan: return rank(value, wanted).map { $0 == .after }
    case .greaterThanOrEquals: return rank(value, wanted).map { $0 != .before }
    case .near: return near(value, wanted, filter.distance)
    case .containsAllTokens, .containsAnyTokens: return tokens(filter, Tokens.of(value))
    case .in: return isMember(value, of: wanted)
    case .notIn: return isMember(value, of: wanted).map(!)
    case .beginsWith: return begins(value, with: wanted)
    case .notBeginsWith: return begins(value, with: wanted).map(!)
    case .listContains: return contains(value, wanted)
    case .notListContains: return contains(value, wanted).map(!)
    case .listContainsAny: return shares(value, wanted)
    case .notListContainsAny: return shares(value, wanted).map(!)
    case .listContainsAll: return holds(value, wanted)
    case .notListContainsAll: return holds(value, wanted).map(!)
    case .listMemberBeginsWith: return memberBegins(value, with: wanted)
    case .notListMemberBeginsWith: return memberBegins(value, with: wanted).map(!)
    }
  }
}

// MARK: One value against one constant

extension Evaluate {
  /// Equality and its negation. A reference is also equal to a text that is its record name: system
  /// fields are asked for both ways.
  private static func order(_ value: FieldValue, _ wanted: FieldValue) -> Order? {
    switch (value, wanted) {
    case (.bytes, _), (.asset, _), (.list, _): nil
    case (.reference(let reference), .string(let name)): Order.text(reference.recordName, name)
    default: Order.of(value, wanted)
    }
  }

  /// "Less than": numbers, times and texts only.
  private static func rank(_ value: FieldValue, _ wanted: FieldValue) -> Order? {
    switch value {
    case .string, .int64, .double, .timestamp: Order.of(value, wanted)
    case .bytes, .location, .reference, .asset, .list: nil
    }
  }

  private static func near(_ value: FieldValue, _ wanted: FieldValue, _ metres: Double?) -> Bool? {
    guard case .location(let here) = value, case .location(let there) = wanted,
      let metres, !metres.isNaN, let distance = here.distance(to: there)
    else { return nil }
    return distance <= metres
  }

  private static func begins(_ value: FieldValue, with wanted: FieldValue) -> Bool? {
    guard case .string(let text) = value, case .string(let prefix) = wanted else { return nil }
    return text.utf8.starts(with: prefix.utf8)
  }

  /// Search words that are all stop words find nothing.
  private static func tokens(_ filter: Filter, _ words: Set<String>?) -> Bool? {
    Tokens.of(filter.value).flatMap { finds($0, filter.comparator, among: words) }
  }

  static func finds(
    _ wanted: Set<String>, _ comparator: Comparator, among words: Set<String>?
  ) -> Bool? {
    guard let words else { return nil }
    if wanted.isEmpty { return false }
    switch comparator {
    case .containsAllTokens: return wanted.isSubset(of: words)
    case .containsAnyTokens: return !wanted.isDisjoint(with: words)
    default: return nil
    }
  }

  /// Only `parent` and `share` can be asked whether they are set at all.
  private static func presence(_ filter: Filter, _ field: FieldName, _ record: Record) -> Bool? {
    let isAbsent = record.value(of: field) == nil
    switch filter.comparator {
    case .equals: return isAbsent
    case .notEquals: return !isAbsent
    default: return nil
    }
  }
}

// MARK: Lists

extension Evaluate {
  private static func isMember(_ value: FieldValue, of wanted: FieldValue) -> Bool? {
    guard case .list(let values, _) = wanted, value.isComparable else { return nil }
    return oneOf(values) { order(value, $0).map { $0 == .same } }
  }

  private static func contains(_ value: FieldValue, _ wanted: FieldValue) -> Bool? {
    guard case .list(let elements, _) = value, wanted.isComparable else { return nil }
    return oneOf(elements) { order($0, wanted).map { $0 == .same } }
  }

  private static func shares(_ value: FieldValue, _ wanted: FieldValue) -> Bool? {
    guard case .list = value, case .list(let constants, _) = wanted else { return nil }
    return oneOf(constants) { contains(value, $0) }
  }

  private static func holds(_ value: FieldValue, _ wanted: FieldValue) -> Bool? {
    guard case .list = value, case .list(let constants, _) = wanted else { return nil }
    return oneOf(constants) { contains(value, $0).map(!) }.map(!)
  }

  /// Yes as soon as one is; otherwise unknown if one is unknown.
  static func oneOf(_ values: [FieldValue], _ answer: (FieldValue) -> Bool?) -> Bool? {
    var isUnknown = false
    for value in values {
      switch answer(value) {
      case true: return true
      case nil: isUnknown = true
      default: break
      }
    }
    return isUnknown ? nil : false
  }

  private static func memberBegins(_ value: FieldValue, with wanted: FieldValue) -> Bool? {
    guard case .list(let elements, let type) = value, case .string = wanted,
      type == nil || type == .string
    else { return nil }
    return elements.contains { begins($0, with: wanted) == true }
  }
}

extension FieldValue {
  /// Whether equality with a constant has a meaning; bytes, files and lists have none in queries.
  var isComparable: Bool {
    switch self {
    case .string, .int64, .double, .timestamp, .location, .reference: true
    case .bytes, .asset, .list: false
    }
  }
}
