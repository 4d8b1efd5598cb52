// Whether a query may run, and the values of its conditions in the schema's types. Every field it
// names must exist and have the index that its condition needs; the error names the command that
// adds it (cases QRY-02 to QRY-08, QRY-16 to QRY-19). How a query is answered then is `BrumeQueryPlan`.

package import BrumeModel
import BrumePredicate
package import BrumeSchema

/// Checks queries against a schema.
package enum QueryRules {
  /// The query with coerced values, ready for an engine.
  ///
  /// - Parameters:
  ///   - place: where the query is run, for the command that an error names.
  ///   - browsing: whether all records of a type may be looked through without an index.
  /// - Throws: `notFound` for an unknown record type; `badRequest` for an unknown field, a missing index, a
  ///   value of another type, too many conditions.
  package static func checked(
    _ query: Query, schema: Schema, in place: ContainerEnvironment, limits: Limits,
    browsing: Bool = false
  ) throws(BrumeError) -> Query {
    guard let type = schema.recordTypes[query.recordType] else {
      throw Schema.missing(type: query.recordType)
    }
    try checkCount(query.filters.count, "conditions", limits.filtersPerQuery)
    try checkCount(query.sorts.count, "sort criteria", limits.sortsPerQuery)
    let values = query.filters.reduce(0) { $0 + $1.value.count }
    try checkCount(values, "values in its conditions", limits.valuesPerQuery)
    let bytes = query.filters.reduce(0) { $0 + $1.value.size }
    try checkCount(bytes, "bytes in its conditions", limits.queryBytes)
    if query.filters.isEmpty, !browsing {
      try require([.queryable], on: .system(.recordName), of: type, query.recordType, place)
    }
    var checked = query
    for index in query.filters.indices {
      checked.filters[index] = try condition(
        query.filters[index], type, query.recordType, place, limits)
    }
    for sort in query.sorts { try check(sort, type, query.recordType, place) }
    return checked
  }

  private static func checkCount(
    _ count: Int, _ what: String, _ maximum: Int
  ) throws(BrumeError) {
    if count > maximum {
      throw BrumeError(
        .badRequest,
        "the query has \(count) \(what); the maximum is \(maximum); use several queries")
    }
  }

  /// The indexes that the query needs and the schema could have, but has not.
  package static func missingIndexes(of query: Query, in schema: Schema) -> [IndexName] {
    guard let type = schema.recordTypes[query.recordType] else { return [] }
    var missing: [IndexName] = []
    for need in needs(of: query) {
      guard need.field.hasIndexes, let wanted = need.indexes.first,
        let field = type.field(need.field), !field.isEncrypted,
        field.indexes.isDisjoint(with: need.indexes),
        Schema.Index.allowed(for: field.type).contains(wanted)
      else { continue }
      let index = IndexName(
        type: query.recordType, field: need.field.schemaName, index: wanted.rawValue.lowercased())
      if !missing.contains(index) { missing.append(index) }
    }
    return missing
  }

  /// The indexes that answer the query: for each need the first that the schema has.
  static func usedIndexes(of query: Query, in schema: Schema) -> [IndexName] {
    guard let type = schema.recordTypes[query.recordType] else { return [] }
    return needs(of: query).compactMap { need in
      guard let field = type.field(need.field),
        let index = need.indexes.first(where: { field.indexes.contains($0) })
      else { return nil }
      return IndexName(
        type: query.recordType, field: need.field.schemaName, index: index.rawValue.lowercased())
    }
  }

  /// Fields of conditions and sorts, with the indexes of which each needs one.
  private static func needs(of query: Query) -> [(field: FieldName, indexes: [Schema.Index])] {
    var needs = query.filters.compactMap { filter in
      filter.field.map { (field: $0, indexes: filter.comparator.indexes) }
    }
    if query.filters.isEmpty { needs.append((.system(.recordName), [.queryable])) }
    return needs + query.sorts.map { (field: $0.field, indexes: $0.indexes) }
  }

  /// Any one of the indexes will do.
  private static func require(
    _ indexes: [Schema.Index], on name: FieldName, of type: Schema.RecordType, _ typeName: String,
    _ place: ContainerEnvironment
  ) throws(BrumeError) {
    guard let field = type.field(name) else {
      throw Schema.missing(field: name.description, type: typeName)
    }
    if field.isEncrypted {
      throw BrumeError(
        .badRequest,
        "Field '\(name)' of '\(typeName)' is encrypted and cannot be used in a query or a sort; "
          + "compare it in the app")
    }
    guard let wanted = indexes.first, field.indexes.isDisjoint(with: indexes) else { return }
    let word = wanted.rawValue.lowercased()
    let missing = IndexName(type: typeName, field: name.schemaName, index: word)
    guard Schema.Index.allowed(for: field.type).contains(wanted) else {
      throw BrumeError(
        .badRequest,
        "Field '\(name)' of '\(typeName)' is \(field.type.wireName), for which \(word) has no "
          + "meaning; use a field of another type")
    }
    guard name.hasIndexes else {
      throw BrumeError(
        .badRequest, "records cannot be sorted by '\(name)'; sort by another field")
    }
    throw BrumeError(
      .badRequest,
      "Field '\(name)' is not marked \(word) in record type '\(typeName)'; run "
        + "`\(missing.command(in: place))`")
  }

  private static func check(
    _ sort: Sort, _ type: Schema.RecordType, _ typeName: String, _ place: ContainerEnvironment
  ) throws(BrumeError) {
    let field = type.field(sort.field)
    if sort.relativeLocation == nil, field?.type == .location, field?.isEncrypted == false {
      throw BrumeError(
        .badRequest,
        "Field '\(sort.field)' of '\(typeName)' is LOCATION, and locations have no order of their own; add "
          + "'relativeLocation' to sort by the distance from a place")
    }
    try require(sort.indexes, on: sort.field, of: type, typeName, place)
    if sort.relativeLocation != nil, field?.type != .location {
      throw BrumeError(
        .badRequest,
        "Field '\(sort.field)' of '\(typeName)' is no location to sort by distance from; sort by "
          + "a field of type LOCATION")
    }
    if let place = sort.relativeLocation { try checkPlace(place, "the distance of", sort.field) }
  }
}

