// brume push log: what was sent to whom, why, and what the other side answered.

import ArgumentParser
import BrumeWire

extension PushCommand {
  struct Log: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show what was sent to whom, why, and what the other side answered.",
      discussion: """
        Each line follows one push from the request that made the change to the answer of the other \
        side: of APNs, the Web Push service or the webhook, or the acknowledgement of a device that \
        fetches (stream, courier). What was not acknowledged yet waits: 'brume devices list'.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "Only pushes to this user: a sign-in name.") var user: String?
    @Option(help: "Only pushes to this device or webhook.") var device: String?
    @Option(help: "Only pushes that this request caused.") var request: String?
    @Option(help: "Only this notification (nid).") var notification: String?
    @Option(help: "How many lines.") var limit = 100
    @Flag(help: "Go on as attempts are made; Ctrl-C ends.") var follow = false
    @Flag(help: "One JSON object a line.") var json = false

    func validate() throws { try LineLimit.require(limit) }

    func run() async throws {
      let filter = ServerConnection.given([
        ("user", user), ("device", device), ("request", request), ("notification", notification),
      ])
      var view = PushLogView(connection: try server.connect(), json: json, filter: filter)
      if follow { try await view.follow(from: limit) } else { try await view.show(limit) }
    }
  }
}

/// The push log on the terminal.
struct PushLogView {
  private var log: FollowedLog
  private let json: Bool

  init(connection: ServerConnection, json: Bool, filter: [(String, String)] = []) {
    log = FollowedLog(connection, "push/log", filter)
    self.json = json
  }

  private static let listing = Listing(
    [
      "time", "request", "change", "subscription", "notification", "user", "device", "channel",
      "attempt", "verdict", "status", "reason",
    ], times: ["time"])

  /// Shows lines as they are written, under one heading: it stands there from the first line on, and the columns only grow.
  mutating func follow(from limit: Int) async throws {
    var widths: [Int] = []
    try await log.follow(from: limit) { [json] lines in
      widths = Self.listing.show(lines, asJSON: json, after: widths)
    }
  }

  /// Shows the newest lines.
  func show(_ limit: Int) async throws {
    let lines = try await log.newest(limit)
    Self.listing.show(lines, asJSON: json)
  }
}
