// ARCHITECTURE.md is true, as far as a machine can see: each file that it names is there, and what a recipe says of a file
// stands in one.

import Foundation
import Testing

@Suite struct MapTidy {
  private static let roots = [
    "Sources", "Tests", "docs", "Examples", "scripts", "Deploy", "Conformance",
  ]

  @Test func `every path that the map names exists`() throws {
    let map = try Self.map()
    var folder = ""
    var paths = 0
    for name in Self.names(in: map) {
      guard let path = Self.path(name, &folder) else { continue }
      let isThere = Self.exists(path)
      #expect(isThere, "ARCHITECTURE.md names \(name) after \(folder), where it is not")
      paths += 1
    }
    #expect(paths > 300, "the map names hardly any file: is its format still what this test reads?")
  }

  @Test func `what a recipe calls by its name stands in a file that the recipe names`() throws {
    let map = try Self.map()
    let recipes = map.components(separatedBy: "\n## ").first { $0.hasPrefix("Recipes") }
    let sections = try #require(recipes).components(separatedBy: "\n### ").dropFirst()
    #expect(sections.count == 7)
    var count = 0
    for section in sections {
      var folder = ""
      var (texts, called): (String, [String]) = ("", [])
      for name in Self.names(in: section) {
        if let path = Self.path(name, &folder) {
          texts += (try? String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)) ?? ""
        } else if name.contains(/^\.?[A-Za-z_]\w+$/), !["switch", "default", "docs"].contains(name)
        {
          called.append(name)
        }
      }
      for name in called where name != "Benchmarks" {
        let isThere = texts.contains(name)
        #expect(isThere, "no file of the recipe '\(section.prefix { $0 != "\n" })' has '\(name)'")
        count += 1
      }
    }
    #expect(count > 12, "recipes call hardly anything by name: can this test still read them?")
  }

  private static func map() throws -> String {
    try String(contentsOf: Tidy.root.appending(path: "ARCHITECTURE.md"), encoding: .utf8)
  }

  /// What stands between marks of code.
  private static func names(in text: String) -> [String] {
    // The picture of the rows is no text; without it every second mark begins a name.
    text.replacing(/```[^`]*```/, with: "").matches(of: /`([^`]+)`/).map { String($0.1) }
  }

  /// Where a name leads, from the folder of the file that was named before, which it moves; nil: it is no path.
  private static func path(_ name: String, _ folder: inout String) -> String? {
    if name.contains(/[*<… ]/) { return nil }
    if roots.contains(where: { name.hasPrefix($0 + "/") }) {
      folder = isFolder(name) ? name : parent(of: name)
      return name
    }
    guard name.contains(/\.(swift|py|c|md|yaml)$/) else { return nil }
    // A file of the folder named before, or of the repository's own.
    return exists(name) ? name : "\(folder)/\(name)"
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Tidy.root.appending(path: path).path)
  }

  private static func isFolder(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    let found = FileManager.default.fileExists(
      atPath: Tidy.root.appending(path: path).path, isDirectory: &isFolder)
    return found && isFolder.boolValue
  }

  private static func parent(of path: String) -> String {
    path.split(separator: "/").dropLast().joined(separator: "/")
  }
}
