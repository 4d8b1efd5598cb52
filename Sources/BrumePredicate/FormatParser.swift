// `NSPredicate` format text and its arguments → tree. The grammar is Foundation's; keywords have no
// case. Any text gives a tree or an error that says where and what was expected. Depth and number
// of conditions are bounded, so no text can exhaust the stack.
//
//   either     = both { ("||" | OR) both }
//   both       = negated { ("&&" | AND) negated }
//   negated    = ("!" | NOT) negated | comparison
//   comparison = [ANY | SOME | ALL | NONE] sum [operator ["[" letters "]"] sum]
//   sum        = value { ("+" | "-" | "*" | "/" | "**") value }
//
// A parenthesis may hold a condition or a value, so each rule gives one or the other; this keeps
// parsing in one pass. The values are FormatParser+Values.swift.

package import BrumeModel

extension Predicate {
  /// Nesting of parentheses, negations, lists and calls.
  package static let maximumDepth = 32

  /// Parses a format. The arguments stand in for its placeholders, in order.
  ///
  /// - Throws: `badRequest` with the character at which the format is wrong, or for too many conditions.
  package init(format: String, arguments: [PredicateArgument] = []) throws(BrumeError) {
    var lexer = FormatLexer(format)
    var parser = FormatParser(try lexer.tokens(), arguments)
    self = try parser.parse()
  }
}

struct FormatParser {
  enum Node {
    case condition(Predicate)
    case value(Predicate.Expression)
  }

  private let tokens: [FormatToken]
  private var next = 0
  private var arguments: ArraySlice<PredicateArgument>
  private var depth = 0
  private var terms = 0

  init(_ tokens: [FormatToken], _ arguments: [PredicateArgument]) {
    self.tokens = tokens
    self.arguments = arguments[...]
  }

  mutating func parse() throws(BrumeError) -> Predicate {
    let node = try either()
    let predicate = try condition(node)
    guard case .end = token.kind else { throw unexpected("AND, OR or the end") }
    return predicate
  }

  private mutating func either() throws(BrumeError) -> Node {
    let first = try both()
    guard isKeyword("OR", sign: "||") else { return first }
    var parts = [try condition(first)]
    while accept("OR", sign: "||") {
      let part = try both()
      parts.append(try condition(part))
    }
    return .condition(.or(parts))
  }

  private mutating func both() throws(BrumeError) -> Node {
    let first = try negated()
    guard isKeyword("AND", sign: "&&") else { return first }
    var parts = [try condition(first)]
    while accept("AND", sign: "&&") {
      let part = try negated()
      parts.append(try condition(part))
    }
    return .condition(.and(parts))
  }

  private mutating func negated() throws(BrumeError) -> Node {
    guard accept("NOT", sign: "!") else { return try comparison() }
    try enter()
    let node = try negated()
    leave()
    return .condition(.not(try condition(node)))
  }

  /// What stands between parentheses.
  mutating func inParenthesis() throws(BrumeError) -> Node { try either() }

  /// What stands between the commas of a list or a call.
  mutating func operand() throws(BrumeError) -> Node { try sum() }

  private func condition(_ node: Node) throws(BrumeError) -> Predicate {
    guard case .condition(let predicate) = node else {
      throw unexpected("a comparison such as == or IN")
    }
    return predicate
  }
}

// MARK: Comparisons

extension FormatParser {
  private mutating func comparison() throws(BrumeError) -> Node {
    let modifier = quantifier()
    let node = try sum()
    guard let operation = try comparisonSign() else {
      if modifier != nil { throw unexpected("a comparison such as == or IN") }
      return node
    }
    let left = try value(node)
    let options = try self.options()
    let other = try sum()
    let right = try value(other)
    try countTerm()
    let comparison = Predicate.Comparison(
      left, operation, right, modifier: modifier?.modifier ?? .direct, options: options)
    let result = Predicate.comparison(comparison)
    return .condition(modifier?.isNegated == true ? .not(result) : result)
  }

  private mutating func quantifier() -> (modifier: Predicate.Modifier, isNegated: Bool)? {
    if accept("ANY") || accept("SOME") { return (.any, false) }
    if accept("ALL") { return (.all, false) }
    if accept("NONE") { return (.any, true) }
    return nil
  }

