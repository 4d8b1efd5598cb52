// Declarations in the text of a source file, for the rules about their comments.

import Foundation

/// A source file whose declarations are found by indentation, which swift-format has made trustworthy.
struct DeclaringFile: Sendable {
  /// Something that others may call.
  struct Declaration: Sendable {
    let line: Int
    /// As Swift names it, such as `put(_:in:)`.
    let name: String
    let isRequirement: Bool
    /// What others call needs one; what makes a value or holds one may say it by its name.
    let needsComment: Bool
    /// The lines of its `///` comment, joined.
    let comment: String
    /// The types that it is in, from the innermost, with the comments of these parts of them.
    let outer: [(name: String, comment: String)]
    /// Nil: it throws nothing.
    let throwing: Throwing?
    /// Names and types of parameters.
    let parameters: [(name: String, type: String)]

    var isDocumented: Bool { !comment.isEmpty }
  }

  /// Whether the error's type stands in the head.
  enum Throwing: Sendable { case anything, typed }

  private static let visible: Set<String> = ["package", "public", "open"]
  private static let modifiers: Set<String> = [
    "package", "public", "open", "private", "fileprivate", "internal", "private(set)",
    "fileprivate(set)", "package(set)", "final", "static", "mutating", "nonmutating", "nonisolated",
    "consuming", "borrowing", "convenience", "required", "override", "indirect", "prefix", "lazy",
    "weak", "unowned",
  ]
  private static let types: Set<String> = [
    "struct", "enum", "class", "actor", "protocol", "typealias",
  ]
  private static let members: Set<String> = ["func", "var", "init", "subscript"]
  /// Ours: lines that the head of one function has at most.
  private static let headLines = 40

  let path: String
  let declarations: [Declaration]
  /// The comments of types, by name.
  let typeComments: [String: String]

  /// Every source file of ours.
  static func all() throws -> [DeclaringFile] { try read.get() }

