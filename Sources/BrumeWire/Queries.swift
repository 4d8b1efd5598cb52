// `records/query`: the query dictionary, which subscriptions share, its body and its reply.

package import BrumeModel

// MARK: The query dictionary

extension JSONWriter {
  mutating func query(_ query: Query) {
    beginObject()
    member("recordType", query.recordType)
    if !query.filters.isEmpty { array("filterBy", query.filters) { $0.filter($1) } }
    if !query.sorts.isEmpty { array("sortBy", query.sorts) { $0.sort($1) } }
    endObject()
  }

  private mutating func filter(_ filter: Filter) {
    beginObject()
    member("comparator", filter.comparator.rawValue)
    fieldName(filter.field)
    name("fieldValue")
    field(filter.value, RecordOptions())
    member("distance", number: filter.distance)
    endObject()
  }

  private mutating func sort(_ sort: Sort) {
    beginObject()
    fieldName(sort.field)
    member("ascending", sort.ascending)
    if let place = sort.relativeLocation {
      name("relativeLocation")
      field(.location(place), RecordOptions())
    }
    endObject()
  }

  private mutating func fieldName(_ field: FieldName?) {
    switch field {
    case .field(let name): member("fieldName", name)
    case .system(let field): member("systemFieldName", field.rawValue)
    case nil: break
    }
  }
}

extension Query {
  init(_ object: JSONObject) throws(BrumeError) {
    self.init(recordType: try object.requiredString("recordType"))
    filters = try eachElement(of: try object.oneOrMore("filterBy") ?? [], in: "filterBy") {
      filter throws(BrumeError) in try Filter(filter)
    }
    sorts = try eachElement(of: try object.oneOrMore("sortBy") ?? [], in: "sortBy") {
      sort throws(BrumeError) in try Sort(sort)
    }
  }
}

extension Filter {
  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    let text = try object.requiredString("comparator")
    // CloudKit: `CONTAINS_ANY` turned up in a capture of a first-party app.
    guard let comparator = text == "CONTAINS_ANY" ? .listContainsAny : Comparator(rawValue: text)
    else {
      let names = Comparator.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest, "the comparator '\(NameRules.shown(text))' does not exist; there are \(names)")
    }
    let field = try FieldName.read(object)
    let searchesAll = comparator == .containsAllTokens || comparator == .containsAnyTokens
    guard field != nil || searchesAll else {
      throw BrumeError(.badRequest, "'fieldName' or 'systemFieldName' is missing; add one of them")
    }
    var dictionary = try object.required("fieldValue", object["fieldValue"])
    if field == .system(.recordName) { dictionary = Self.recordName(dictionary) }
    let name = field?.description ?? "fieldValue"
    guard let value = try DraftField(json: dictionary, field: name).value else {
      throw BrumeError(
        .badRequest,
        "'fieldValue.value' is missing; \(text) needs a value to compare with, and no condition finds the "
          + "records that lack a field")
    }
    self.init(comparator, field, value, distance: try object.double("distance"))
  }
}

extension Filter {
  /// A record's name may be a reference or a text, whatever the tag says.
  // CloudKit: cloudkit_flutter sends `{"value": {"recordName": …}, "type": "STRING"}`.
  private static func recordName(_ value: JSON) -> JSON {
    guard case .object(var dictionary) = value, let tag = dictionary["type"]?.string,
      let content = dictionary["value"]
    else { return value }
    let name = content.array?.first ?? content
    let isOther =
      tag.hasPrefix("STRING") && name.object != nil
      || tag.hasPrefix("REFERENCE") && name.string != nil
    if isOther { dictionary["type"] = nil }
    return .object(dictionary)
  }
}

