// docs/reference says what the code says. `BRUME_WRITE_REFERENCE=1 swift test --filter
// ReferencePagesTests` writes the pages anew.

import BrumeServer
import Foundation
import Testing

@Suite struct ReferencePagesTests {
  @Test(arguments: ReferencePage.allCases)
  func `a reference page says what the code says`(page: ReferencePage) async throws {
    let text = page.text(try await ServerFixture.endpoints())
    if ProcessInfo.processInfo.environment["BRUME_WRITE_REFERENCE"] == "1" {
      try FileManager.default.createDirectory(
        at: page.file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: page.file)
    }
    let written = (try? String(contentsOf: page.file, encoding: .utf8)) ?? ""
    let difference = Self.firstDifference(written, text)
    #expect(
      difference == nil,
      "\(page.path), \(difference ?? "")\nThe code has changed; run \(ReferencePage.command)")
  }

  /// Nil if both are the same, byte for byte.
  private static func firstDifference(_ page: String, _ code: String) -> String? {
    if page.utf8.elementsEqual(code.utf8) { return nil }
    let (old, new) = (lines(page), lines(code))
    let line = zip(old, new).prefix { $0 == $1 }.count
    return "line \(line + 1):\npage: \(line < old.count ? old[line] : "ends")\n"
      + "code: \(line < new.count ? new[line] : "ends")"
  }

  private static func lines(_ text: String) -> [Substring] {
    text.split(separator: "\n", omittingEmptySubsequences: false)
  }

  @Test func `a server shows what the list of metrics says, and nothing else`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1")
      let lines = try await client.send("/_brume/metrics").text.split(separator: "\n")
      let shown = Set(lines.filter { $0.hasPrefix("# TYPE ") }.map { String($0.dropFirst(7)) })
      let listed = Set(Metric.all.map { "\($0.name) \($0.kind.rawValue)" })
      #expect(shown.subtracting(listed).sorted() == [])
      let always = Metric.all.filter {
        $0.labels.isEmpty && !$0.meaning.contains("; absent w")
      }
      let names = always.map { "\($0.name) \($0.kind.rawValue)" }
      #expect(Set(names).subtracting(shown).sorted() == [])
      for metric in always {
        #expect(lines.contains { $0 == "# HELP \(metric.name) \(metric.meaning)" })
      }
    }
  }

  @Test func `every metric has its own name, and its meaning is one line`() {
    #expect(Metric.meanings.count == Metric.all.count)
    for metric in Metric.all {
      #expect(!metric.meaning.contains { $0 == "\n" || $0 == "\\" }, "\(metric.name)")
    }
  }
}
