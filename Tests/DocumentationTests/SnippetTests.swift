// Every Swift text of the documents is one that the compiler has seen and a test has run. What belongs
// into a manifest is compared with ours instead.

import Foundation
import Testing

@Suite struct SnippetTests {
  private static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
  private static let articles = "Sources/BrumeKit/BrumeKit.docc"

  /// The page of the console that has a first program.
  private static let start = "Sources/BrumeConsole/web/pages/start-programs.js"
  private static let modules = ["Sources/BrumeKit", "Sources/BrumeTesting"]

  /// The pages, all of the folder of articles, and the sources whose comments are documentation.
  private static func pages() throws -> [String] {
    try ["README.md", start] + files(in: "docs", ending: ".md") + files(in: articles, ending: ".md")
      + modules.flatMap { try files(in: $0, ending: ".swift") }
  }

  private static func files(in folder: String, ending: String) throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: root.appending(path: folder).path)
      .filter { $0.hasSuffix(ending) }.sorted().map { "\(folder)/\($0)" }
  }

  /// The lines of a page; of a source, what its comments for readers of the interface say.
  private static func prose(_ page: String) throws -> [String] {
    if page == start { return try template(text(page)) }
    guard page.hasSuffix(".swift") else { return try text(page) }
    return try text(page).map { line in
      let bare = line.trimmingCharacters(in: .whitespaces)
      guard bare.hasPrefix("///") else { return "" }
      return String(bare.dropFirst(bare.hasPrefix("/// ") ? 4 : 3))
    }
  }

  /// The Swift text that stands in a template of JavaScript, from its import on, as a page has it.
  private static func template(_ lines: [String]) -> [String] {
    let from = lines.drop { !$0.hasSuffix("`import CloudKit") }.dropFirst()
    let body = from.prefix { !$0.contains("`") }
    let last = from.dropFirst(body.count).first?.prefix { $0 != "`" }
    return ["```swift"] + body + [last.map(String.init) ?? ""] + ["```"]
  }

  private static func text(_ path: String) throws -> [String] {
    try String(contentsOf: root.appending(path: path), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
  }

  /// What stands between lines of Swift, in order.
  private static func snippets(of page: String) throws -> [[String]] {
    var found: [[String]] = []
    var open: [String]?
    for line in try prose(page) {
      if line == "```swift" {
        open = []
      } else if line == "```", let lines = open {
        found.append(lines)
        open = nil
      } else {
        open?.append(line)
      }
    }
    return found
  }

  /// The texts of this target by page and number, without the indentation that they have here.
  private static func compiled() throws -> [String: [String]] {
    var found: [String: [String]] = [:]
    for file in ["Snippets.swift", "SwiftPage.swift", "TenLines.swift"] {
      var (names, lines): ([String], [String]) = ([], [])
      for line in try text("Tests/DocumentationTests/\(file)") {
        let bare = line.trimmingCharacters(in: .whitespaces)
        if bare.hasPrefix("// Text "), !bare.contains("`") {
          names.append(String(bare.dropFirst("// Text ".count)))
        } else if bare == "// End" {
          for name in names { found[name] = withoutImports(withoutIndentation(lines)) }
          (names, lines) = ([], [])
        } else if !names.isEmpty {
          lines.append(line)
        }
      }
    }
    return found
  }

  private static func withoutIndentation(_ lines: [String]) -> [String] {
    let depth = lines.filter { !$0.isEmpty }.map { $0.prefix { $0 == " " }.count }.min() ?? 0
    return lines.map { String($0.dropFirst(depth)) }
  }

  /// A function cannot import; the file does.
  private static func withoutImports(_ lines: [String]) -> [String] {
    let kept = lines.filter { !$0.hasPrefix("import ") }
    return Array(kept.drop { $0.isEmpty })
  }

  @Test func `every Swift text of the documents is compiled and run as it stands there`() throws {
    let compiled = try Self.compiled()
    var seen: Set<String> = []
    for page in try Self.pages() {
      for (index, lines) in try Self.snippets(of: page).enumerated() {
        let name = "\(page) \(index + 1)"
        if lines.contains(where: { $0.contains(".product(name:") || $0.contains(".package(") }) {
          continue
        }
        seen.insert(name)
        #expect(
          compiled[name] == Self.withoutImports(lines),
          "\(name): change Tests/DocumentationTests with it")
      }
    }
    #expect(seen == Set(compiled.keys))
  }

  @Test func `what the documents say for a manifest is in ours`() throws {
    let manifest = try Self.text("Package.swift").joined(separator: "\n")
    var products: Set<String> = []
    for page in try Self.pages() {
      for line in try Self.snippets(of: page).joined() {
        for match in line.matches(of: /\.product\(name: "(\w+)", package: "brume"\)/) {
          products.insert(String(match.1))
        }
      }
    }
    #expect(products == ["BrumeKit", "BrumeTesting", "CloudKit", "CoreLocation"])
    for product in products { #expect(manifest.contains(".library(name: \"\(product)\"")) }
    #expect(manifest.contains(".default(enabledTraits: [\"Server\"])"))
    // On Linux and elsewhere: a product that one platform lacks ends the resolution there.
    for product in ["CloudKit", "CoreLocation"] {
      #expect(manifest.matches(of: try Regex(".library\\(name: \"\(product)\"")).count == 2)
    }
  }
}
