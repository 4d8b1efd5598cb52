// Every number of `Limits` has a test that tries it at the last that may be and at the next, named in bounds.txt, or
// there the reason why nobody can see it from outside. A number without a line fails here, as does a line whose test
// is gone.

import Foundation
import Testing

@Suite struct BoundsTidy {
  private struct Row {
    let bound: String
    /// A file of tests and words of a test's name; nil: there is a reason instead.
    let test: (file: String, name: String)?
    let reason: String
  }

  private static func rows() throws -> [Row] {
    let path = Tidy.root.appending(path: "Tests/TidyTests/bounds.txt")
    let text = try String(contentsOf: path, encoding: .utf8)
    return text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let columns = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      guard columns.count >= 3 else {
        return Row(bound: columns[0], test: nil, reason: columns.last ?? "")
      }
      return Row(bound: columns[0], test: (columns[1], columns[2]), reason: "")
    }
  }

  private static func bounds(in text: String) -> [String] {
    text.matches(of: /package var (\w+)/).map { String($0.output.1) }
  }

  private static func limits() throws -> String {
    try String(
      contentsOf: Tidy.root.appending(path: "Sources/BrumeModel/Limits.swift"), encoding: .utf8)
  }

  /// Bounds without a line, and lines without a bound.
  private static func unlisted(_ rows: [Row], in limits: String) -> Set<String> {
    Set(bounds(in: limits)).symmetricDifference(rows.map(\.bound))
  }

  @Test func `every bound has a line in bounds.txt, and every line a bound`() throws {
    let (rows, limits) = (try Self.rows(), try Self.limits())
    #expect(Self.unlisted(rows, in: limits) == [], "list them in Tests/TidyTests/bounds.txt")
    #expect(rows.count == Set(rows.map(\.bound)).count, "a bound has one line")
    for row in rows where row.test == nil {
      #expect(row.reason.split(separator: " ").count > 3, "\(row.bound): a test, or a reason")
    }
  }

  @Test func `a bound that nobody listed is found`() throws {
    let planted = try Self.limits() + "\n  package var planted = 1\n"
    #expect(Self.unlisted(try Self.rows(), in: planted) == ["planted"])
  }

  @Test func `the tests that bounds.txt names are there`() throws {
    let tests = Tidy.root.appending(path: "Tests")
    let files =
      FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?
      .compactMap { $0 as? URL }.filter { !$0.path.contains("/.") } ?? []
    var texts: [String: String] = [:]
    for row in try Self.rows() {
      guard let (file, name) = row.test else { continue }
      if texts[file] == nil {
        texts[file] = try files.filter { $0.lastPathComponent == file }
          .map { try String(contentsOf: $0, encoding: .utf8) }.joined(separator: "\n")
      }
      #expect(texts[file]?.contains(name) == true, "\(row.bound): no '\(name)' in \(file)")
    }
  }
}
