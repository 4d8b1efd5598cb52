// A server whose log nobody reads, or only late, and what of it is there at the end.

import BrumeServer
import BrumeStorage
import Foundation
import Testing

@testable import brume

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(5)))
struct UnreadLogTests {
  @Test func `a log that nobody reads keeps nobody waiting, and says later what is missing`()
    async throws
  {
    try await Self.serving { process, url in
      // More than the pipe and the lines that wait for it take.
      for number in 0..<200 { try await Self.ask(url, number) }
      let metrics = try await Self.get("\(url)/_brume/metrics").text
      let count = metrics.split(separator: "\n").first { $0.hasPrefix("brume_log_lines_lost") }
      let counted = try #require(count.flatMap { Int($0.split(separator: " ")[1]) })
      let (status, log) = try await Tool.endReading(process)
      #expect(status == 0)
      let numbers = Self.numbers(in: log)
      #expect(numbers == Array(0..<numbers.count))
      let lost = try #require(log.firstMatch(of: #/log\.lost=(\d+) /#).flatMap { Int($0.1) })
      #expect(lost >= counted && counted >= 200 - numbers.count && numbers.count < 200)
    }
  }

  @Test(arguments: [SIGTERM, SIGABRT])
  func `what was logged before the end stands in a log that is read late`(
    signal: Int32
  ) async throws {
    try await Self.serving { process, url in
      // More than the pipe takes.
      for number in 0..<20 { try await Self.ask(url, number) }
      let end = try await Tool.endReading(process, with: signal)
      #expect(end.status == (signal == SIGTERM ? 0 : 128 + signal))
      #expect(Self.numbers(in: end.talk) == Array(0..<20))
    }
  }

  @Test func `a server ends though nobody reads its log`() async throws {
    try await Self.serving { process, url in
      for number in 0..<20 { try await Self.ask(url, number) }
      #expect(await Tool.end(process) == 0)
    }
  }

  @Test func `a log that was closed keeps nobody waiting`() async throws {
    try await Self.serving { process, url in
      try process.talk.close()
      for number in 0..<20 { try await Self.ask(url, number) }
      #expect(await Tool.end(process) == 0)
    }
  }

  @Test func `the line about what is missing has the form of the log`() throws {
    let lost = LostLines(count: 3, since: 1500)
    let text = String(decoding: Logs.line(about: lost, .text), as: UTF8.self)
    #expect(text.contains(" warning brume: log.lost=3 log.since=1970-01-01T00:00:01.500Z "))
    #expect(text.hasSuffix("\n"))
    let line = Logs.line(about: lost, .json)
    let object = try #require(
      try JSONSerialization.jsonObject(with: Data(line)) as? [String: String])
    #expect(object["log.lost"] == "3" && object["level"] == "warning")
    #expect(line.firstIndex(of: UInt8(ascii: "\n")) == line.count - 1)
  }

  // MARK: The server

  private static func serving(_ body: (Child, String) async throws -> Void) async throws {
    try await Tool.withFolder { folder in
      let server = try await Tool.serve(
        "--dev", "--port", "0", "--store", "memory", "--data", folder)
      let url = try #require(try? ServerFile(folder: folder).url, "\(server.lines)")
      do { try await body(server.process, url) } catch {
        _ = await Tool.end(server.process)
        throw error
      }
    }
  }

  /// A request whose line in the log has 8 KB.
  private static func ask(_ url: String, _ number: Int) async throws {
    let path = "\(String(repeating: "x", count: 8000))/\(number)"
    #expect(try await get("\(url)/\(path)").status == 404)
  }

  /// Of the requests whose lines stand in the log.
  private static func numbers(in log: String) -> [Int] {
    log.matches(of: #/request\.path=/x{8000}/(\d+) /#).compactMap { Int($0.1) }
  }

  private static func get(_ address: String) async throws -> (status: Int?, text: String) {
    let (data, answer) = try await URLSession.shared.data(from: try #require(URL(string: address)))
    return ((answer as? HTTPURLResponse)?.statusCode, String(decoding: data, as: UTF8.self))
  }
}
