// The values of a predicate format: constants, names, lists, calls and placeholders.

import BrumeModel

extension FormatParser {
  /// A value, or a condition in parentheses.
  mutating func value() throws(BrumeError) -> Node {
    let node = try plainValue()
    guard token.kind == .sign(".") || token.kind == .sign("[") else { return node }
    guard token.kind != .sign("[") else {
      throw unexpected("a comparison", hint: "CloudKit has no conditions on one element by index")
    }
    return .value(.keyPath(try path(from: node)))
  }

  private mutating func plainValue() throws(BrumeError) -> Node {
    let kind = token.kind
    switch kind {
    case .sign("("):
      return try parenthesis()
    case .sign("{"):
      return .value(.list(try values(from: "{", to: "}")))
    case .sign("-"):
      return .value(try negative())
    case .text(let text):
      advance()
      return .value(.constant(.string(text)))
    case .number(let digits):
      let number = try number(digits, isNegative: false)
      advance()
      return .value(.constant(number))
    case .placeholder(let placeholder):
      let expression = try substitute(placeholder)
      advance()
      return .value(expression)
    case .name(let name):
      advance()
      return .value(.keyPath(name))
    case .word(let word):
      return try named(word)
    case .variable:
      throw unexpected("a value", hint: "pass values with %@, variables are not supported")
    case .sign, .end:
      throw unexpected("a value")
    }
  }

  private mutating func parenthesis() throws(BrumeError) -> Node {
    try enter()
    advance()
    let node = try inParenthesis()
    if token.kind == .sign(",") { throw unexpected("')'", hint: "lists are written {a, b}") }
    try expect(")")
    leave()
    return node
  }

  private mutating func values(
    from opening: String, to closing: String
  ) throws(BrumeError) -> [Predicate.Expression] {
    try enter()
    try expect(opening)
    var values: [Predicate.Expression] = []
    if !accept(sign: closing) {
      repeat {
        let node = try operand()
        values.append(try value(node))
      } while accept(sign: ",")
      try expect(closing)
    }
    leave()
    return values
  }

  private mutating func negative() throws(BrumeError) -> Predicate.Expression {
    advance()
    if case .number(let digits) = token.kind {
      let number = try number(digits, isNegative: true)
      advance()
      return .constant(number)
    }
    try enter()
    let node = try value()
    leave()
    return .call("-", [try value(node)])
  }

  /// The rest of a path whose first part is a placeholder: `%K.name`, `%K.%K`.
  private mutating func path(from node: Node) throws(BrumeError) -> String {
    guard case .value(.keyPath(var path)) = node else { throw unexpected("a comparison") }
    while accept(sign: ".") {
      let part = try plainValue()
      guard case .value(.keyPath(let name)) = part else { throw unexpected("a field name") }
      path += "." + name
    }
    return path
  }
}

// MARK: Words

extension FormatParser {
  private mutating func named(_ word: String) throws(BrumeError) -> Node {
    let upper = word.uppercased()
    if Self.operators.contains(upper) {
      throw unexpected("a value", hint: "a field of that name is written #\(word)")
    }
    advance()
    let isCall = token.kind == .sign("(")
    if Self.foreign.contains(upper) || isCall && Self.foreignCalls.contains(upper) {
      throw BrumeError(
        .badRequest,
        "\(upper) is not supported in CloudKit predicates; compare one field with a constant")
    }
    if isCall { return .value(.call(word, try values(from: "(", to: ")"))) }
    switch upper {
    case "TRUEPREDICATE": return .condition(.always(true))
    case "FALSEPREDICATE": return .condition(.always(false))
    case "TRUE", "YES": return .value(.constant(.int64(1)))
    case "FALSE", "NO": return .value(.constant(.int64(0)))
    case "NIL", "NULL": return .value(.nothing)
    case "SELF": return .value(.currentObject)
    default: return .value(.keyPath(upper.hasPrefix("SELF.") ? String(word.dropFirst(5)) : word))
    }
  }

  private static let operators: Set<String> = [
    "AND", "OR", "NOT", "IN", "CONTAINS", "BEGINSWITH", "ENDSWITH", "LIKE", "MATCHES", "BETWEEN",
    "TOKENMATCHES", "ANY", "SOME", "ALL", "NONE",
  ]
  private static let foreign: Set<String> = ["SUBQUERY", "CAST", "FETCH"]
  /// No reserved words: without a parenthesis they are fields.
  private static let foreignCalls: Set<String> = ["FUNCTION", "TERNARY"]
}

// MARK: Numbers and placeholders

extension FormatParser {
  private func number(_ digits: String, isNegative: Bool) throws(BrumeError) -> FieldValue {
    let text = isNegative ? "-" + digits : digits
    let body = digits.dropFirst(2)
    let integer: Int64? =
      switch digits.prefix(2) {
      case "0x", "0X": Int64((isNegative ? "-" : "") + body, radix: 16)
      case "0o", "0O": Int64((isNegative ? "-" : "") + body, radix: 8)
      case "0b", "0B": Int64((isNegative ? "-" : "") + body, radix: 2)
      default: Int64(text)
      }
    if let integer { return .int64(integer) }
    guard digits.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "e") }),
      let real = Double(text.hasSuffix(".") ? text + "0" : text), real.isFinite
    else { throw unexpected("a number of 64 bits") }
    return .double(real)
  }

  private mutating func substitute(
    _ placeholder: FormatToken.Placeholder
  ) throws(BrumeError) -> Predicate.Expression {
    guard let argument = argument() else {
      throw unexpected("the end", hint: "there are more placeholders than arguments")
    }
    switch (placeholder, argument) {
    case (.object, _): return try expression(argument)
    case (.keyPath, .keyPath(let path)), (.keyPath, .value(.string(let path))):
      return .keyPath(path)
    case (.integer, .value(.int64)), (.real, .value(.double)): return try expression(argument)
    case (.integer, .value(.double(let real))):
      if let integer = Int64(exactly: real) { return .constant(.int64(integer)) }
    case (.real, .value(.int64(let integer))): return .constant(.double(Double(integer)))
    default: break
    }
    let wanted = placeholder == .keyPath ? "a field name as argument" : "a number as argument"
    throw unexpected(wanted, hint: "use %@ for values and %K for field names")
  }

  private mutating func expression(
    _ argument: PredicateArgument
  ) throws(BrumeError) -> Predicate.Expression {
    switch argument {
    case .null: return .nothing
    case .keyPath(let path): return .keyPath(path)
    case .value(.list(let elements, _)): return .list(elements.map { .constant($0) })
    case .value(let value): return .constant(value)
    case .list(let arguments):
      try enter()
      var expressions: [Predicate.Expression] = []
      for argument in arguments { expressions.append(try expression(argument)) }
      leave()
      return .list(expressions)
    }
  }
}
