// Schema text → schema. Any text gives a schema or an error with line and column. Keywords have no
// case; names have.
//
//   schema = DEFINE SCHEMA { (CREATE ROLE name | RECORD TYPE name "(" [member {"," member}] ")") ";" }
//   member = name type { QUERYABLE | SORTABLE | SEARCHABLE }
//          | GRANT permission { "," permission } TO role
//   type   = primitive | LIST "<" primitive ">"
//
// The types and members are Parse+Members.swift. System fields may be left out; an index that is
// left out is no index.

package import BrumeModel

extension Schema {
  /// - Throws: `badRequest` with the line and the column of the first mistake.
  package init(parsing text: String) throws(BrumeError) {
    try self.init(text, isStored: false)
  }

  /// A text that a server stored, also one whose names of roles would be refused today.
  ///
  /// - Throws: `badRequest` if it is no schema.
  package init(stored text: String) throws(BrumeError) {
    try self.init(text, isStored: true)
  }

  private init(_ text: String, isStored: Bool) throws(BrumeError) {
    do throws(SchemaFault) {
      var lexer = SchemaLexer(text)
      var parser = SchemaParser(try lexer.tokens(), isStored: isStored)
      self = try parser.parse()
    } catch {
      throw error.error
    }
  }

  /// Mistakes of a text, at most `limit`: after one, reading goes on with the next statement.
  package static func faults(of text: String, limit: Int) -> [SchemaFault] {
    do throws(SchemaFault) {
      var lexer = SchemaLexer(text)
      var parser = SchemaParser(try lexer.tokens(), isStored: false)
      return parser.faults(limit: limit)
    } catch {
      return [error]
    }
  }
}

struct SchemaParser {
  private let tokens: [SchemaToken]
  private let isStored: Bool
  private var next = 0
  private var recordTypes: [String: Schema.RecordType] = [:]
  private var roles: Set<String> = []
  /// Where a grant names a role: checked at the end, roles may be created later.
  private var named: [(role: String, position: SchemaToken.Position)] = []

  init(_ tokens: [SchemaToken], isStored: Bool) {
    self.tokens = tokens
    self.isStored = isStored
  }

  mutating func parse() throws(SchemaFault) -> Schema {
    try begin()
    while token.kind != .end { try wholeStatement() }
    if let fault = unknownRoles.first { throw fault }
    return Schema(recordTypes: recordTypes, roles: Array(roles))
  }

  /// All mistakes, at most `limit`.
  mutating func faults(limit: Int) -> [SchemaFault] {
    var faults: [SchemaFault] = []
    do throws(SchemaFault) { try begin() } catch { return [error] }
    while token.kind != .end, faults.count < limit {
      do throws(SchemaFault) { try wholeStatement() } catch {
        faults.append(error)
        skipStatement()
      }
    }
    // A role may be one of a statement that is wrong.
    return faults.isEmpty ? Array(unknownRoles.prefix(limit)) : faults
  }

  private mutating func begin() throws(SchemaFault) {
    try expect("DEFINE")
    try expect("SCHEMA")
    _ = accept(sign: ";")
  }

  private mutating func wholeStatement() throws(SchemaFault) {
    try statement()
    try expect(sign: ";")
  }

  private mutating func skipStatement() {
    while token.kind != .end {
      if accept(sign: ";") { return }
      next += 1
    }
  }

  private var unknownRoles: [SchemaFault] {
    named.filter { !roles.contains($0.role) && !Schema.builtInRoles.contains($0.role) }
      .map { role, position in
        Self.fault(
          position, "encountered role \(NameRules.quoted(role))",
          "a role that CREATE ROLE makes, or _world, _icloud, _creator")
      }
  }

  private mutating func statement() throws(SchemaFault) {
    if accept("CREATE") {
      try expect("ROLE")
      let position = token.position
      let role = try name("a role name")
      if !isStored { try Self.check(role: role, at: position) }
      guard roles.insert(role).inserted else {
        throw Self.fault(
          position, "encountered role \(NameRules.quoted(role)) again", "another name")
      }
    } else if accept("RECORD") {
      try expect("TYPE")
      try recordType()
    } else {
      throw unexpected("CREATE ROLE, RECORD TYPE or the end")
    }
  }