  private mutating func comparisonSign() throws(BrumeError) -> Predicate.Operation? {
    let operation: Predicate.Operation? =
      switch token.kind {
      case .sign("="), .sign("=="): .equals
      case .sign("!="), .sign("<>"): .notEquals
      case .sign("<"): .lessThan
      case .sign("<="), .sign("=<"): .lessThanOrEquals
      case .sign(">"): .greaterThan
      case .sign(">="), .sign("=>"): .greaterThanOrEquals
      case .word(let word): Predicate.Operation(rawValue: word.uppercased())
      default: nil
      }
    if operation != nil { next += 1 }
    return operation
  }

  /// `[cd]` after an operator: c case, d diacritics, n normalised, l locale, w words.
  private mutating func options() throws(BrumeError) -> Set<Character> {
    guard accept(sign: "[") else { return [] }
    guard case .word(let letters) = token.kind, letters.allSatisfy({ "cdnlwCDNLW".contains($0) })
    else { throw unexpected("option letters such as [cd]") }
    next += 1
    try expect("]")
    return Set(letters.lowercased())
  }

  private mutating func sum() throws(BrumeError) -> Node {
    var node = try value()
    while case .sign(let sign) = token.kind, ["+", "-", "*", "/", "**"].contains(sign) {
      next += 1
      try countTerm()
      let left = try value(node)
      let other = try value()
      node = .value(.call(sign, [left, try value(other)]))
    }
    return node
  }

  func value(_ node: Node) throws(BrumeError) -> Predicate.Expression {
    guard case .value(let expression) = node else { throw unexpected("AND, OR or the end") }
    return expression
  }
}

// MARK: Reading tokens

extension FormatParser {
  var token: FormatToken { tokens[min(next, tokens.count - 1)] }

  mutating func advance() { next += 1 }

  private func isKeyword(_ keyword: String, sign: String?) -> Bool {
    switch token.kind {
    case .word(let word): word.uppercased() == keyword
    case .sign(let found): found == sign
    default: false
    }
  }

  mutating func accept(_ keyword: String, sign: String? = nil) -> Bool {
    guard isKeyword(keyword, sign: sign) else { return false }
    next += 1
    return true
  }

  mutating func accept(sign: String) -> Bool {
    guard token.kind == .sign(sign) else { return false }
    next += 1
    return true
  }

  mutating func expect(_ sign: String) throws(BrumeError) {
    guard accept(sign: sign) else { throw unexpected("'\(sign)'") }
  }

  mutating func argument() -> PredicateArgument? { arguments.popFirst() }

  /// Every `enter` is followed by `leave` unless an error ends the parsing.
  mutating func enter() throws(BrumeError) {
    depth += 1
    guard depth <= Predicate.maximumDepth else {
      throw BrumeError(
        .badRequest,
        "the predicate is nested deeper than \(Predicate.maximumDepth) levels; simplify it")
    }
  }
  mutating func leave() { depth -= 1 }

  private mutating func countTerm() throws(BrumeError) {
    terms += 1
    let limit = Limits.apple.filtersPerQuery
    guard terms <= limit else {
      throw BrumeError(
        .badRequest, "the predicate has more than \(limit) conditions; use IN or several queries")
    }
  }
}

// MARK: Errors

extension FormatParser {
  func unexpected(_ expected: String, hint: String = "") -> BrumeError {
    let found =
      switch token.kind {
      case .word(let text), .name(let text), .number(let text), .text(let text), .sign(let text):
        NameRules.quoted(text)
      case .variable(let name): NameRules.quoted("$" + name)
      case .placeholder(.object): "'%@'"
      case .placeholder(.keyPath): "'%K'"
      case .placeholder(.integer), .placeholder(.real): "a number placeholder"
      case .end: "the end"
      }
    return Self.fault(
      at: token.position, "encountered \(found), was expecting \(expected)", hint: hint)
  }

  static func fault(at position: Int, _ what: String, hint: String = "") -> BrumeError {
    let hint = hint.isEmpty ? "" : "; " + hint
    return BrumeError(
      .badRequest, "the predicate format is wrong at character \(position): \(what)\(hint)")
  }
}
