// One spelling per meaning, so that subscriptions with the same condition are recognised as
// duplicates and share the work of matching.

package import BrumeModel

/// Makes keys of filter lists.
package enum Canonical {
  /// Equal for filter lists of equal meaning: without regard to their order, to repetition, to the
  /// order inside lists of alternatives, and to how a number or a record name is written.
  package static func key(_ filters: [Filter]) -> String {
    Set(filters.map(key)).sorted { Order.text($0, $1) == .before }.joined(separator: "\n")
  }

  private static func key(_ filter: Filter) -> String {
    let filter = single(filter)
    var parts = [filter.comparator.rawValue, quoted(filter.field)]
    switch filter.comparator {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
      parts.append(set(filter.value, in: filter.field))
    case .containsAllTokens, .containsAnyTokens:
      parts.append(words(filter.value))
    case .near:
      parts.append(spelling(filter.value, in: filter.field))
      parts.append(number(filter.distance ?? .nan))
    case .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
      .beginsWith, .notBeginsWith, .listContains, .notListContains, .listMemberBeginsWith,
      .notListMemberBeginsWith:
      parts.append(spelling(filter.value, in: filter.field))
    }
    return parts.joined(separator: " ")
  }
}

// MARK: Parts

extension Canonical {
  /// A list of one alternative is that alternative.
  private static func single(_ filter: Filter) -> Filter {
    guard case .list(let elements, _) = filter.value, elements.count == 1 else { return filter }
    let comparator: Comparator? =
      switch filter.comparator {
      case .in: .equals
      case .notIn: .notEquals
      case .listContainsAny, .listContainsAll: .listContains
      case .notListContainsAny, .notListContainsAll: .notListContains
      default: nil
      }
    guard let comparator else { return filter }
    let single = Filter(comparator, filter.field, elements[0])
    // An empty text alone asks whether there is a parent; in a list it is a name.
    return single.asksForPresence ? filter : single
  }

  /// System fields have no quotes, so that a field of the same name is another field.
  private static func quoted(_ field: FieldName?) -> String {
    switch field {
    case nil: "SELF"
    case .field(let name): quoted(name)
    case .system(let system): system.schemaName
    }
  }

  private static func set(_ value: FieldValue, in field: FieldName?) -> String {
    guard case .list(let elements, _) = value else { return spelling(value, in: field) }
    let spellings = Set(elements.map { spelling($0, in: field) })
    return "{" + spellings.sorted { Order.text($0, $1) == .before }.joined(separator: ",") + "}"
  }

  private static func words(_ value: FieldValue) -> String {
    guard let words = Tokens.of(value) else { return spelling(value, in: nil) }
    let folded = Set(words.map { quoted($0) })
    return "{" + folded.sorted { Order.text($0, $1) == .before }.joined(separator: ",") + "}"
  }

  private static func spelling(_ value: FieldValue, in field: FieldName?) -> String {
    switch value {
    case .string(let text):
      if case .system = field { "@" + quoted(text) } else { quoted(text) }
    case .int64(let integer): String(integer)
    case .double(let double): number(double)
    case .timestamp(let time, _): "t\(time)"
    case .reference(let reference): "@" + quoted(reference.recordName)
    case .bytes(let bytes): "x" + bytes.map { String($0, radix: 16) }.joined(separator: ".")
    case .location(let place): "(\(number(place.latitude)),\(number(place.longitude)))"
    case .asset(let asset): "f" + quoted(asset.fileChecksum)
    case .list(let elements, _):
      "[" + elements.map { spelling($0, in: field) }.joined(separator: ",") + "]"
    }
  }

  /// Whole numbers as integers: 5.0 equals 5.
  private static func number(_ value: Double) -> String {
    Int64(exactly: value).map { String($0) } ?? String(value)
  }

  /// Every byte outside printable ASCII is spelled out: texts are equal by bytes only.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), 0..<0x20, 0x7f...0xff:
        quoted += "\\" + String(byte, radix: 16) + ";"
      default: quoted.unicodeScalars.append(Unicode.Scalar(byte))
      }
    }
    return quoted + "\""
  }
}
