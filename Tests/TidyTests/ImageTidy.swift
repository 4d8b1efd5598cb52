// The image's build gets what the package is compiled from. This is read from the texts, so that it takes no
// time; `make image-test` carries the build out.

import Foundation
import Testing

@Suite struct ImageTidy {
  @Test func `the image's build gets every file that the package is compiled from`() throws {
    let (copied, needed) = (try copiedSources(), try neededPaths())
    for path in needed {
      #expect(
        copied.contains { path == $0 || path.hasPrefix($0 + "/") },
        "Deploy/Dockerfile: the stage that compiles does not COPY \(path)")
    }
    #expect(
      needed.contains { $0.hasPrefix("Conformance/cases/") }, "no embedded file was found: why?")
  }

  @Test func `the build's context has every file that the image's build copies, and no secrets`()
    throws
  {
    let rules = try lines(of: ".dockerignore")
    for path in try copiedSources() + neededPaths() {
      #expect(isInContext(path, rules), ".dockerignore leaves out \(path)")
    }
    for path in ["brume-data/server.json", ".git/config", ".build/debug/brume"] {
      #expect(!isInContext(path, rules), ".dockerignore lets \(path) into the image's build")
    }
  }

  /// What the first stage copies; each to where it is in the repository, below the working folder.
  private func copiedSources() throws -> [String] {
    let stages = try lines(of: "Deploy/Dockerfile").split { $0.hasPrefix("FROM ") }
    let copies = try #require(stages.first { $0.contains { $0.contains("swift build") } })
      .filter { $0.hasPrefix("COPY ") }.map { $0.split(separator: " ").dropFirst() }
    return try copies.map { words in
      let (source, goal) = (String(try #require(words.first)), String(try #require(words.last)))
      #expect(words.count == 2 && (goal == source || goal == "./"), "COPY \(source) \(goal)")
      return source
    }
  }

  /// The manifest, the targets' folders, and files elsewhere that a compiler reads.
  private func neededPaths() throws -> Set<String> {
    var found: Set = ["Package.swift"]
    for folder in ["Sources", "Tests"] {
      let inside = try FileManager.default.contentsOfDirectory(atPath: absolute(folder))
      found.formUnion(inside.map { "\(folder)/\($0)" })
    }
    // Paths that SwiftPM does not know by itself; a part that is computed ends what is said.
    let manifest = try String(contentsOfFile: absolute("Package.swift"), encoding: .utf8)
    for match in manifest.matches(of: /path: "([^"\\]+)/) {
      found.insert(match.1.hasSuffix("/") ? String(match.1.dropLast()) : String(match.1))
    }
    let sources = try FileManager.default.subpathsOfDirectory(atPath: absolute("Sources"))
    for path in sources where path.hasSuffix(".c") || path.hasSuffix(".h") || path.hasSuffix(".S") {
      let folder = URL(filePath: "/Sources/\(path)").deletingLastPathComponent()
      let text = try String(contentsOfFile: absolute("Sources/\(path)"), encoding: .utf8)
      for match in text.matches(of: /(?m)^\s*(?:#embed|#include|\.incbin)\s+"(\.\.[^"]+)"/) {
        found.insert(String(folder.appending(path: match.1).standardized.path.dropFirst()))
      }
    }
    return found
  }

  /// The last rule that fits a path, or a folder above it, decides.
  private func isInContext(_ path: String, _ rules: [String]) -> Bool {
    var isIn = true
    for rule in rules {
      let pattern = rule.hasPrefix("!") ? String(rule.dropFirst()) : rule
      #expect(
        pattern == "*" || !pattern.contains("*"), ".dockerignore: this test cannot read \(rule)")
      if pattern == "*" || path == pattern || path.hasPrefix(pattern + "/") {
        isIn = rule.hasPrefix("!")
      }
    }
    return isIn
  }

  /// Without comments and empty lines.
  private func lines(of path: String) throws -> [String] {
    try String(contentsOfFile: absolute(path), encoding: .utf8).split(separator: "\n")
      .map { $0.trimmingCharacters(in: .whitespaces) }.filter { !$0.isEmpty && !$0.hasPrefix("#") }
  }

  private func absolute(_ path: String) -> String { Tidy.root.appending(path: path).path }
}
