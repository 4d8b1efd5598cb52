// The lexer cuts a predicate format into words, numbers, texts, placeholders and signs. It knows no grammar:
// which words are keywords is FormatParser.swift. Any text gives tokens or an error.

import BrumeModel

/// A piece of a format, and where it starts (1 is the first character).
struct FormatToken: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    /// A name, a key path or a keyword.
    case word(String)
    /// A name after `#`, which is never a keyword.
    case name(String)
    /// Digits as they were written, without a sign.
    case number(String)
    case text(String)
    case placeholder(Placeholder)
    case variable(String)
    case sign(String)
    case end
  }
  enum Placeholder: Equatable, Sendable { case object, keyPath, integer, real }

  let kind: Kind
  let position: Int
}

struct FormatLexer {
  private let format: [Unicode.Scalar]
  private var next = 0

  init(_ format: String) { self.format = Array(format.unicodeScalars) }

  /// Every token, the last one `.end`.
  mutating func tokens() throws(BrumeError) -> [FormatToken] {
    var tokens: [FormatToken] = []
    while true {
      while let scalar = peek(), scalar.properties.isWhitespace { next += 1 }
      let start = next
      let kind = try token()
      tokens.append(FormatToken(kind: kind, position: start + 1))
      if kind == .end { return tokens }
    }
  }

  private mutating func token() throws(BrumeError) -> FormatToken.Kind {
    guard let scalar = peek() else { return .end }
    switch scalar {
    case "'", "\"":
      next += 1
      return .text(try text(until: scalar))
    case "%":
      next += 1
      return .placeholder(try placeholder())
    case "$":
      next += 1
      return .variable(word())
    case "#":
      next += 1
      guard let start = peek(), isWordStart(start) else { throw fault("'#' without a name") }
      return .name(word())
    case _ where isDigit(scalar), "." where peek(1).map(isDigit) == true:
      return .number(try number())
    case _ where isWordStart(scalar), "@" where peek(1).map(isWordStart) == true:
      return .word(word())
    default:
      return .sign(try sign())
    }
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    next + ahead < format.count ? format[next + ahead] : nil
  }

  private func fault(_ what: String, hint: String = "") -> BrumeError {
    FormatParser.fault(at: next + 1, what, hint: hint)
  }
}

// MARK: Words and signs

extension FormatLexer {
  /// A key path with its dots, or a function's name with its colons, is one word.
  private mutating func word() -> String {
    var word = String.UnicodeScalarView()
    while let scalar = peek() {
      let joins = scalar == "." && peek(1).map { isWordStart($0) || $0 == "@" } == true
      guard isWordPart(scalar) || joins || scalar == ":" || scalar == "@" else { break }
      word.append(scalar)
      next += 1
    }
    return String(word)
  }

  private mutating func sign() throws(BrumeError) -> String {
    let longest = ["==", "=<", "=>", "!=", "<=", "<>", ">=", "&&", "||", "**"]
    if let first = peek(), let second = peek(1) {
      let pair = String(Character(first)) + String(Character(second))
      if longest.contains(pair) {
        next += 2
        return pair
      }
    }
    guard let scalar = peek(), "=!<>(){}[],.+-*/".unicodeScalars.contains(scalar) else {
      throw fault("encountered \(NameRules.quoted(peek().map { String(Character($0)) } ?? ""))")
    }
    next += 1
    return String(Character(scalar))
  }

  private func isDigit(_ scalar: Unicode.Scalar) -> Bool { ("0"..."9").contains(scalar) }
  private func isWordStart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar.properties.isAlphabetic
  }
  private func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    isWordStart(scalar) || isDigit(scalar)
  }
}

// MARK: Numbers and placeholders

