// Every reader of what comes from outside has a target that gives it anything (docs/internals/fuzzing.md). A reader is an
// initialiser, or a static function, that takes one text, some bytes or a JSON and may refuse it. Its type, or for a function
// its own name, stands in Tests/Fuzz or in an enumeration that reads as everything of a module; or here, with what reaches it
// instead.

import Foundation
import Testing

@Suite struct ReaderTidy {
  private static let reached = [
    "KnownKind": "a line of SubscriptionTypes", "Condition": "a word of KnownKind",
    "SystemField": "a name that is looked up", "FieldName": "a word of a predicate",
    "DatabaseURL": "the target settings", "ConnectionSettings": "the target settings",
    "SignInPage": "the target request",
    "Attempt": "what libpq says, on the operator's own database",
    "StoreProgress": "a mark of the server's own, with tests of its own",
    "SettingKey": "a key of the server's own, in engines",
  ]
  /// What reads as everything of a module.
  private static let enumerations = [
    "Sources/BrumeCore/EveryReader.swift", "Sources/BrumeServer/ServerReaders.swift",
  ]
  /// Where tests are, and what reads archives of an app's own (the target archive).
  private static let others = [
    "BrumeConformance", "BrumeTestKit", "BrumeTesting", "BrumeKit", "BrumePlaces",
  ]

  struct Reader: Equatable, Sendable {
    let type: String
    /// Nil: an initialiser.
    var function: String?
  }

  @Test func `every reader of texts, bytes and JSON is named by a target`() throws {
    let targets = try Self.files(under: "Tests/Fuzz") + Self.enumerations
    let known = Set(
      try targets.flatMap { path in
        try Self.text(path).split { !($0.isLetter || $0.isNumber || $0 == "_") }
      })
    var found = 0
    for path in try Self.files(under: "Sources") where Self.isOfServerOrClient(path) {
      for reader in Self.readers(in: try Self.text(path)) where Self.reached[reader.type] == nil {
        found += 1
        #expect(
          known.contains(Substring(reader.function ?? reader.type)),
          "\(path): give \(reader.type).\(reader.function ?? "init") a target in Tests/Fuzz")
      }
    }
    #expect(found > 70, "hardly any is found: is the code's form still what this test reads?")
  }

  @Test(arguments: [
    ("struct A {\n  init?(_ text: String) {", Reader(type: "A")),
    ("extension B.A {\n  package init(json: JSON) throws(B) {", Reader(type: "A")),
    ("enum A {\n  static func b(_ c: [UInt8]) throws -> C {", Reader(type: "A", function: "b")),
    ("enum A {\n  static func b(\n    of c: String\n  ) -> C? {", Reader(type: "A", function: "b")),
  ])
  func `each form of a reader is found`(text: String, reader: Reader) {
    #expect(Self.readers(in: text) == [reader])
  }

  @Test(arguments: [
    "struct A {\n  init(_ text: String) {", "struct A {\n  init(folder: String) throws {",
    "struct A {\n  private init?(_ text: String) {",
    "struct A {\n  init?(_ text: String, b: Int) {",
    "enum A {\n  static func b(_ text: String) -> Int {",
  ])
  func `what refuses nothing, is a part of another, or names a file is no reader`(text: String) {
    #expect(Self.readers(in: text) == [])
  }

  private static func readers(in text: String) -> [Reader] {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.compactMap { index in
      guard lines[index].contains("init") || lines[index].contains("static func") else {
        return nil
      }
      let begin = lines[index..<min(lines.count, index + 3)].joined(separator: " ")
      guard let function = reader(in: begin), let type = type(around: index, lines) else {
        return nil
      }
      return Reader(type: type, function: function.isEmpty ? nil : function)
    }
  }

  /// The name of a function that may refuse what it is given, empty for an initialiser. Nil: it is none.
  private static func reader(in declaration: String) -> String? {
    let form =
      /^ *(?:package |public )?(?:init(\??)|static func (\w+))\( *([\w ]+): (?:String|Substring|\[UInt8\]|JSON)\?? *\)([^{]*)/
    guard let found = declaration.firstMatch(of: form)?.output,
      !found.3.contains("path"), !found.3.contains("folder")
    else { return nil }
    let result = found.4.trimmingCharacters(in: .whitespaces)
    let mayRefuse = found.1 == "?" || result.hasPrefix("throws") || result.hasSuffix("?")
    return mayRefuse ? String(found.2 ?? "") : nil
  }

  private static func type(around index: Int, _ lines: [Substring]) -> String? {
    let indent = lines[index].prefix { $0 == " " }.count
    for line in lines[..<index].reversed() where line.prefix(while: { $0 == " " }).count < indent {
      if let name = line.firstMatch(of: /\b(?:struct|class|enum|extension|actor) ([\w.]+)/)?.1 {
        return name.split(separator: ".").last.map(String.init)
      }
    }
    return nil
  }

  private static func isOfServerOrClient(_ path: String) -> Bool {
    path.hasPrefix("Sources/Brume") && !others.contains { path.hasPrefix("Sources/\($0)/") }
  }

  private static func files(under folder: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: Tidy.root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
  }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)
  }
}