extension Sort {
  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    guard let field = try FieldName.read(object) else {
      throw BrumeError(.badRequest, "'fieldName' or 'systemFieldName' is missing; add one of them")
    }
    self.init(field, ascending: try object.bool("ascending") ?? true)
    guard let place = try object.object("relativeLocation") else { return }
    // CloudKit: a field dictionary is documented; a bare location is what some clients send.
    let bare = place["value"] ?? .object(place)
    guard
      case .location(let location) =
        try FieldValue(json: bare, type: .location, field: "relativeLocation")
    else { return }
    relativeLocation = location
  }
}

extension FieldName {
  /// CloudKit: OpenCloudKit puts the schema's name of a system field into `fieldName`.
  fileprivate static func read(_ object: JSONObject) throws(BrumeError) -> FieldName? {
    let name = try object.string("fieldName")
    let field = name.map { FieldName(wire: $0) }
    guard let systemName = try object.string("systemFieldName") else { return field }
    let system = FieldName.system(try SystemField(wire: systemName))
    guard field == nil || field == system || name == systemName else {
      throw BrumeError(
        .badRequest,
        "'fieldName' and 'systemFieldName' name different fields; leave one of them out")
    }
    return system
  }

  private init(wire name: String) {
    // No record has a field of a reserved name: clients that write one mean the system's.
    let reserved = NameRules.reservedFields.contains(name) ? SystemField(rawValue: name) : nil
    self = (SystemField(spelled: name) ?? reserved).map { .system($0) } ?? .field(name)
  }
}

extension SystemField {
  /// By the schema's name.
  // CloudKit: `___recordId` is how hfhbd/CloudKitClient and clj-cloudkit spell `___recordID`.
  fileprivate init?(spelled name: String) {
    self.init(schemaName: name == "___recordId" ? SystemField.recordName.schemaName : name)
  }

  fileprivate init(wire name: String) throws(BrumeError) {
    guard let field = SystemField(rawValue: name) ?? SystemField(spelled: name) else {
      let names = SystemField.allCases.map(\.rawValue).joined(separator: ", ")
      throw BrumeError(
        .badRequest,
        "the system field '\(NameRules.shown(name))' does not exist; there are \(names)")
    }
    self = field
  }
}

// MARK: Request

extension QueryRequest: WireRequest {
  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    let query = try object.required("query", try object.object("query"))
    _ = try object.numbersAsStrings()
    self.init(
      query: try Query(query), zone: try object.zoneID("zoneID"),
      zoneWide: try object.bool("zoneWide") ?? false, limit: try object.limit("resultsLimit"),
      marker: try object.string("continuationMarker"),
      desiredKeys: try object.desiredKeys())
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.zoneMember(zone)
    if zoneWide { writer.member("zoneWide", true) }
    writer.name("query")
    writer.query(query)
    writer.member("resultsLimit", limit.map { Int64($0) })
    writer.member("continuationMarker", marker)
    writer.member("desiredKeys", desiredKeys)
    writer.endObject()
  }
}

// MARK: Reply

extension JSONWriter {
  mutating func queryPage(
    _ page: QueryPage, _ options: RecordOptions, syncToken: String?
  ) {
    beginObject()
    array("records", page.records) { $0.storedRecord($1, options) }
    member("continuationMarker", page.marker)
    member("syncToken", syncToken)
    endObject()
  }
}

extension Wire {
  /// The reply of `records/query`.
  package static func queryPageInPieces(
    _ page: QueryPage, _ options: RecordOptions, syncToken: String? = nil
  ) -> [[UInt8]] {
    pieces { $0.queryPage(page, options, syncToken: syncToken) }
  }

  /// Reads the reply of `records/query`.
  package static func queryPage(_ json: JSON) throws(BrumeError) -> QueryPage {
    let object = try json.asObject("the reply")
    let records = try object.required("records", try object.array("records"))
    var page = QueryPage(records: [], marker: try object.string("continuationMarker"))
    page.records = try eachElement(of: records, in: "records") { record throws(BrumeError) in
      try StoredRecord(received: record)
    }
    return page
  }
}
