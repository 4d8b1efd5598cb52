// Every reader of what comes from outside has a target that gives it anything (docs/internals/fuzzing.md). A reader is an
// initialiser, or a static function, that takes one text, some bytes or a JSON and may refuse it. Its type, or for a function
// its own name, stands in Tests/Fuzz or in an enumeration that reads as everything of a module; or here, with what reaches it
// instead. What an app reads from archives has a kind of the target archive. No comment counts.

import Foundation
import Testing

@Suite struct ReaderTidy {
  private static let reached = [
    "KnownKind": "a line of SubscriptionTypes", "Condition": "a word of KnownKind",
    "SystemField": "a name that is looked up", "FieldName": "a word of a predicate",
    "DatabaseURL": "the target settings", "ConnectionSettings": "the target settings",
    "Attempt": "what libpq says, on the operator's own database",
    "StoreProgress": "a mark of the server's own, with tests of its own",
    "DatabaseProgress": "a mark of the server's own, with tests of its own",
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
        try Self.code(path).split { !($0.isLetter || $0.isNumber || $0 == "_") }
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

  // MARK: Archives

  /// What only archives of other classes hold.
  private static let held = ["ArchivedText": "a text of any class"]

  @Test func `every class that is read from archives is a kind of the target archive`() throws {
    let kinds = Self.kinds(in: try Self.text("Tests/Fuzz/Archives.swift"))
    var found: Set<String> = []
    for path in try Self.files(under: "Sources/BrumeKit") + Self.files(under: "Sources/BrumePlaces")
    {
      for name in Self.archived(in: try Self.text(path)) where Self.held[name] == nil {
        found.insert(name)
        #expect(kinds.contains(name), "\(path): give \(name) a kind in Tests/Fuzz/Archives.swift")
      }
    }
    #expect(found.count > 25, "hardly any is found: is the code's form still what this test reads?")
    let gone = kinds.subtracting(found)
    #expect(gone.isEmpty, "\(gone) is read from no archive any more")
  }

  @Test(arguments: [
    "extension A {\n  open class ID: B {\n    public required init?(coder: NSCoder) {",
    "extension A {\n\n  final class ID: B {\n    let c: D\n    required init(coder aDecoder: NSCoder) {",
    "#if A\n  open class A.ID: B {\n    public required init?(coder: NSCoder) { nil }",
  ])
  func `a planted class that is read from archives is found`(text: String) {
    #expect(Self.archived(in: text) == ["A.ID"])
  }

  @Test func `a planted kind is found, and none in a comment`() {
    #expect(Self.kinds(in: "Kind(\n  type: A.ID.self, standIn: B.self)") == ["A.ID"])
    #expect(Self.kinds(in: "static var a: NSObject.Type { A.ID.self }") == ["A.ID"])
    #expect(Self.kinds(in: "// type: A.ID.self\nlet a = 1  // type: B.self") == [])
    #expect(Self.archived(in: "class A {\n  // init?(coder: NSCoder) {") == [])
  }

  /// The classes that have a kind of the target archive.
  private static func kinds(in text: String) -> Set<String> {
    let form = /\b(?:type: |NSObject\.Type \{ )([\w.]+)\.self\b/
    return Set(uncommented(text).matches(of: form).map { String($0.1) })
  }

  /// The classes with an initialiser that reads an archive, each with what it is nested in.
  private static func archived(in text: String) -> [String] {
    let lines = uncommented(text).split(separator: "\n", omittingEmptySubsequences: false)
    return lines.indices.filter { lines[$0].contains(/\binit\??\(coder(?: \w+)?: NSCoder\)/) }
      .map { index in
        var (indent, names) = (lines[index].prefix { $0 == " " }.count, [String]())
        for line in lines[..<index].reversed() {
          let outer = line.prefix { $0 == " " }.count
          guard outer < indent, let name = line.firstMatch(of: /\b(?:class|extension) ([\w.]+)/)?.1
          else { continue }
          names.insert(String(name), at: 0)
          indent = outer
        }
        return names.joined(separator: ".")
      }
  }

  /// What comments say is no code. A text with two slashes ends there, which hides no name that is looked for.
  private static func uncommented(_ text: String) -> String {
    text.replacing(/\/{2}[^\n]+/, with: "")
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

  private static func code(_ path: String) throws -> String { uncommented(try text(path)) }

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)
  }
}
