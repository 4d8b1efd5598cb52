// What a record's fields may hold, apart from what the schema says of them (that is
// Schema/JustInTimeSchema.swift): allowed names, no NUL, references inside the zone, the size.

package import BrumeModel

enum FieldRules {
  /// The values of a draft, checked and with references bound to the record's zone.
  static func checked(
    _ fields: [String: DraftField], of record: RecordID, in scope: DatabaseScope, isShare: Bool,
    limits: Limits
  ) throws(BrumeError) -> [String: DraftField] {
    var checked = fields
    for (name, draft) in fields {
      try NameRules.fieldName(name, ofShare: isShare, limits: limits)
      guard let value = draft.value else { continue }
      checked[name]?.value = try Self.checked(value, field: name, of: record, in: scope)
    }
    return checked
  }

  private static func checked(
    _ value: FieldValue, field: String, of record: RecordID, in scope: DatabaseScope
  ) throws(BrumeError) -> FieldValue {
    switch value {
    case .string(let text):
      if text.hasNUL {
        throw BrumeError(
          .badRequest, "field '\(field)' holds a NUL character; strings may not contain U+0000")
      }
      return value
    case .reference(let reference):
      return .reference(
        try bound(reference, of: record, in: scope, what: "field '\(field)'"))
    case .list(let values, let element):
      return try checkedList(values, of: element, field: field, record: record, in: scope)
    case .double(let number):
      if !number.isFinite {
        throw BrumeError(.badRequest, "field '\(field)' is not a finite number")
      }
      return value
    case .location(let place):
      if !(abs(place.latitude) <= 90 && abs(place.longitude) <= 180) {
        throw BrumeError(
          .badRequest, "field '\(field)' is no place: latitude is -90…90, longitude -180…180")
      }
      return value
    case .asset(var asset):
      asset.downloadURL = nil
      return .asset(asset)
    case .int64, .bytes, .timestamp:
      return value
    }
  }

  private static func checkedList(
    _ values: [FieldValue], of element: FieldType?, field: String, record: RecordID,
    in scope: DatabaseScope
  ) throws(BrumeError) -> FieldValue {
    var checked: [FieldValue] = []
    checked.reserveCapacity(values.count)
    for value in values {
      if case .list = value {
        throw BrumeError(.badRequest, "field '\(field)' is a list of lists; use one level")
      }
      if let element, let type = value.type, type != element {
        throw BrumeError(
          .badRequest,
          "field '\(field)' mixes types in its list: \(type.wireName) among "
            + "\(element.wireName); one list holds one type")
      }
      checked.append(try Self.checked(value, field: field, of: record, in: scope))
    }
    return .list(checked, of: element ?? checked.first?.type)
  }

  /// A reference with its zone filled in; one that leaves the zone is refused (case REF-03).
  static func bound(
    _ reference: Reference, of record: RecordID, in scope: DatabaseScope, what: String
  ) throws(BrumeError) -> Reference {
    if let zone = reference.zone {
      // No zone of the shared database is the caller's own.
      let isOwn = scope != .shared && UserID.aliases.contains(zone.ownerName ?? "")
      let isSameOwner = zone.ownerName == nil || zone.ownerName == record.zone.ownerName || isOwn
      if zone.name != record.zone.name || !isSameOwner {
        let owner = isSameOwner ? "" : " of another owner"
        throw BrumeError(
          .badRequest,
          "\(what) of record '\(record.name)' refers to zone '\(zone.name)'\(owner); a "
            + "reference must stay in the zone of its record, '\(record.zone.name)'")
      }
    }
    if reference.recordName.isEmpty || reference.recordName.hasNUL {
      throw BrumeError(
        .badRequest,
        "\(what) refers to a record without a name; give its 'recordName'")
    }
    var bound = reference
    bound.zone = record.zone
    return bound
  }

  /// Refuses a record above the size limit (case SAV-20), and one whose lists grow beyond what a request may bring: many
  /// saves together would bring it to any size, as an empty text has no bytes. One that was saved before stays as it is.
  static func checkSize(
    _ record: Record, after stored: Record?, limits: Limits
  ) throws(BrumeError) {
    let size = record.fields.reduce(0) { $0 + $1.key.utf8.count + $1.value.size }
    if size > limits.recordBytes {
      throw BrumeError(
        .limitExceeded,
        "record '\(record.name)' is too large: \(size) bytes without assets, the maximum is "
          + "\(limits.recordBytes); keep large values in assets")
    }
    let elements = record.listElements
    if elements > limits.listElementsPerRequest, elements > stored?.listElements ?? 0 {
      throw BrumeError(
        .limitExceeded,
        "the lists of record '\(record.name)' have \(elements) elements in all; the maximum is "
          + "\(limits.listElementsPerRequest). Spread them over several records, or keep long lists in assets"
      )
    }
  }
}

extension FieldValue {
  /// The references in this value.
  var references: [Reference] {
    switch self {
    case .reference(let reference): [reference]
    case .list(let values, of: .reference): values.flatMap(\.references)
    case .string, .int64, .double, .bytes, .timestamp, .location, .asset, .list: []
    }
  }

  /// How many elements it has as a list.
  var listElements: Int { if case .list(let values, _) = self { values.count } else { 0 } }
}

extension Record {
  /// How many elements its lists have in all.
  var listElements: Int { fields.values.reduce(0) { $0 + $1.listElements } }

  /// Names of the records that fields refer to by an action.
  package func targets(by action: Reference.Action) -> Set<String> {
    var names: Set<String> = []
    for value in fields.values {
      for reference in value.references where reference.action == action {
        names.insert(reference.recordName)
      }
    }
    return names
  }
}

extension String {
  fileprivate var hasNUL: Bool {
    hasByte({ $0 == 0 }) { ($0 &- 0x0101_0101_0101_0101) & ~$0 & 0x8080_8080_8080_8080 != 0 }
  }
}