extension FormatLexer {
  private mutating func number() throws(BrumeError) -> String {
    var digits = ""
    if peek() == "0", let base = peek(1), "xXoObB".unicodeScalars.contains(base) {
      digits = "0" + String(Character(base))
      next += 2
      digits += take { $0.properties.isASCIIHexDigit }
    } else {
      digits = take(isDigit)
      if peek() == "." {
        next += 1
        digits += "." + take(isDigit)
      }
      digits += exponent()
    }
    if let scalar = peek(), isWordPart(scalar) {
      throw fault("a number ends in \(NameRules.quoted(String(Character(scalar))))")
    }
    return digits
  }

  private mutating func exponent() -> String {
    guard let e = peek(), e == "e" || e == "E" else { return "" }
    let isSigned = peek(1) == "-" || peek(1) == "+"
    guard let digit = peek(isSigned ? 2 : 1), isDigit(digit) else { return "" }
    let sign = isSigned ? String(Character(format[next + 1])) : ""
    next += isSigned ? 2 : 1
    return "e" + sign + take(isDigit)
  }

  private mutating func take(_ belongs: (Unicode.Scalar) -> Bool) -> String {
    var taken = String.UnicodeScalarView()
    while let scalar = peek(), belongs(scalar) {
      taken.append(scalar)
      next += 1
    }
    return String(taken)
  }

  /// `%@`, `%K` and the number conversions of C with their length letters.
  private mutating func placeholder() throws(BrumeError) -> FormatToken.Placeholder {
    let isLong = !take { "hlqLzjt".unicodeScalars.contains($0) }.isEmpty
    guard let letter = peek() else { throw fault("'%' without a letter") }
    next += 1
    switch letter {
    case "@" where !isLong: return .object
    case "K" where !isLong: return .keyPath
    case "d", "i", "u", "D", "U", "x", "X", "o": return .integer
    case "f", "F", "e", "E", "g", "G", "a", "A": return .real
    default:
      let shown = NameRules.quoted("%" + String(Character(letter)))
      throw fault("encountered \(shown)", hint: "use %@ for values and %K for field names")
    }
  }
}

// MARK: Texts

extension FormatLexer {
  private mutating func text(until quote: Unicode.Scalar) throws(BrumeError) -> String {
    var text = String.UnicodeScalarView()
    while let scalar = peek() {
      next += 1
      if scalar == quote { return String(text) }
      let meant = scalar == "\\" ? try escaped() : scalar
      if meant.value == 0 { throw fault("a text holds the character NUL") }
      text.append(meant)
    }
    throw fault("a text has no closing quotation mark")
  }

  private mutating func escaped() throws(BrumeError) -> Unicode.Scalar {
    guard let letter = peek() else { throw fault("a text ends in '\\'") }
    next += 1
    switch letter {
    case "n": return "\n"
    case "r": return "\r"
    case "t": return "\t"
    case "b": return "\u{8}"
    case "f": return "\u{c}"
    case "x": return try scalar(try hexadecimal(2))
    case "u": return try codeUnits()
    default: return letter
    }
  }

  /// `\uXXXX`, or two of them that make a surrogate pair.
  private mutating func codeUnits() throws(BrumeError) -> Unicode.Scalar {
    let high = try hexadecimal(4)
    guard (0xd800..<0xdc00).contains(high), peek() == "\\", peek(1) == "u" else {
      return try scalar(high)
    }
    next += 2
    let low = try hexadecimal(4)
    guard (0xdc00..<0xe000).contains(low) else { throw fault("a text holds half a character") }
    return try scalar(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00))
  }

  private func scalar(_ value: UInt32) throws(BrumeError) -> Unicode.Scalar {
    guard let scalar = Unicode.Scalar(value) else { throw fault("a text holds half a character") }
    return scalar
  }

  private mutating func hexadecimal(_ count: Int) throws(BrumeError) -> UInt32 {
    var value: UInt32 = 0
    for _ in 0..<count {
      guard let scalar = peek(), let digit = Character(scalar).hexDigitValue, scalar.isASCII else {
        throw fault("an escape in a text needs \(count) hexadecimal digits")
      }
      value = value << 4 | UInt32(digit)
      next += 1
    }
    return value
  }
}
