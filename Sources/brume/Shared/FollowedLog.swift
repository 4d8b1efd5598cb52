// A log of the server's as a command shows it: the newest lines, page by page, or line by line as they come. A restart of
// the server does not end that; whoever stops reading does.

import BrumeWire

struct FollowedLog {
  private(set) var connection: ServerConnection
  /// Of the admin call that answers lines in `log`.
  let path: String
  let filter: [(String, String)]
  /// Of the last line that was shown.
  private var position: Int64 = 0
  private var time: Int64 = 0

  /// Who asks so is not noted as asking.
  private static let quietly = [("after", "0")]
  /// The most that the server answers with.
  private static let page = 1000
  /// Ours: the most lines that are shown at once of those that came meanwhile.
  private static let most = 10_000

  init(_ connection: ServerConnection, _ path: String, _ filter: [(String, String)]) {
    self.connection = connection
    self.path = path
    self.filter = filter
  }

  /// The newest lines, oldest first.
  func newest(_ limit: Int) async throws -> [JSON] { try await newest(limit, []).lines }

  /// - Returns: also since when the log remembers lines, if it does so in memory.
  private func newest(
    _ limit: Int, _ part: [(String, String)]
  ) async throws -> (lines: [JSON], since: Int64?) {
    var (lines, before, since) = ([JSON](), Int64?.none, Int64?.none)
    repeat {
      let wanted = min(limit - lines.count, Self.page)
      let answer = try await ask(wanted, part + (before.map { [("before", "\($0)")] } ?? []))
      lines = Self.lines(answer) + lines
      before = answer["next"]?.int
      since = answer["since"]?.int
    } while before != nil && lines.count < limit
    return (lines, since)
  }

  /// Shows lines as they are written, beginning with the last few.
  ///
  /// - Parameter show: takes lines.
  mutating func follow(from limit: Int, _ show: ([JSON]) -> Void) async throws {
    var lines = try await newest(limit, Self.quietly).lines
    while true {
      if !lines.isEmpty { show(lines) }
      position = lines.last?["position"]?.int ?? position
      time = lines.compactMap { $0["time"]?.int }.reduce(time, max)
      try await Task.sleep(for: .seconds(1))
      guard Output.hasReader else { return }
      lines = try await newer()
      if position > 0, lines.count >= Self.most {
        Output.say(
          "only the newest \(Self.most) lines are shown: more were written than can be followed")
      }
    }
  }

  /// Lines after the last one that was shown. A server that does not answer, or not to us, may be another one by now: it
  /// is waited for.
  private mutating func newer() async throws -> [JSON] {
    do {
      return try await after()
    } catch let error as CommandFailure {
      Output.say("\(error); waiting for it")
    }
    while Output.hasReader {
      try await Task.sleep(for: .seconds(1))
      connection = (try? connection.anew()) ?? connection
      guard let newest = try? await ask(1, Self.quietly) else { continue }
      // One that keeps its log in memory begins anew.
      if Self.lines(newest).last?["position"]?.int ?? 0 < position { position = 0 }
      Output.say("the server is back")
      return try await after()
    }
    return []
  }

  private mutating func after() async throws -> [JSON] {
    let (lines, since) = try await newest(Self.most, [("after", "\(position)")])
    // All that a log in memory remembers came since: it began anew, and its positions with it.
    guard position > 0, let since, since > time else { return lines }
    return try await newest(Self.most, Self.quietly).lines
  }

  private func ask(_ limit: Int, _ part: [(String, String)]) async throws -> JSON {
    try await connection.get(
      path, filter + [("limit", "\(limit)")] + part)
  }

  /// Oldest first, whatever the order of the answer.
  private static func lines(_ answer: JSON) -> [JSON] {
    (answer["log"]?.array ?? []).sorted {
      ($0["position"]?.int ?? 0) < ($1["position"]?.int ?? 0)
    }
  }
}
