// Tree → the flat list of filters that CloudKit's service knows, or the error that says what is not
// supported and what to write instead. Only shapes are decided here: whether a field exists, has an
// index and takes the constant's type is the schema's matter, on the server.
//
// One comparison becomes a filter in `Conditions.swift`.

package import BrumeModel

extension Predicate {
  /// The filters, all of which a record must meet. `now` stands in for `now()`; without it a
  /// predicate with `now()` is refused (a subscription has no moment to ask at).
  ///
  /// - Throws: `badRequest` for what CloudKit does not support, with what to write instead.
  package func filters(now: Milliseconds? = nil) throws(BrumeError) -> [Filter] {
    switch self {
    case .always(true):
      return []
    case .always(false):
      // CloudKit: documented as supported. An empty list of alternatives matches no record.
      return [Filter(.in, .system(.recordName), .list([], of: .reference))]
    case .and(let parts):
      var filters: [Filter] = []
      for part in parts { filters += try part.filters(now: now) }
      return filters
    case .or:
      throw Self.refused(
        "OR", "only AND combines conditions; run one query for each alternative, or use IN")
    case .not(.comparison(let comparison)):
      let positive = try Conditions(now: now).filters(comparison)
      return [try Self.negated(positive, comparison)]
    case .not:
      throw Self.refused(
        "NOT around anything but one comparison",
        "move NOT to a single comparison, such as NOT (field IN %@)")
    case .comparison(let comparison):
      return try Conditions(now: now).filters(comparison)
    }
  }

  private static func negated(
    _ filters: [Filter], _ comparison: Comparison
  ) throws(BrumeError) -> Filter {
    guard filters.count == 1, var filter = filters.first,
      let opposite = filter.comparator.negated
    else {
      throw refused(
        "NOT around \(comparison.summary)",
        "write the opposite condition, or filter the results of the query")
    }
    filter.comparator = opposite
    return filter
  }

  /// CloudKit: the framework calls these "invalid predicate" and answers `invalidArguments`.
  static func refused(_ what: String, _ instead: String) -> BrumeError {
    BrumeError(.badRequest, "invalid predicate: \(what) is not supported by CloudKit; \(instead)")
  }
}

extension Comparator {
  /// What is true of exactly the records that have the field and do not meet this comparator. Nil:
  /// CloudKit has no such comparator.
  package var negated: Comparator? {
    switch self {
    case .equals: .notEquals
    case .notEquals: .equals
    case .lessThan: .greaterThanOrEquals
    case .lessThanOrEquals: .greaterThan
    case .greaterThan: .lessThanOrEquals
    case .greaterThanOrEquals: .lessThan
    case .near, .containsAllTokens, .containsAnyTokens: nil
    case .in: .notIn
    case .notIn: .in
    case .beginsWith: .notBeginsWith
    case .notBeginsWith: .beginsWith
    case .listContains: .notListContains
    case .notListContains: .listContains
    case .listContainsAny: .notListContainsAny
    case .notListContainsAny: .listContainsAny
    case .listContainsAll: .notListContainsAll
    case .notListContainsAll: .listContainsAll
    case .listMemberBeginsWith: .notListMemberBeginsWith
    case .notListMemberBeginsWith: .listMemberBeginsWith
    }
  }
}

extension Predicate.Comparison {
  /// For error texts: the condition without its constants.
  var summary: String {
    let name = modifier == .direct ? "" : modifier.rawValue + " "
    return "'\(name)\(left.summary) \(operation.rawValue) \(right.summary)'"
  }
}

extension Predicate.Expression {
  var summary: String {
    switch self {
    case .constant: "constant"
    case .nothing: "nil"
    case .keyPath(let path): String(path.prefix(64))
    case .currentObject: "SELF"
    case .list: "{…}"
    case .call(let name, _): "\(name.prefix(64))(…)"
    }
  }
}
