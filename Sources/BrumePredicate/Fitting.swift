// A filter against its field's type: does the comparator apply, and is the constant of that type or
// can it become so without loss? Engines get fitted filters only, so a double field is compared with
// doubles wherever that is exact.

package import BrumeModel

extension Comparator {
  /// Whether the comparator has a meaning for fields of a type. Bytes and files have none at all.
  package func applies(to type: FieldType) -> Bool {
    switch self {
    case .equals, .notEquals, .in, .notIn: !type.isList && type.isComparable
    case .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals: type.isOrdered
    case .near: type == .location
    case .beginsWith, .notBeginsWith: type == .string
    case .containsAllTokens, .containsAnyTokens: type.element == .string
    case .listContains, .notListContains, .listContainsAny, .notListContainsAny, .listContainsAll,
      .notListContainsAll:
      type.isList && type.element.isComparable
    case .listMemberBeginsWith, .notListMemberBeginsWith: type == .list(.string)
    }
  }

  /// Whether the constant is a list.
  package var takesList: Bool {
    switch self {
    case .in, .notIn, .listContainsAny, .notListContainsAny, .listContainsAll, .notListContainsAll:
      true
    case .equals, .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals,
      .near, .beginsWith, .notBeginsWith, .containsAllTokens, .containsAnyTokens, .listContains,
      .notListContains, .listMemberBeginsWith, .notListMemberBeginsWith:
      false
    }
  }
}

extension FieldType {
  fileprivate var isOrdered: Bool {
    switch self {
    case .string, .int64, .double, .timestamp: true
    case .bytes, .location, .reference, .asset, .list: false
    }
  }
  fileprivate var isComparable: Bool { isOrdered || self == .reference || self == .location }
}

extension SystemField {
  /// The type that conditions and sorts see.
  package var type: FieldType {
    switch self {
    case .createdTimestamp, .modifiedTimestamp: .timestamp
    case .recordName, .createdUserRecordName, .modifiedUserRecordName, .share, .parent: .reference
    }
  }
}

extension Filter {
  /// The filter with its constant in the field's own type.
  ///
  /// - Throws: `badRequest` if the constant has no value of the type.
  package func fitted(to type: FieldType) throws(BrumeError) -> Filter {
    let name = field?.description ?? "SELF"
    guard comparator.applies(to: type) else {
      throw BrumeError(
        .badRequest,
        "field '\(name)' of type \(type.wireName) cannot be queried with \(comparator.rawValue)")
    }
    if asksForPresence { return self }
    var fitted = self
    switch comparator {
    case .near:
      guard let distance, distance.isFinite, distance >= 0 else {
        throw BrumeError(
          .badRequest, "NEAR on field '\(name)' needs a distance in metres that is not negative")
      }
      fitted.value = try value.fitted(to: .location, name)
    case _ where comparator.takesList:
      fitted.value = try value.listFitted(to: type.element, name)
    default:
      fitted.value = try value.fitted(to: type.element, name)
    }
    return fitted
  }
}

extension FieldValue {
  fileprivate func listFitted(
    to element: FieldType, _ name: String
  ) throws(BrumeError) -> FieldValue {
    guard case .list(let values, _) = self else {
      throw Self.misfit(name, .list(element))
    }
    var fitted: [FieldValue] = []
    for value in values { fitted.append(try value.fitted(to: element, name)) }
    return .list(fitted, of: element)
  }

  /// A number that the field's type cannot hold stays as it is: it still has its place in the order.
  fileprivate func fitted(to type: FieldType, _ name: String) throws(BrumeError) -> FieldValue {
    switch (type, self) {
    case (.double, .double(let number)) where number.isFinite: return self
    case (.double, .int64(let number)): return Double(exactly: number).map { .double($0) } ?? self
    case (.int64, .double(let number)) where number.isFinite:
      return Int64(exactly: number).map { .int64($0) } ?? self
    case (.timestamp, .int64(let number)): return .timestamp(number)
    case (.timestamp, .double(let number)):
      if let whole = Int64(exactly: number) { return .timestamp(whole) }
    case (.reference, .string(let target)): return .reference(Reference(recordName: target))
    case (.location, .location(let place)) where place.isOnGlobe: return self
    case (.string, .string), (.int64, .int64), (.timestamp, .timestamp), (.reference, .reference):
      return self
    default: break
    }
    throw Self.misfit(name, type)
  }

  private static func misfit(_ name: String, _ type: FieldType) -> BrumeError {
    BrumeError(
      .badRequest, "invalid value for field '\(name)', expected type \(type.wireName)")
  }
}
