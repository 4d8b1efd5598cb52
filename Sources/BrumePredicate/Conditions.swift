// One comparison of the tree → its filters. A comparison has a field on one side and a constant on
// the other; written the other way round it is turned, so `'Swift' IN tags` is `tags CONTAINS`.
// Without a schema CONTAINS on a field always means list membership.

import BrumeModel

struct Conditions {
  let now: Milliseconds?

  func filters(_ comparison: Predicate.Comparison) throws(BrumeError) -> [Filter] {
    if let filter = try tokenFilter(comparison) { return [filter] }
    guard comparison.options.isEmpty || comparison.operation == .tokenMatches else {
      let letters = String(comparison.options.sorted())
      throw Predicate.refused(
        "the option [\(letters)]",
        "store a lower-case copy of the text in a field of its own and compare that")
    }
    if let filter = try distanceFilter(comparison) { return [filter] }
    switch comparison.modifier {
    case .direct: return try direct(comparison)
    case .any: return [try any(comparison)]
    case .all: return [try all(comparison)]
    }
  }

  private func direct(_ comparison: Predicate.Comparison) throws(BrumeError) -> [Filter] {
    let (key, operation, constant) = try sides(comparison)
    let field = try FieldName(keyPath: key)
    let right = Operand(constant, now)
    switch operation {
    case .equals: return [try equality(.equals, field, right)]
    case .notEquals: return [try equality(.notEquals, field, right)]
    case .lessThan: return [Filter(.lessThan, field, try right.ordered(operation))]
    case .lessThanOrEquals: return [Filter(.lessThanOrEquals, field, try right.ordered(operation))]
    case .greaterThan: return [Filter(.greaterThan, field, try right.ordered(operation))]
    case .greaterThanOrEquals:
      return [Filter(.greaterThanOrEquals, field, try right.ordered(operation))]
    case .between: return try between(field, right)
    case .in: return [Filter(.in, field, try right.list(operation))]
    case .contains: return [Filter(.listContains, field, try right.single(operation))]
    case .beginsWith: return [Filter(.beginsWith, field, try right.text(operation))]
    case .endsWith, .like, .matches:
      throw Predicate.refused(
        operation.rawValue, "use BEGINSWITH, or 'self CONTAINS' for a search by words")
    case .tokenMatches:
      throw Predicate.refused(
        "TOKENMATCHES on one field", "search every searchable field with 'self CONTAINS'")
    }
  }

  private func equality(
    _ comparator: Comparator, _ field: FieldName, _ right: Operand
  ) throws(BrumeError) -> Filter {
    guard right.isNothing else {
      return Filter(comparator, field, try right.single(.equals))
    }
    guard field == .system(.parent) || field == .system(.share) else {
      throw Predicate.refused(
        "comparing '\(field)' with nil",
        "only ___parent and ___share can be asked whether they are set; keep a field that says so")
    }
    return Filter(comparator, field, .string(""))
  }

  /// The two ends are included.
  private func between(_ field: FieldName, _ right: Operand) throws(BrumeError) -> [Filter] {
    guard let ends = right.elements, ends.count == 2 else {
      throw Predicate.refused(
        "BETWEEN without a list of two constants", "write field BETWEEN {low, high}")
    }
    return [
      Filter(.greaterThanOrEquals, field, try Operand(ends[0], now).quantity()),
      Filter(.lessThanOrEquals, field, try Operand(ends[1], now).quantity()),
    ]
  }
}

// MARK: ANY and ALL

extension Conditions {
  private func any(_ comparison: Predicate.Comparison) throws(BrumeError) -> Filter {
    let (key, operation, constant) = try sides(comparison)
    let field = try FieldName(keyPath: key)
    let right = Operand(constant, now)
    switch operation {
    case .equals: return Filter(.listContains, field, try right.single(operation))
    case .in, .contains:
      if right.elements == nil { return Filter(.listContains, field, try right.single(operation)) }
      return Filter(.listContainsAny, field, try right.list(operation))
    case .beginsWith: return Filter(.listMemberBeginsWith, field, try right.text(operation))
    case .notEquals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .between,
      .endsWith, .like, .matches, .tokenMatches:
      throw Predicate.refused(
        "ANY with \(operation.rawValue)", "ANY goes with ==, IN, CONTAINS and BEGINSWITH")
    }
  }

  /// `ALL {…} IN listField`, or turned `ALL listField CONTAINS {…}`.
  private func all(_ comparison: Predicate.Comparison) throws(BrumeError) -> Filter {
    let (key, operation, constant) = try sides(comparison)
    let right = Operand(constant, now)
    guard operation == .contains, right.elements != nil else {
      throw Predicate.refused(
        "ALL with \(comparison.operation.rawValue)", "write ALL %@ IN listField")
    }
    return Filter(.listContainsAll, try FieldName(keyPath: key), try right.list(operation))
  }

  /// The field, the operator as if the field stood on the left, and the constant.
  private func sides(
    _ comparison: Predicate.Comparison
  ) throws(BrumeError) -> (String, Predicate.Operation, Predicate.Expression) {
    switch (comparison.left, comparison.right) {
    case (.keyPath, .keyPath):
      throw Predicate.refused(
        "comparing two fields, \(comparison.summary)", "compare a field with a constant")
    case (.keyPath(let key), _):
      return (key, comparison.operation, comparison.right)
    case (_, .keyPath(let key)):
      guard let turned = comparison.operation.turned else {
        throw Predicate.refused(
          comparison.summary, "put the field to the left of \(comparison.operation.rawValue)")
      }
      return (key, turned, comparison.left)
    case (.call(let name, _), _) where name != "now", (_, .call(let name, _)) where name != "now":
      throw Predicate.refused(
        "the function or calculation '\(name.prefix(64))'",
        "compute the value first and pass it with %@")
    default:
      throw Predicate.refused(
        "\(comparison.summary), which names no field", "compare a field with a constant")
    }
  }
}

extension Predicate.Operation {
  /// The operator when the two sides change places.
  fileprivate var turned: Predicate.Operation? {
    switch self {
    case .equals, .notEquals: self
    case .lessThan: .greaterThan
    case .lessThanOrEquals: .greaterThanOrEquals
    case .greaterThan: .lessThan
    case .greaterThanOrEquals: .lessThanOrEquals
    case .in: .contains
    case .contains: .in
    case .between, .beginsWith, .endsWith, .like, .matches, .tokenMatches: nil
    }
  }
}