// MARK: Conditions

extension QueryRules {
  /// The condition with its value in the field's type.
  private static func condition(
    _ filter: Filter, _ type: Schema.RecordType, _ typeName: String,
    _ place: ContainerEnvironment, _ limits: Limits
  ) throws(BrumeError) -> Filter {
    guard let name = filter.field else {
      try requireSearchable(type, typeName, place)
      try checkWords(filter, limits)
      return try coerced(filter, to: .string, typeName)
    }
    try require(filter.comparator.indexes, on: name, of: type, typeName, place)
    guard let field = type.field(name) else {
      throw Schema.missing(field: name.description, type: typeName)
    }
    guard let expected = filter.comparator.valueType(for: field.type) else {
      let usable = Comparator.allCases.filter { $0.valueType(for: field.type) != nil }
      throw BrumeError(
        .badRequest,
        "Field '\(name)' of '\(typeName)' is \(field.type.wireName) and cannot be queried with "
          + "\(filter.comparator.rawValue); use \(usable.map(\.rawValue).joined(separator: ", "))")
    }
    if case .list(let values, _) = filter.value, values.count > limits.valuesPerFilter {
      throw BrumeError(
        .badRequest,
        "the condition on '\(name)' has \(values.count) values; the maximum is "
          + "\(limits.valuesPerFilter); use several queries")
    }
    if filter.comparator == .near { try checkDistance(filter, name) }
    if filter.comparator.indexes == [.searchable] { try checkWords(filter, limits) }
    return try coerced(filter, to: expected, typeName)
  }

  private static func checkDistance(_ filter: Filter, _ name: FieldName) throws(BrumeError) {
    if case .location(let place) = filter.value { try checkPlace(place, "NEAR on", name) }
    if let distance = filter.distance, distance.isFinite, distance >= 0 { return }
    throw BrumeError(
      .badRequest, "NEAR on field '\(name)' needs 'distance': metres, not negative")
  }

  /// - Parameter what: asks of the field.
  private static func checkPlace(
    _ place: Location, _ what: String, _ name: FieldName
  ) throws(BrumeError) {
    if place.isOnGlobe { return }
    throw BrumeError(
      .badRequest,
      "\(what) field '\(name)' is from no place: latitude is -90…90, longitude -180…180")
  }

