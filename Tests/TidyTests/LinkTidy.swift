// Links of the documents lead somewhere: to a file of this repository, and to a heading that it has. Paths that
// stand in a page as code exist too.

import Foundation
import Testing

@Suite struct LinkTidy {
  /// Every page that a reader may open: all Markdown of the repository, without what tools leave behind.
  static let pages: [String] = {
    let files = FileManager.default.enumerator(
      at: Tidy.root, includingPropertiesForKeys: nil, options: [.skipsHiddenFiles])
    let paths = files?.compactMap { ($0 as? URL)?.path } ?? []
    return paths.filter { $0.hasSuffix(".md") && !$0.contains("/node_modules/") }
      .map { String($0.dropFirst(Tidy.root.path.count + (Tidy.root.path.hasSuffix("/") ? 0 : 1))) }
      .sorted()
  }()

  @Test func `the pages are found`() {
    #expect(Self.pages.contains("README.md") && Self.pages.contains("docs/operating/load.md"))
  }

  @Test(arguments: pages)
  func `every link of a page leads to a file and a heading that exist`(page: String) throws {
    for link in try Self.links(of: page) {
      let broken = try Self.fault(of: link, on: page)
      #expect(broken == nil, "\(page): (\(link)): \(broken ?? "")")
    }
  }

  @Test func `every page can be reached from the README by links`() throws {
    var (reached, next): (Set<String>, [String]) = (["README.md"], ["README.md"])
    while let page = next.popLast() {
      let targets = try Self.links(of: page).map { Self.path(of: $0, on: page) }
      // A link to a folder leads to all that is in it.
      for found in Self.pages
      where !reached.contains(found)
        && targets.contains { $0 == found || found.hasPrefix($0 + "/") }
      {
        reached.insert(found)
        next.append(found)
      }
    }
    let lost = Self.pages.filter { $0.hasPrefix("docs/") && !reached.contains($0) }
    #expect(lost.isEmpty, "no link leads to \(lost): name them in docs/README.md")
  }

  @Test(arguments: pages)
  func `every path that a page names as code exists`(page: String) throws {
    let roots = ["Sources", "Tests", "docs", "Examples", "scripts", "Deploy", "Conformance"]
    // The changelog says what was, decisions what was decided then.
    if page == "CHANGELOG.md" || page.hasPrefix("docs/decisions/") { return }
    // Between marks: every second part.
    let parts = try Self.prose(of: page).split(separator: "`", omittingEmptySubsequences: false)
    for (index, part) in parts.enumerated() where index % 2 == 1 {
      let name = part.split(separator: " ").first.map(String.init) ?? ""
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
    let path = path(of: link, on: page)
    guard exists(path) else { return "there is no \(path)" }
    guard parts.count == 2, path.hasSuffix(".md") else { return nil }
    let headings = anchors(of: try prose(of: path).components(separatedBy: "\n"))
    return headings.contains(String(parts[1])) ? nil : "\(path) has no heading #\(parts[1])"
  }

  /// Where a link leads in the repository, without the heading.
  private static func path(of link: String, on page: String) -> String {
    let target = link.prefix { $0 != "#" }
    let folder = URL(filePath: "/\(page)").deletingLastPathComponent()
    let goal = folder.appending(path: String(target)).standardized.path.dropFirst()
    return target.isEmpty ? page : goal.hasSuffix("/") ? String(goal.dropLast()) : String(goal)
  }

  private static func links(of page: String) throws -> [String] { links(in: try prose(of: page)) }

  /// Targets inside this repository, pictures among them.
  private static func links(in text: String) -> [String] {
    let parts = text.split(separator: "`", omittingEmptySubsequences: false).enumerated()
    let prose = parts.filter { $0.offset % 2 == 0 }.map(\.element).joined()
    return prose.components(separatedBy: "](").dropFirst()
      .compactMap { $0.split(separator: ")").first.map(String.init) }
      .filter { !$0.contains(":") }
  }

  /// A page without its blocks of code.
  private static func prose(of page: String) throws -> String {
    var isCode = false
    return try String(contentsOf: Tidy.root.appending(path: page), encoding: .utf8)
      .split(separator: "\n", omittingEmptySubsequences: false)
      .filter { line in
        let isFence = line.drop { $0 == " " }.hasPrefix("```")
        if isFence { isCode.toggle() }
        return !isCode && !isFence
      }
      .joined(separator: "\n")
  }

  /// The fragments of headings, as code hosts make them.
  private static func anchors(of lines: [String]) -> [String] {
    var seen: [String: Int] = [:]
    return lines.compactMap { line -> String? in
      guard line.hasPrefix("#") else { return nil }
      let heading = line.drop { $0 == "#" }.dropFirst()
      let text = heading.replacing(/\[([^\]]*)\]\([^)]*\)/) { String($0.output.1) }.lowercased()
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
