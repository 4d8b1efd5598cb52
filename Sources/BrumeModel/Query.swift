// Queries and filters as data. CloudKit combines conditions by AND only, so a predicate that the
// service accepts is a list of filters; the tree that a format string parses to is in
// BrumePredicate.

/// What a condition looks at: a field of the record or one of its system fields.
package enum FieldName: Hashable, Sendable, CustomStringConvertible {
  case field(String)
  case system(SystemField)

  package var description: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.rawValue
    }
  }

  /// The name that schemas have for it.
  package var schemaName: String {
    switch self {
    case .field(let name): name
    case .system(let field): field.schemaName
    }
  }
}

/// System fields that queries may name. Raw values are the spelling of `systemFieldName`.
package enum SystemField: String, Hashable, Sendable, CaseIterable {
  case recordName
  case createdTimestamp
  case modifiedTimestamp
  case createdUserRecordName
  case modifiedUserRecordName
  case share
  case parent

  /// The name in schemas and in error texts of the live service.
  package var schemaName: String {
    switch self {
    case .recordName: "___recordID"
    case .createdTimestamp: "___createTime"
    case .modifiedTimestamp: "___modTime"
    case .createdUserRecordName: "___createdBy"
    case .modifiedUserRecordName: "___modifiedBy"
    case .share: "___share"
    case .parent: "___parent"
    }
  }

  package init?(schemaName: String) {
    guard let field = Self.allCases.first(where: { $0.schemaName == schemaName }) else {
      return nil
    }
    self = field
  }
}

/// The comparators of the HTTP protocol. Raw values are the spelling on the wire.
package enum Comparator: String, Hashable, Sendable, CaseIterable {
  case equals = "EQUALS"
  case notEquals = "NOT_EQUALS"
  case lessThan = "LESS_THAN"
  case lessThanOrEquals = "LESS_THAN_OR_EQUALS"
  case greaterThan = "GREATER_THAN"
  case greaterThanOrEquals = "GREATER_THAN_OR_EQUALS"
  case near = "NEAR"
  case containsAllTokens = "CONTAINS_ALL_TOKENS"
  case containsAnyTokens = "CONTAINS_ANY_TOKENS"
  case `in` = "IN"
  case notIn = "NOT_IN"
  case beginsWith = "BEGINS_WITH"
  case notBeginsWith = "NOT_BEGINS_WITH"
  case listContains = "LIST_CONTAINS"
  case notListContains = "NOT_LIST_CONTAINS"
  case listContainsAny = "LIST_CONTAINS_ANY"
  case notListContainsAny = "NOT_LIST_CONTAINS_ANY"
  case listContainsAll = "LIST_CONTAINS_ALL"
  case notListContainsAll = "NOT_LIST_CONTAINS_ALL"
  case listMemberBeginsWith = "LIST_MEMBER_BEGINS_WITH"
  case notListMemberBeginsWith = "NOT_LIST_MEMBER_BEGINS_WITH"
}

/// One condition of a query or a subscription.
package struct Filter: Equatable, Sendable {
  package var comparator: Comparator
  /// Nil means every searchable field of the record (`self CONTAINS 'word'`).
  package var field: FieldName?
  package var value: FieldValue
  /// Metres, with `NEAR` only.
  package var distance: Double?

  package init(
    _ comparator: Comparator, _ field: FieldName?, _ value: FieldValue, distance: Double? = nil
  ) {
    self.comparator = comparator
    self.field = field
    self.value = value
    self.distance = distance
  }
}

/// One sort criterion. With a location it sorts by distance from it, nearest first.
package struct Sort: Equatable, Sendable {
  package var field: FieldName
  package var ascending: Bool
  package var relativeLocation: Location?

  package init(_ field: FieldName, ascending: Bool = true, relativeLocation: Location? = nil) {
    self.field = field
    self.ascending = ascending
    self.relativeLocation = relativeLocation
  }
}

/// A record type, conditions combined by AND, and an order.
package struct Query: Equatable, Sendable {
  package var recordType: String
  package var filters: [Filter]
  package var sorts: [Sort]

  package init(recordType: String, filters: [Filter] = [], sorts: [Sort] = []) {
    self.recordType = recordType
    self.filters = filters
    self.sorts = sorts
  }
}
