// Each sentence of the README stands in docs/internals/claims.md, in its order and word for word, beside a test that is
// there or the reason why none can be. And what the README counts is counted here.

import Foundation
import Testing

@Suite struct ClaimTidy {
  private static let page = "docs/internals/claims.md"

  private static func text(_ path: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)
  }

  // MARK: The README and the claims

  @Test func `each sentence of the README stands in the list of claims, word for word`() throws {
    let readme = Self.sections(of: try Self.text("README.md"))
    let claims = Self.sections(of: try Self.text(Self.page)).dropFirst()
    #expect(
      readme.map(\.heading) == claims.map(\.heading), "\(Self.page) has the README's headings")
    for (said, claimed) in zip(readme, claims) {
      let listed = Self.words(in: try Self.rows(of: claimed.lines).map(\.claim))
      let difference = Self.difference(between: Self.words(in: said.lines), and: listed)
      #expect(difference == nil, "'\(said.heading)': \(difference ?? ""): change \(Self.page) too")
    }
  }

  @Test(arguments: [
    ("One. Two three.", "One. Two three.", true),
    ("One. Two three.", "One. Two four.", false),
    ("One. Two. Three.", "One. Two.", false),
    ("One. Two.", "One. Two. Three.", false),
    ("- **One** [two](three.md)", "One two", true),
    ("| `one` | two |\n|---|---|\n| three | |", "one two three", true),
    ("![a picture](one.png)\nOne", "One", true),
  ])
  func `a sentence that was changed, added or taken away is found`(
    said: String, claimed: String, isSame: Bool
  ) {
    let words = Self.words(in: said.components(separatedBy: "\n"))
    #expect((Self.difference(between: words, and: Self.words(in: [claimed])) == nil) == isSame)
  }

  @Test func `each claim names a test that is there, or says why there is none`() throws {
    for section in Self.sections(of: try Self.text(Self.page)).dropFirst() {
      for row in try Self.rows(of: section.lines) {
        let fault = Self.fault(of: row.shownBy)
        #expect(fault == nil, "\(Self.page), '\(row.claim)': \(fault ?? "")")
      }
    }
  }

  @Test(arguments: [
    ("", false), ("No test:", false), ("No test: it is only a title.", true),
    ("`Tests/TidyTests/Nowhere.swift` *a test*", false), ("`make nothing`", false),
    ("`Tests/TidyTests/ClaimTidy.swift`", false), ("`Tests/Independent/kill9.py`", true),
    ("`Tests/Independent/away.py`", false),
    ("`Tests/TidyTests/ClaimTidy.swift` *no such test*", false), ("`make check`", true),
    ("`Tests/TidyTests/LinkTidy.swift` *the pages are found*", true),
  ])
  func `a test that is not there is found`(shownBy: String, isGood: Bool) {
    #expect((Self.fault(of: shownBy) == nil) == isGood)
  }

  // MARK: What the README counts

  @Test func `what the README counts is what there is`() throws {
    let (readme, manifest) = (try Self.text("README.md"), try Self.text("Package.swift"))
    let version = try #require(manifest.firstMatch(of: /swift-tools-version: ([0-9.]+)/)).1
    #expect(readme.contains("[Swift \(version) or newer]"))
    // "No version has been released" ends with the first one that the changelog has.
    let versions = try Self.text("CHANGELOG.md").matches(of: /(?m)^## (.+)$/).map { String($0.1) }
    #expect(versions == ["Unreleased"] && readme.contains("No version has been released"))
    #expect(try Self.text("CHANGELOG.md").contains("*Breaking:*"))
  }

  @Test func `the least versions of Apple's systems are those of the manifest`() throws {
    let names = ["macOS", "iOS", "tvOS", "watchOS", "visionOS"]
    let manifest = try Self.text("Package.swift")
    let numbers = try names.map { name in
      try #require(manifest.firstMatch(of: Regex("\\.\(name)\\(\\.v([0-9]+)\\)")))[1].substring
        ?? ""
    }
    let row = "| \(names.joined(separator: ", ")) | \(numbers.joined(separator: ", ")) |"
    #expect(
      try Self.text("docs/apple-platforms.md").contains(row), "docs/apple-platforms.md: \(row)")
  }

  @Test(arguments: LinkTidy.pages)
  func `no page leaves a name for its reader to fill in`(page: String) throws {
    let placeholder = try Self.text(page).firstMatch(of: /\bOWNER\/|<owner>|github\.com\/OWNER/)
    #expect(placeholder == nil, "\(page): write what a reader can type")
  }

  @Test func `without traits an app compiles swift-nio, swift-log and what they need`() throws {
    let manifest = try Self.text("Package.swift")
    let products = manifest.matches(of: /\.product\(name: "\w+", package: "([\w.-]+)"\)/)
    #expect(Set(products.map { String($0.1) }) == ["swift-log", "swift-nio"])
    for trait in ["HTTPS", "Server"] {
      #expect(manifest.contains("condition: .when(traits: [\"\(trait)\"]))"))
    }
  }

  // MARK: Reading

  private struct Row {
    let claim: String
    let shownBy: String
  }

  /// The lines below each heading; of blocks of code the comments.
  private static func sections(of text: String) -> [(heading: String, lines: [String])] {
    var found: [(heading: String, lines: [String])] = []
    var isCode = false
    for line in text.components(separatedBy: "\n") {
      if line.hasPrefix("```") {
        isCode.toggle()
      } else if isCode {
        guard let comment = line.firstMatch(of: /\s(?:#|\/\/) (.+)/) else { continue }
        found[found.count - 1].lines.append(String(comment.1))
      } else if line.hasPrefix("#") {
        found.append((String(line.drop { $0 == "#" }.dropFirst()), []))
      } else if !found.isEmpty {
        found[found.count - 1].lines.append(line)
      }
    }
    return found
  }

  private static func rows(of lines: [String]) throws -> [Row] {
    try lines.filter { $0.hasPrefix("| ") && !$0.hasPrefix("| Claim |") }.map { line in
      let cells = line.dropFirst(2).dropLast(2).components(separatedBy: " | ")
      try #require(cells.count == 2, "a claim and what shows it: \(line)")
      return Row(claim: cells[0], shownBy: cells[1])
    }
  }

  /// What a reader reads: no pictures, no targets of links, no marks, no lines of tables.
  private static func words(in lines: [String]) -> [String] {
    lines.filter { !$0.hasPrefix("![") && $0.contains(/[^|-]/) }
      .map { $0.hasPrefix("- ") ? String($0.dropFirst(2)) : $0 }.joined(separator: " ")
      .replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }
      .replacing("*", with: "").replacing("`", with: "").replacing("|", with: " ")
      .split(separator: " ").map(String.init)
  }

  /// Where two texts part, with some words around it; nil if they are the same.
  private static func difference(between said: [String], and listed: [String]) -> String? {
    guard said != listed else { return nil }
    let place = zip(said, listed).prefix { $0 == $1 }.count
    func around(_ words: [String]) -> String {
      words.dropFirst(max(0, place - 5)).prefix(10).joined(separator: " ")
    }
    return "README: '\(around(said))', claims: '\(around(listed))'"
  }

  /// What is wrong with what shows a claim, or nil. Paths stand between marks of code, names of tests in italics behind
  /// their file.
  private static func fault(of shownBy: String) -> String? {
    if shownBy.hasPrefix("No test: ") {
      return shownBy.split(separator: " ").count > 5 ? nil : "give the reason why no test shows it"
    }
    var files: [(path: String, names: [String])] = []
    for match in shownBy.matches(of: /`([^`]+)`|\*([^*]+)\*/) {
      if let path = match.1 { files.append((String(path), [])) }
      if let name = match.2, !files.isEmpty { files[files.count - 1].names.append(String(name)) }
    }
    if files.isEmpty { return "name a test, or say 'No test: ' and why" }
    return files.lazy.compactMap { fault(of: $0.path, names: $0.names) }.first
  }

  private static func fault(of path: String, names: [String]) -> String? {
    if path.hasPrefix("make ") {
      let isThere = (try? text("Makefile"))?.contains("\n\(path.dropFirst(5)):") == true
      return isThere ? nil : "the Makefile has no target for '\(path)'"
    }
    guard let content = try? text(path) else { return "there is no \(path)" }
    if names.isEmpty, content.contains("@Test") { return "name the test in \(path)" }
    if path.hasPrefix("Tests/Independent/"), !isRun(path) { return "`make test` runs no \(path)" }
    let lost = names.first { !content.contains("func `\($0)`(") && !content.contains("def \($0)(") }
    return lost.map { "\(path) has no test '\($0)'" }
  }

  /// Whether `make test` runs a script, or one that it runs imports it.
  private static func isRun(_ path: String) -> Bool {
    let name = path.split(separator: "/").last?.dropLast(3) ?? ""
    guard let run = try? text("scripts/more-tests"),
      let scripts = try? files(in: ["Tests/Independent"])
    else { return false }
    let isListed = run.split(separator: "\n").contains { line in
      line.split(separator: " ").first { $0 != "alone" && $0 != "counterpart" } == name
    }
    return isListed
      || scripts.contains {
        $0.contains("\nimport \(name)\n") || $0.contains("\nfrom \(name) import ")
      }
  }

  private static func files(in folders: [String]) throws -> [String] {
    try folders.flatMap { folder in
      let start = Tidy.root.appending(path: folder)
      return try FileManager.default.subpathsOfDirectory(atPath: start.path)
        .filter { !$0.contains("/.") && !$0.hasPrefix(".") }
        .compactMap { try? String(contentsOf: start.appending(path: $0), encoding: .utf8) }
    }
  }
}
