import BrumeModel
import Foundation
import Testing

/// Every reason that a trace can give is brought about by some test that expects it.
@Suite struct EveryReasonTests {
  private static let folders = [
    "Tests/BrumeDeliveryTests/Trace", "Tests/BrumeNotifierTests/FanOut",
    "Tests/BrumeServerTests/TraceRouteTests.swift", "Tests/BrumeStorageTests/Damage",
  ]

  @Test(arguments: Trace.Verdict.allCases)
  func `a test expects the verdict`(verdict: Trace.Verdict) throws {
    #expect(Self.expects(".\(verdict.rawValue)", in: try Self.texts()))
  }

  /// The check itself must notice what is missing.
  @Test func `a verdict that no test expects is noticed`() throws {
    #expect(!Self.expects(".lostInTheMail", in: try Self.texts()))
    #expect(!Self.expects(".sen", in: ["#expect(verdict == .sent)"]))
    #expect(!Self.expects(".sent", in: ["let sender = device.sent", "// .sent"]))
  }

  /// Whether a line that compares names it.
  private static func expects(_ name: String, in texts: [String]) -> Bool {
    texts.contains { text in
      text.split(separator: "\n").contains { line in
        guard line.contains("expect") || line.contains("[\"") || line.contains("== ") else {
          return false
        }
        return line.ranges(of: name).contains { range in
          line[range.upperBound...].first.map { !$0.isLetter && $0 != "(" } ?? true
        }
      }
    }
  }

  private static func texts() throws -> [String] {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().deletingLastPathComponent()
    return try folders.flatMap { path -> [URL] in
      let url = root.appending(path: path)
      guard !path.hasSuffix(".swift") else { return [url] }
      return try FileManager.default.contentsOfDirectory(at: url, includingPropertiesForKeys: nil)
        .filter { $0.pathExtension == "swift" && $0.lastPathComponent != "EveryReasonTests.swift" }
    }.map { try String(contentsOf: $0, encoding: .utf8) }
  }
}
