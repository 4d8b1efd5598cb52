// What others call says what it does: each function and type that is `package` or `public`, and each requirement of
// such a protocol, has a `///` comment. What implements a documented requirement needs none: the protocol has it.

import Foundation
import Testing

@Suite struct DocumentationTidy {
  /// Required by protocols of Swift and of packages, whose pages say what they do.
  private static let requiredElsewhere: Set<String> = [
    "==", "<", "encode", "hash", "makeAsyncIterator", "makeIterator", "provideScope", "makeCounter",
    "makeMeter", "makeRecorder", "makeTimer", "destroyCounter", "destroyMeter", "destroyRecorder",
    "destroyTimer",
  ]

  private static func undocumented(in files: [DeclaringFile]) -> [String] {
    var known: Set<String> = []
    for file in files {
      for found in file.declarations where found.isRequirement && found.isDocumented {
        known.insert(found.name)
      }
    }
    return files.flatMap { file in
      file.declarations.filter { found in
        if found.isDocumented { return false }
        let plain = String(found.name.prefix(while: { $0 != "(" }))
        return found.isRequirement
          || !known.contains(found.name) && !requiredElsewhere.contains(plain)
      }.map { "\(file.path):\($0.line): \($0.name)" }
    }
  }

  @Test func `what others call says what it does`() throws {
    let start = Tidy.root.appending(path: "Sources")
    let paths = try FileManager.default.subpathsOfDirectory(atPath: start.path).sorted()
    let files = try paths.filter { $0.hasSuffix(".swift") }.map { path in
      DeclaringFile(
        path: path,
        text: try String(contentsOf: start.appending(path: path), encoding: .utf8))
    }
    let count = files.reduce(0) { $0 + $1.declarations.count }
    #expect(count > 2000, "hardly any declaration was found: can this test still read them?")
    let found = Self.undocumented(in: files)
    #expect(
      found.isEmpty,
      "say with '///' what it does, units, errors:\n\(found.joined(separator: "\n"))")
  }

  @Test func `what nobody documented is found`() {
    let text = """
      /// A port.
      package protocol Port {
        /// Opens it.
        func open(_ name: String, at time: Int) throws
        func close()
        // A comment of this kind is for who reads the file.
        var size: Int { get }
      }

      package struct Harbour: Port {
        package func open(
          _ name: String,
          at moment: Int
        ) throws { own() }
        package func close() {}
        /// How large it is.
        @discardableResult
        package static func measured<Unit>(in unit: Unit) -> Int { 0 }
        package func enter(_ list: [(Int, Int)], from bay: () -> Int) -> Int { 0 }
        package static func == (a: Self, b: Self) -> Bool { true }
        package let size = 1
        func own() {}
      }

      /// A bay.
      @available(
        *, deprecated,
        message: "no ship comes"
      )
      public final class Bay {
        public enum Kind { case wide }
      }
      """
    #expect(
      Self.undocumented(in: [DeclaringFile(path: "Port.swift", text: text)]) == [
        "Port.swift:5: close()", "Port.swift:7: size", "Port.swift:10: Harbour",
        "Port.swift:15: close()", "Port.swift:19: enter(_:from:)", "Port.swift:31: Kind",
      ])
  }
}

/// A source file whose declarations are found by indentation, which swift-format has made trustworthy.
private struct DeclaringFile {
  /// Something that others may call.
  struct Declaration {
    let line: Int
    /// As Swift names it, such as `put(_:in:)`.
    let name: String
    let isRequirement: Bool
    let isDocumented: Bool
  }

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

  init(path: String, text: String) {
    self.path = path
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    declarations = lines.indices.compactMap { Self.declaration(at: $0, of: lines) }
  }

  private static func declaration(at index: Int, of lines: [Substring]) -> Declaration? {
    guard let found = head(lines[index]) else { return nil }
    let isMember = members.contains(found.keyword)
    var isRequirement = false
    if isMember, !found.isVisible, let outer = parent(of: index, in: lines) {
      isRequirement = outer.keyword == "protocol" && outer.isVisible
    }
    let isCalled = found.isVisible && (types.contains(found.keyword) || found.keyword == "func")
    guard isCalled || isRequirement else { return nil }
    return Declaration(
      line: index + 1, name: name(at: index, in: lines), isRequirement: isRequirement,
      isDocumented: isDocumented(index, in: lines))
  }

  /// What a line declares, and whether others see it; nil: nothing.
  private static func head(_ line: Substring) -> (isVisible: Bool, keyword: String)? {
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
  private static func parent(
    of index: Int, in lines: [Substring]
  ) -> (isVisible: Bool, keyword: String)? {
    var limit = spaces(lines[index])
    for above in (0..<index).reversed() {
      let text = trimmed(lines[above])
      let depth = spaces(lines[above])
      if text.isEmpty || text.hasPrefix("//") || depth >= limit { continue }
      if let found = head(lines[above]) { return found }
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

  /// Between a comment and its declaration are attributes, conditions of the compiler, other comments.
  private static func isDocumented(_ index: Int, in lines: [Substring]) -> Bool {
    var above = index - 1
    while above >= 0 {
      let text = trimmed(lines[above])
      if text.hasPrefix("///") { return true }
      if text == ")" {
        // An attribute of several lines.
        while above > 0, !trimmed(lines[above]).hasPrefix("@") {
          if lines[above].isEmpty { return false }
          above -= 1
        }
      } else if !["@", "//", "#"].contains(where: { text.hasPrefix($0) }) {
        return false
      }
      above -= 1
    }
    return false
  }

  private static func name(at index: Int, in lines: [Substring]) -> String {
    let text = lines[index...].prefix(headLines).joined(separator: " ")
    if let type = lines[index].firstMatch(
      of: /\b(?:struct|enum|class|actor|protocol|typealias|var) (\w+)/),
      lines[index].firstMatch(of: /\b(?:func|init|subscript)\b/) == nil
    {
      return String(type.output.1)
    }
    let start = text.firstMatch(
      of: /(?:func ([^\s(<]+|[<=>+]+)|init[?!]?|subscript)\s*(?:<[^(]*>)?\s*\(/)
    guard let start else { return String(trimmed(lines[index])) }
    let called = start.output.1.map { String($0) } ?? "init"
    return called + "(" + labels(text[start.range.upperBound...]) + ")"
  }

  /// The labels of parameters, of which the opening parenthesis was read.
  private static func labels(_ text: Substring) -> String {
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
    return parts.map { part in
      let label = part.split(whereSeparator: { $0 == " " || $0 == ":" }).first
      return (label.map { String($0) } ?? "_") + ":"
    }.joined()
  }

  private static func trimmed(_ line: Substring) -> Substring { line.drop(while: { $0 == " " }) }

  private static func spaces(_ line: Substring) -> Int { line.prefix(while: { $0 == " " }).count }
}
