// The lexer cuts a schema text into words, quoted names and signs; comments and white space fall away. Any
// text gives tokens or an error with line and column.

import BrumeModel

struct SchemaToken: Equatable, Sendable {
  enum Kind: Equatable, Sendable {
    case word(String)
    case quoted(String)
    case sign(Unicode.Scalar)
    case end
  }
  let kind: Kind
  let position: Position

  struct Position: Equatable, Sendable {
    var line = 1
    var column = 1
  }
}

struct SchemaLexer {
  private let text: [Unicode.Scalar]
  private var next = 0
  private var position = SchemaToken.Position()

  init(_ text: String) { self.text = Array(text.unicodeScalars) }

  /// Every token, the last one `.end`.
  mutating func tokens() throws(SchemaFault) -> [SchemaToken] {
    var tokens: [SchemaToken] = []
    while true {
      try skipSpace()
      let start = position
      let kind = try token()
      tokens.append(SchemaToken(kind: kind, position: start))
      if kind == .end { return tokens }
    }
  }

  private mutating func token() throws(SchemaFault) -> SchemaToken.Kind {
    guard let scalar = peek() else { return .end }
    if scalar == "\"" { return .quoted(try quoted()) }
    if isWordPart(scalar) {
      var word = String.UnicodeScalarView()
      while let scalar = peek(), isWordPart(scalar) {
        word.append(scalar)
        advance()
      }
      return .word(String(word))
    }
    guard "(),;<>".unicodeScalars.contains(scalar) else {
      throw SchemaParser.fault(
        position, "encountered \(NameRules.quoted(String(Character(scalar))))",
        "a name, a keyword or one of ( ) , ; < >")
    }
    advance()
    return .sign(scalar)
  }

  private mutating func quoted() throws(SchemaFault) -> String {
    let start = position
    advance()
    var name = String.UnicodeScalarView()
    while let scalar = peek(), scalar != "\n" {
      advance()
      if scalar == "\"" { return String(name) }
      name.append(scalar)
    }
    throw SchemaParser.fault(start, "encountered a name without an end", "'\"' on the same line")
  }
}

// MARK: Space and comments

extension SchemaLexer {
  private mutating func skipSpace() throws(SchemaFault) {
    while let scalar = peek() {
      switch (scalar, peek(1)) {
      case ("/", "/"), ("-", "-"):
        while let scalar = peek(), scalar != "\n" { advance() }
      case ("/", "*"):
        try skipComment()
      case _ where scalar.properties.isWhitespace || scalar == "\u{feff}":
        advance()
      default:
        return
      }
    }
  }

  private mutating func skipComment() throws(SchemaFault) {
    let start = position
    advance()
    advance()
    while let scalar = peek() {
      advance()
      if scalar == "*", peek() == "/" {
        advance()
        return
      }
    }
    throw SchemaParser.fault(start, "encountered a comment without an end", "'*/'")
  }

  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    next + ahead < text.count ? text[next + ahead] : nil
  }

  private mutating func advance() {
    if text[next] == "\n" {
      position.line += 1
      position.column = 1
    } else {
      position.column += 1
    }
    next += 1
  }

  private func isWordPart(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "_": true
    default: false
    }
  }
}
