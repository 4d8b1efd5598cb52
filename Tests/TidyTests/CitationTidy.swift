// What a comment, a test or a page cites can be looked up by every reader: the IDs of cases are in
// docs/cases, and no text names a source that is not in the repository.

import Foundation
import Testing

@Suite struct CitationTidy {
  @Test func `every case that is cited is in docs/cases, and is there once`() throws {
    let rows = try caseRows()
    #expect(rows.count > 200, "docs/cases has hardly any rows: can this test still read them?")
    for (id, same) in Dictionary(grouping: rows, by: { $0 }) {
      #expect(same.count == 1, "docs/cases has \(same.count) rows for \(id): give one a new number")
    }
    let known = Set(rows)
    let prefixes = Set(rows.map { $0.prefix(3) })
    for (path, text) in try texts() {
      // Whole runs of letters and digits, so that UTF-8 is none and a mistyped number is found.
      for match in text.matches(of: /([A-Z]+)-([0-9]+)/) where prefixes.contains(match.1) {
        let id = String(match.0)
        #expect(known.contains(id), "\(path) cites \(id): add it to docs/cases, or mend the number")
      }
    }
  }

  @Test(arguments: ["README.md", "docs/README.md", "docs/cases/README.md"])
  func `a page that counts the situations counts the rows of docs/cases`(page: String) throws {
    let text = try String(contentsOf: Tidy.root.appending(path: page), encoding: .utf8)
    let counts = text.matches(of: /([0-9]+) situations/).map { String($0.1) }
    let rows = try caseRows().count
    #expect(counts == ["\(rows)"], "\(page) counts \(counts), docs/cases has \(rows) rows")
  }

  @Test func `each case has a test that carries its ID`() throws {
    var carried: Set<String> = []
    for (path, text) in try texts() {
      let names =
        path.hasPrefix("Tests/") && path.hasSuffix(".swift")
        ? text.matches(of: /func `([^`]+)`/).map(\.1)
        : path.hasPrefix("Conformance/") ? text.matches(of: /(?m)^  id: (.+)$/).map(\.1) : []
      for name in names { carried.formUnion(Self.ids(in: name)) }
    }
    #expect(carried.count > 200, "hardly any test has an ID: can this test still read them?")
    let missing = Set(try caseRows()).subtracting(carried)
    #expect(missing.isEmpty, "without a test: \(missing.sorted())")
  }

  private static func ids(in text: Substring) -> [String] {
    text.matches(of: /[A-Z]{3}-[0-9]{2}/).map { String($0.output) }
  }

  @Test func `nothing cites a source that is not in the repository`() throws {
    let phrases = Pattern(
      [
        "framework semantics|semantic cases|settled question",
        "web services (?:part )?[0-9]|reliability,? [A-Z][0-9]|performance [A-H][^a-z]",
        #"\((?:the )?(?:review|audit)[^a-z]"#,
      ].joined(separator: "|"))
    for (path, text) in try texts() where path != "Tests/TidyTests/CitationTidy.swift" {
      // A citation may begin on one line of a comment and end on the next.
      let lines = text.split(separator: "\n").map { $0.drop(while: { " /#".contains($0) }) }
      let cited = phrases.all(in: lines.joined(separator: " "))
      #expect(cited.isEmpty, "\(path) cites \(cited): see 'How to cite' in docs/cases/README.md")
    }
  }

  /// The IDs that begin a row of a table in docs/cases, in order.
  private func caseRows() throws -> [String] {
    let folder = Tidy.root.appending(path: "docs/cases").path
    let names = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    var rows: [String] = []
    for name in names where name.hasSuffix(".md") {
      let page = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      rows += page.matches(of: /(?m)^\| ([A-Z]{3}-[0-9]{2}) \|/).map { String($0.1) }
    }
    return rows
  }

  /// Every text in these folders; files that are hidden, or that are no texts, are left out.
  private func texts() throws -> [(path: String, text: String)] {
    var found: [(path: String, text: String)] = []
    for folder in ["Sources", "Tests", "Conformance", "docs", "scripts"] {
      let start = Tidy.root.appending(path: folder).path
      let inside = try FileManager.default.subpathsOfDirectory(atPath: start).sorted()
      for path in inside.map({ "\(folder)/\($0)" }) where !path.contains("/.") {
        let file = Tidy.root.appending(path: path).path
        guard let text = try? String(contentsOfFile: file, encoding: .utf8) else { continue }
        found.append((path, text))
      }
    }
    #expect(found.count > 500, "hardly any text was found: where have the folders gone?")
    return found
  }
}
