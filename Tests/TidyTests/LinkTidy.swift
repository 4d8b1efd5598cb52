// Links of the documents lead somewhere: to a file of this repository, and to a heading that it has. Paths that
// stand in a page as code exist too.

import Foundation
import Testing

@Suite struct LinkTidy {
  /// Every page that a reader may open: all Markdown of the repository, without what tools leave behind.
  static func pages() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: Tidy.root.path)
      .filter { path in
        path.hasSuffix(".md")
          && !path.split(separator: "/").contains { $0.hasPrefix(".") || $0 == "node_modules" }
      }
      .sorted()
  }

  @Test(arguments: try pages())
  func `every link of a page leads to a file and a heading that exist`(page: String) throws {
    for link in try Self.links(of: page) {
      let broken = try Self.fault(of: link, on: page)
      #expect(broken == nil, "\(page): (\(link)): \(broken ?? "")")
    }
  }

  @Test(arguments: try pages())
  func `every path that a page names as code exists`(page: String) throws {
    let roots = ["Sources", "Tests", "docs", "Examples", "scripts", "Deploy", "Conformance"]
    // The changelog says what was, decisions what was decided then.
    if page == "CHANGELOG.md" || page.hasPrefix("docs/decisions/") { return }
    for match in try Self.prose(of: page).matches(of: /`([^`\n]+)`/) {
      let name = String(match.1).split(separator: " ").first.map(String.init) ?? ""
      guard roots.contains(where: { name.hasPrefix($0 + "/") }), !name.contains(/[*<…{]/) else {
        continue
      }
      let here = page.hasPrefix("Examples/") ? (page as NSString).deletingLastPathComponent : ""
      let isThere = Self.exists(name) || Self.exists("\(here)/\(name)")
      #expect(isThere, "\(page) names `\(name)`, which is not there")
    }
  }

  @Test(arguments: [
    ("README.md", "nowhere.md"), ("README.md", "docs/errors.md#no-such-heading"),
    ("docs/errors.md", "../docs/nowhere.md"), ("docs/errors.md", "#no-such-heading"),
  ])
  func `a broken link is found`(page: String, link: String) throws {
    #expect(try Self.fault(of: link, on: page) != nil)
  }

  @Test func `pages and headings are named as readers see them`() {
    #expect(
      Self.anchors(of: [
        "# What `expect` may say", "## CKSyncEngine", "## A, b & c!", "## A, b & c!",
      ])
        == ["what-expect-may-say", "cksyncengine", "a-b--c", "a-b--c-1"])
    #expect(
      Self.links(in: "[a](b.md) ![p](q.png) [c](https://x.org) `[no](code.md)`") == [
        "b.md", "q.png",
      ])
  }

  // MARK: Reading pages

  /// What is wrong with a link, or nil.
  static func fault(of link: String, on page: String) throws -> String? {
    let parts = link.split(separator: "#", maxSplits: 1, omittingEmptySubsequences: false)
    let folder = URL(filePath: "/\(page)").deletingLastPathComponent()
    let path =
      parts[0].isEmpty
      ? page : String(folder.appending(path: String(parts[0])).standardized.path.dropFirst())
    guard exists(path) else { return "there is no \(path)" }
    guard parts.count == 2, path.hasSuffix(".md") else { return nil }
    let headings = anchors(of: try prose(of: path).components(separatedBy: "\n"))
    return headings.contains(String(parts[1])) ? nil : "\(path) has no heading #\(parts[1])"
  }

  private static func links(of page: String) throws -> [String] { links(in: try prose(of: page)) }

  /// Targets inside this repository, pictures among them.
  private static func links(in text: String) -> [String] {
    text.replacing(/`[^`\n]*`/, with: "").matches(of: /\]\(([^)\s]+)\)/).map { String($0.1) }
      .filter { !$0.contains(/^[a-z]+:/) }
  }

  /// A page without its blocks of code.
  private static func prose(of page: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: page), encoding: .utf8)
      .replacing(/(?ms)^ *```.*?^ *```$/, with: "")
  }

  /// The fragments of headings, as code hosts make them.
  private static func anchors(of lines: [String]) -> [String] {
    var seen: [String: Int] = [:]
    return lines.compactMap { line -> String? in
      guard let heading = line.firstMatch(of: /^#+ (.+)$/) else { return nil }
      let text = heading.1.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }.lowercased()
      let name = String(text.filter { $0.isLetter || $0.isNumber || "-_ ".contains($0) })
        .replacing(" ", with: "-")
      defer { seen[name, default: 0] += 1 }
      return seen[name].map { "\(name)-\($0)" } ?? name
    }
  }

  private static func exists(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: Tidy.root.appending(path: path).path)
  }
}
