// docs/reference/commands.md says what the commands say of themselves.
// `BRUME_WRITE_REFERENCE=1 swift test --filter CommandReferenceTests` writes it anew.

import Foundation
import Testing

@Suite struct CommandReferenceTests {
  private static let page = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "docs/reference/commands.md")

  @Test func `the reference of commands says what the commands say`() async throws {
    let outcome = try await Tool.run("manual", "--markdown")
    #expect(outcome.status == 0, "\(outcome.talk)")
    if ProcessInfo.processInfo.environment["BRUME_WRITE_REFERENCE"] == "1" {
      try Data(outcome.output.utf8).write(to: Self.page)
    }
    let written = (try? String(contentsOf: Self.page, encoding: .utf8)) ?? ""
    let (old, new) = (written.split(separator: "\n"), outcome.output.split(separator: "\n"))
    let line = zip(old, new).prefix { $0 == $1 }.count
    #expect(
      written == outcome.output,
      """
      docs/reference/commands.md, line \(line) of those with text: '\(line < old.count ? old[line] : "")' \
      should be '\(line < new.count ? new[line] : "")'; the commands have changed: run \
      BRUME_WRITE_REFERENCE=1 swift test --filter CommandReferenceTests
      """)
  }
}
