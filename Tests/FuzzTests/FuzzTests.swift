// What a search has found, and what it begins with, read by an ordinary build, as it is and changed. The search itself is
// `scripts/fuzz`; docs/internals/fuzzing.md.

import Foundation
import Testing

@Suite(.timeLimit(.minutes(20))) struct FuzzTests {
  /// Ours: inputs of each target in one run of the tests; of `request`, which is slower, a fiftieth.
  private static let mutants = 2000

  @Test func `every entry of the corpus is read without a trap`() throws {
    try Self.read(["--replay", Self.corpus])
  }

  @Test func `two thousand changed entries are read by each target without a trap or a hang`()
    throws
  {
    // The same entries in each run; `make soak` draws others.
    try Self.read(["--mutate", Self.corpus, "1", "\(Self.mutants)"])
  }

  private static func read(_ arguments: [String]) throws {
    let (child, output) = (Process(), Pipe())
    child.executableURL = URL(filePath: Self.path)
    child.arguments = arguments
    child.standardOutput = output
    child.standardError = output
    try child.run()
    let bytes = output.fileHandleForReading.readDataToEndOfFile()
    child.waitUntilExit()
    let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n")
    #expect(
      child.terminationStatus == 0, "\(arguments) \(lines.suffix(20).joined(separator: "\n"))")
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
