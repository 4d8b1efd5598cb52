// brume push log: what was sent to whom, why, and what the other side answered.

import ArgumentParser
import BrumeWire
import FoundationEssentials

extension PushCommand {
  struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what was sent to whom, why, and what the other side answered.",
      discussion: """
        Each line follows one attempt from the request that made the change to the answer of APNs, the \
        Web Push service or the webhook. Devices with an event stream or a poll fetch their pushes; \
        'brume devices list' shows what waits for them.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "Only pushes to this user: a sign-in name.") var user: String?
    @Option(help: "Only pushes to this device or webhook.") var device: String?
    @Option(help: "Only pushes that this request caused.") var request: String?
    @Option(help: "Only this notification (nid).") var notification: String?
    @Option(help: "How many lines.") var limit = 100
    @Flag(help: "Go on as attempts are made; Ctrl-C ends.") var follow = false
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let connection = try server.connect()
      var filter = [("limit", String(limit))]
      for (name, value) in [
        ("user", user), ("device", device), ("request", request), ("notification", notification),
      ] {
        if let value { filter.append((name, value)) }
      }
      var position: Int64 = 0
      var isFirst = true
      repeat {
        let lines =
          try await connection.get("push/log", filter + [("after", String(position))])["log"]?
          .array ?? []
        position = lines.last?["position"]?.int ?? position
        show(lines, withTitles: isFirst)
        isFirst = false
        if follow { try await Task.sleep(for: .seconds(1)) }
      } while follow
    }

    private func show(_ lines: [JSON], withTitles: Bool) {
      guard withTitles || !lines.isEmpty else { return }
      let columns = [
        "time", "request", "change", "subscription", "notification", "user", "device", "channel",
        "attempt", "verdict", "status", "reason",
      ]
      Listing(columns).show(lines.map { readable($0) }, asJSON: json)
    }

    /// The time as people read it.
    private func readable(_ line: JSON) -> JSON {
      guard !json, case .object(var object) = line, let time = line["time"]?.int else {
        return line
      }
      let date = Date(timeIntervalSince1970: Double(time) / 1000)
      object["time"] = .string(date.formatted(.iso8601))
      return .object(object)
    }
  }
}