  private static func check(
    role: String, at position: SchemaToken.Position
  ) throws(SchemaFault) {
    if Schema.builtInRoles.contains(role) {
      throw fault(
        position, "encountered role \(NameRules.quoted(role))",
        "another name; that role is there without CREATE ROLE")
    }
    try check(position) { () throws(BrumeError) in try NameRules.role(role, limits: .apple) }
  }

  private mutating func recordType() throws(SchemaFault) {
    let position = token.position
    let typeName = try name("a record type name")
    try Self.check(position) { () throws(BrumeError) in
      try NameRules.recordType(typeName, limits: .apple)
    }
    guard recordTypes[typeName] == nil else {
      throw Self.fault(
        position, "encountered record type \(NameRules.quoted(typeName)) again", "another name")
    }
    var fields: [String: Schema.Field] = [:]
    var grants: [Schema.Grant] = []
    try expect(sign: "(")
    while token.kind != .sign(")") {
      if accept("GRANT") {
        grants.append(try grant())
      } else {
        try field(of: typeName, into: &fields)
      }
      guard accept(sign: ",") else { break }
    }
    try expect(sign: ")")
    recordTypes[typeName] = Schema.RecordType(fields: fields, grants: grants)
  }

  private mutating func grant() throws(SchemaFault) -> Schema.Grant {
    var permissions: Set<Schema.Permission> = []
    repeat {
      guard let permission = acceptOne(of: Schema.Permission.allCases, \.rawValue) else {
        throw unexpected("READ, CREATE or WRITE")
      }
      permissions.insert(permission)
    } while accept(sign: ",")
    try expect("TO")
    let position = token.position
    let role = try name("a role name")
    named.append((role, position))
    return Schema.Grant(role, permissions)
  }
}

// MARK: Reading tokens

extension SchemaParser {
  var token: SchemaToken { tokens[min(next, tokens.count - 1)] }

  mutating func accept(_ keyword: String) -> Bool {
    guard case .word(let word) = token.kind, word.uppercased() == keyword else { return false }
    next += 1
    return true
  }

  mutating func accept(sign: Unicode.Scalar) -> Bool {
    guard token.kind == .sign(sign) else { return false }
    next += 1
    return true
  }

  mutating func acceptOne<T>(of all: [T], _ keyword: (T) -> String) -> T? {
    guard let one = all.first(where: { token.kind.isWord(keyword($0)) }) else { return nil }
    next += 1
    return one
  }

  mutating func expect(_ keyword: String) throws(SchemaFault) {
    guard accept(keyword) else { throw unexpected(keyword) }
  }

  mutating func expect(sign: Unicode.Scalar) throws(SchemaFault) {
    guard accept(sign: sign) else { throw unexpected("'\(sign)'") }
  }

  /// A name; words of the language that may start or follow a member need quotation marks.
  mutating func name(_ what: String) throws(SchemaFault) -> String {
    switch token.kind {
    case .word(let word) where !Schema.reservedWords.contains(word.uppercased()):
      next += 1
      return word
    case .quoted(let name) where !name.isEmpty:
      next += 1
      return name
    case .word, .quoted, .sign, .end:
      throw unexpected(what)
    }
  }
}

extension SchemaToken.Kind {
  fileprivate func isWord(_ keyword: String) -> Bool {
    if case .word(let word) = self { word.uppercased() == keyword } else { false }
  }
}

// MARK: Errors

extension SchemaParser {
  func unexpected(_ expected: String) -> SchemaFault {
    let found =
      switch token.kind {
      case .word(let text), .quoted(let text): NameRules.quoted(text)
      case .sign(let sign): "'\(sign)'"
      case .end: "the end"
      }
    return Self.fault(token.position, "encountered \(found)", expected)
  }

  static func fault(
    _ position: SchemaToken.Position, _ encountered: String, _ expected: String
  ) -> SchemaFault {
    SchemaFault(
      line: position.line, column: position.column,
      "\(encountered), was expecting \(expected)")
  }

  /// Runs a rule of another file and says where it was broken.
  static func check(
    _ position: SchemaToken.Position, _ rule: () throws(BrumeError) -> Void
  ) throws(SchemaFault) {
    do throws(BrumeError) { try rule() } catch {
      throw SchemaFault(line: position.line, column: position.column, error.reason)
    }
  }
}

extension Schema {
  /// Words that are names only in quotation marks.
  static let reservedWords: Set<String> = [
    "GRANT", "PREFERRED", "QUERYABLE", "SORTABLE", "SEARCHABLE",
  ]
}