  private static let read = Result {
    let start = Tidy.root.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: start.path).sorted()
    return try paths.filter { $0.hasSuffix(".swift") }.map { path in
      DeclaringFile(
        path: path, text: try String(contentsOf: start.appending(path: path), encoding: .utf8))
    }
  }

  init(path: String, text: String) {
    self.path = path
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    // Each is asked for by everything below it.
    let heads = lines.map(Self.head)
    declarations = lines.indices.compactMap { Self.declaration(at: $0, of: lines, heads) }
    var comments: [String: String] = [:]
    for (index, found) in heads.enumerated() {
      guard let found, Self.types.contains(found.keyword) else { continue }
      comments[Self.typeName(lines[index]), default: ""] += Self.comment(above: index, in: lines)
    }
    typeComments = comments
  }

  private static func declaration(
    at index: Int, of lines: [Substring], _ heads: [Head?]
  ) -> Declaration? {
    guard let found = heads[index] else { return nil }
    let isMember = members.contains(found.keyword)
    var isRequirement = false
    if isMember, !found.isVisible, let outer = parent(of: index, in: lines, heads) {
      isRequirement = outer.keyword == "protocol" && outer.isVisible
    }
    let isKnown = types.contains(found.keyword) || isMember
    guard found.isVisible && isKnown || isRequirement else { return nil }
    let text = lines[index...].prefix(headLines).joined(separator: " ")
    return Declaration(
      line: index + 1, name: name(at: index, in: lines), isRequirement: isRequirement,
      needsComment: isRequirement || types.contains(found.keyword) || found.keyword == "func",
      comment: comment(above: index, in: lines), outer: outerTypes(of: index, in: lines, heads),
      throwing: isMember ? throwing(text, of: lines[index]) : nil,
      parameters: isMember ? parameters(text) : [])
  }

  /// What a line declares, and whether others see it.
  private typealias Head = (isVisible: Bool, keyword: String)

  /// Nil: the line declares nothing.
  private static func head(_ line: Substring) -> Head? {
    let words = line.split(separator: " ").map { String($0) }
    var isVisible = false
    for (place, word) in words.enumerated() {
      if visible.contains(word) { isVisible = true }
      if word.hasPrefix("@") || modifiers.contains(word) { continue }
      let next = place + 1 < words.count ? words[place + 1] : ""
      if word == "class", next == "func" || next == "var" { continue }
      let keyword = String(word.prefix(while: { $0.isLetter }))
      let isKnown =
        types.contains(keyword) || members.contains(keyword) || keyword == "extension"
      return isKnown ? (isVisible: isVisible, keyword: keyword) : nil
    }
    return nil
  }

  /// The type that a line is in; nil: none, or the line is in a function.
  private static func parent(of index: Int, in lines: [Substring], _ heads: [Head?]) -> Head? {
    var limit = spaces(lines[index])
    for above in (0..<index).reversed() {
      let text = trimmed(lines[above])
      let depth = spaces(lines[above])
      if text.isEmpty || text.hasPrefix("//") || depth >= limit { continue }
      if let found = heads[above] { return found }
      if text.hasPrefix("#") {
        limit = depth
      } else if text.hasPrefix("{") || text.hasPrefix(")") || text.hasPrefix("where") {
        // The end of a head of several lines.
        limit = depth + 1
      } else {
        return nil
      }
    }
    return nil
  }

  /// The types that a line is in, from the innermost.
  private static func outerTypes(
    of index: Int, in lines: [Substring], _ heads: [Head?]
  ) -> [(name: String, comment: String)] {
    var found: [(name: String, comment: String)] = []
    var limit = spaces(lines[index])
    for above in (0..<index).reversed() where limit > 0 {
      let (text, depth) = (trimmed(lines[above]), spaces(lines[above]))
      if text.isEmpty || text.hasPrefix("//") || depth >= limit { continue }
      limit = depth
      if let outer = heads[above],
        types.contains(outer.keyword) || outer.keyword == "extension"
      {
        found.append((typeName(lines[above]), comment(above: above, in: lines)))
      } else if text.hasPrefix("{") || text.hasPrefix(")") || text.hasPrefix("where") {
        // The end of a head of several lines.
        limit = depth + 1
      }
    }
    return found
  }

  /// The last part of a type's name.
  private static func typeName(_ line: Substring) -> String {
    let name = line.firstMatch(
      of: /\b(?:struct|enum|class|actor|protocol|typealias|extension) ([\w.]+)/)
    return name?.output.1.split(separator: ".").last.map { String($0) } ?? ""
  }

  /// Between a comment and its declaration are attributes, conditions of the compiler, other comments.
  private static func comment(above index: Int, in lines: [Substring]) -> String {
    var above = index - 1
    var comment: [Substring] = []
    while above >= 0 {
      let text = trimmed(lines[above])
      if text.hasPrefix("///") {
        comment.insert(text.dropFirst(3), at: 0)
      } else if !comment.isEmpty {
        break
      } else if text == ")" {
        // An attribute of several lines.
        while above > 0, !trimmed(lines[above]).hasPrefix("@") {
          if lines[above].isEmpty { return "" }
          above -= 1
        }
      } else if !["@", "//", "#"].contains(where: { text.hasPrefix($0) }) {
        break
      }
      above -= 1
    }
    return comment.joined()
  }

  /// - Parameter text: the declaration and what follows it.
  private static func throwing(_ text: String, of line: Substring) -> Throwing? {
    if let read = line.firstMatch(of: /\bget\s+(?:async\s+)?throws\b(\()?/) {
      return read.output.1 == nil ? .anything : .typed
    }
    guard let start = parametersStart(text) else { return nil }
    let end = endOfParameters(text[start...])
    guard let mark = text[end...].prefixMatch(of: /\)\s*(?:async\s+)?throws\b(\()?/) else {
      return nil
    }
    return mark.output.1 == nil ? .anything : .typed
  }

  private static func name(at index: Int, in lines: [Substring]) -> String {
    let text = lines[index...].prefix(headLines).joined(separator: " ")
    if let type = lines[index].firstMatch(
      of: /\b(?:struct|enum|class|actor|protocol|typealias|var) (\w+)/),
      lines[index].firstMatch(of: /\b(?:func|init|subscript)\b/) == nil
    {
      return String(type.output.1)
    }
    guard let start = parametersStart(text) else { return String(trimmed(lines[index])) }
    let called = head(lines[index])?.keyword == "func" ? text[..<start].called : "init"
    let labels = parts(text[start...]).map { part in
      part.split(whereSeparator: { $0 == " " || $0 == ":" }).first.map { String($0) } ?? "_"
    }
    return called + "(" + labels.map { $0 + ":" }.joined() + ")"
  }

  private static func parameters(_ text: String) -> [(name: String, type: String)] {
    guard let start = parametersStart(text) else { return [] }
    return parts(text[start...]).compactMap { part in
      let halves = part.split(separator: ":", maxSplits: 1)
      guard halves.count == 2, let name = halves[0].split(separator: " ").last else { return nil }
      return (String(name), String(trimmed(halves[1]).prefix { !" =".contains($0) }))
    }
  }

  /// Behind the opening parenthesis of the parameters; nil: there are none.
  private static func parametersStart(_ text: String) -> String.Index? {
    guard let keyword = head(text[...])?.keyword, ["func", "init", "subscript"].contains(keyword),
      let word = text.firstRange(of: keyword)
    else { return nil }
    let rest = text[word.upperBound...]
    let isOperator = rest.first { $0 != " " }.map { "<=>+-".contains($0) } ?? false
    var (depth, last) = (0, Character(" "))
    for index in rest.indices {
      let character = rest[index]
      if character == "{" { return nil }
      if character == "(", depth == 0 || isOperator { return rest.index(after: index) }
      if character == "<" { depth += 1 }
      if character == ">", last != "-" { depth -= 1 }
      last = character
    }
    return nil
  }

  private static func endOfParameters(_ text: Substring) -> String.Index {
    var depth = 0
    for index in text.indices {
      if depth == 0, text[index] == ")" { return index }
      if "([{".contains(text[index]) { depth += 1 }
      if ")]}".contains(text[index]) { depth -= 1 }
    }
    return text.endIndex
  }

  /// Parameters, as they are written.
  private static func parts(_ text: Substring) -> [String] {
    var (depth, last, part) = (0, Character(" "), "")
    var parts: [String] = []
    for character in text {
      if depth == 0, character == ")" { break }
      if depth == 0, character == "," {
        parts.append(part)
        part = ""
        continue
      }
      if "([{<".contains(character) { depth += 1 }
      if ")]}".contains(character) || (character == ">" && last != "-") { depth -= 1 }
      part.append(character)
      last = character
    }
    if part.contains(where: { $0 != " " }) { parts.append(part) }
    return parts
  }

  private static func trimmed(_ line: Substring) -> Substring { line.drop(while: { $0 == " " }) }

  private static func spaces(_ line: Substring) -> Int { line.prefix(while: { $0 == " " }).count }
}

extension Substring {
  /// The name of a function, of which this is everything up to the parameters.
  fileprivate var called: String {
    let name = self[(firstRange(of: "func ")?.upperBound ?? startIndex)...].dropLast()
    let end = name.dropFirst().firstIndex { " <(".contains($0) } ?? name.endIndex
    return String(name[..<end])
  }
}
