// The constant of a comparison: which kinds of value each operator takes.

import BrumeModel

struct Operand {
  private let expression: Predicate.Expression
  private let now: Milliseconds?

  init(_ expression: Predicate.Expression, _ now: Milliseconds?) {
    self.expression = expression
    self.now = now
  }

  var isNothing: Bool { expression == .nothing }

  /// Nil when it is not a list.
  var elements: [Predicate.Expression]? {
    if case .list(let elements) = expression { elements } else { nil }
  }

  /// One value of a type that queries can look at.
  func single(_ operation: Predicate.Operation) throws(BrumeError) -> FieldValue {
    let value = try constant(operation)
    switch value {
    case .string, .int64, .timestamp, .reference, .location: return value
    case .double(let number):
      guard number.isFinite else {
        throw Predicate.refused("a number that is not finite", "pass an ordinary number")
      }
      return value
    case .bytes, .asset:
      throw Predicate.refused(
        "a condition on data or a file",
        "bytes and asset fields are not searchable; keep a checksum in a text field")
    case .list:
      throw Predicate.refused("a list inside a list", "pass one list of values")
    }
  }

  /// A value that has an order.
  func ordered(_ operation: Predicate.Operation) throws(BrumeError) -> FieldValue {
    let value = try single(operation)
    switch value {
    case .string, .int64, .double, .timestamp: return value
    case .bytes, .location, .reference, .asset, .list:
      throw Predicate.refused(
        "\(operation.rawValue) with a reference or a location",
        "only numbers, dates and texts have an order")
    }
  }

  /// A number or a date, as BETWEEN needs.
  func quantity() throws(BrumeError) -> FieldValue {
    let value = try ordered(.between)
    if case .string = value {
      throw Predicate.refused("BETWEEN with texts", "write field >= %@ AND field <= %@")
    }
    return value
  }

  func text(_ operation: Predicate.Operation) throws(BrumeError) -> FieldValue {
    let value = try single(operation)
    guard case .string = value else {
      throw Predicate.refused(
        "\(operation.rawValue) with a constant that is not a text", "pass a text")
    }
    return value
  }

  /// A list of values of one type. Whole numbers among fractions count as fractions.
  func list(_ operation: Predicate.Operation) throws(BrumeError) -> FieldValue {
    guard let elements else {
      throw Predicate.refused(
        "\(operation.rawValue) with a single constant",
        "pass a list, or compare with == or CONTAINS")
    }
    var values: [FieldValue] = []
    for element in elements { values.append(try Operand(element, now).single(operation)) }
    let types = Set(values.compactMap(\.type))
    if types == [.int64, .double] {
      return .list(values, of: .double)
    }
    guard types.count <= 1 else {
      throw Predicate.refused(
        "a list of values of different types", "pass values of the field's own type")
    }
    return .list(values, of: types.first)
  }

  private func constant(_ operation: Predicate.Operation) throws(BrumeError) -> FieldValue {
    switch expression {
    case .constant(let value): return value
    case .call("now", let arguments) where arguments.isEmpty:
      guard let now else {
        throw Predicate.refused("now() in a subscription", "pass a date with %@")
      }
      return .timestamp(now)
    case .nothing:
      throw Predicate.refused(
        "nil with \(operation.rawValue)", "only ___parent and ___share can be compared with nil")
    case .list:
      throw Predicate.refused(
        "\(operation.rawValue) with a whole list",
        "use IN for alternatives, CONTAINS or ANY for the elements of a list field")
    case .call(let name, _):
      throw Predicate.refused(
        "the function or calculation '\(name.prefix(64))'",
        "compute the value first and pass it with %@")
    case .currentObject, .keyPath:
      throw Predicate.refused("comparing two fields", "compare a field with a constant")
    }
  }
}
