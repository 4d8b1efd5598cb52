// What a search has found, and what it begins with, read again by an ordinary build. The search itself is
// `scripts/fuzz`; docs/internals/fuzzing.md.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(5))) struct FuzzTests {
  @Test func `every entry of the corpus is read without a trap`() throws {
    let (child, output) = (Process(), Pipe())
    child.executableURL = URL(filePath: Self.path)
    child.arguments = ["--replay", Self.corpus]
    child.standardOutput = output
    child.standardError = output
    try child.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(child.terminationStatus == 0, "\(lines.suffix(20).joined(separator: "\n"))")
  }

  private static let corpus = URL(filePath: #filePath).deletingLastPathComponent()
    .appending(path: "../Fuzz/corpus").path

  /// Beside the test bundle.
  private static let path: String = {
    let bundle = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent()
    let candidates = [bundle, URL(filePath: ".build/debug")].map {
      $0.appending(path: "brume-fuzz").path
    }
    return candidates.first { FileManager.default.isExecutableFile(atPath: $0) } ?? candidates[0]
  }()
}