  private static func checkWords(_ filter: Filter, _ limits: Limits) throws(BrumeError) {
    guard let count = Tokens.of(filter.value)?.count, count > limits.wordsPerSearch else { return }
    throw BrumeError(
      .badRequest,
      "\(filter.comparator.rawValue) on '\(filter.field?.description ?? "self")' has \(count) words; the "
        + "maximum is \(limits.wordsPerSearch); search for fewer")
  }

  private static func requireSearchable(
    _ type: Schema.RecordType, _ typeName: String, _ place: ContainerEnvironment
  ) throws(BrumeError) {
    if type.fields.values.contains(where: { $0.indexes.contains(.searchable) }) { return }
    let missing = IndexName(type: typeName, field: "FIELD", index: "searchable")
    throw BrumeError(
      .badRequest,
      "no field of record type '\(typeName)' is marked searchable; run "
        + "`\(missing.command(in: place))`")
  }

  private static func coerced(
    _ filter: Filter, to type: FieldType, _ typeName: String
  ) throws(BrumeError) -> Filter {
    var filter = filter
    if let value = filter.value.coerced(to: type, isTagged: false) {
      filter.value = value
    } else if type.element == .reference, let value = filter.value.named {
      filter.value = value
    } else {
      throw BrumeError(
        .badRequest,
        "Invalid value, expected type \(type.wireName): the condition \(filter.comparator.rawValue) "
          + "on '\(filter.field?.description ?? "self")' of '\(typeName)' got "
          + "\(filter.value.kind(insteadOf: type)); send that type")
    }
    return filter
  }
}

extension FieldValue {
  /// How many values a condition compares with.
  fileprivate var count: Int { if case .list(let values, _) = self { values.count } else { 1 } }
}

extension FieldName {
  /// Whether a schema says which indexes the field has. Of these two it does not: they can be asked for, and no more.
  fileprivate var hasIndexes: Bool { self != .system(.parent) && self != .system(.share) }
}

extension Sort {
  /// The indexes of which the sort needs one.
  fileprivate var indexes: [Schema.Index] {
    relativeLocation == nil ? [.sortable] : [.sortable, .queryable]
  }
}

extension Comparator {
  /// The indexes of which a condition needs one; the first is the one that errors name.
  fileprivate var indexes: [Schema.Index] {
    switch self {
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: [.queryable, .sortable]
    case .containsAllTokens, .containsAnyTokens: [.searchable]
    case .equals, .notEquals, .near, .in, .notIn, .beginsWith, .notBeginsWith, .listContains,
      .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
      .notListContainsAll, .listMemberBeginsWith, .notListMemberBeginsWith:
      [.queryable]
    }
  }

  /// The type that the condition's value must have; nil if the field's type does not fit.
  fileprivate func valueType(for field: FieldType) -> FieldType? {
    switch self {
    case .equals, .notEquals: field.isList || field == .location ? nil : field
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals:
      [.string, .int64, .double, .timestamp].contains(field) ? field : nil
    case .in, .notIn: field.isList || field == .location ? nil : .list(field)
    case .near: field == .location ? .location : nil
    case .containsAllTokens, .containsAnyTokens: field.element == .string ? .string : nil
    case .beginsWith, .notBeginsWith: field == .string ? .string : nil
    case .listContains, .notListContains: field.isList ? field.element : nil
    case .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
      field.isList ? field : nil
    case .listMemberBeginsWith, .notListMemberBeginsWith:
      field == .list(.string) ? .string : nil
    }
  }
}

extension FieldValue {
  /// References by record names, as clients may write them in conditions; nil for anything else.
  fileprivate var named: FieldValue? {
    switch self {
    case .string(let name): return .reference(Reference(recordName: name))
    case .list(let values, _):
      let references = values.compactMap { value -> FieldValue? in
        if case .string = value { value.named } else { nil }
      }
      return references.count == values.count ? .list(references, of: .reference) : nil
    case .int64, .double, .bytes, .timestamp, .location, .reference, .asset: return nil
    }
  }
}
