// brume push log: what was sent to whom, why, and what the other side answered.

import ArgumentParser
import BrumeModel
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
      var view = PushLogView(connection: try server.connect(), json: json)
      for (name, value) in [
        ("user", user), ("device", device), ("request", request), ("notification", notification),
      ] {
        if let value { view.filter.append((name, value)) }
      }
      if follow { try await view.follow(from: limit) } else { try await view.show(limit) }
    }
  }
}

/// The push log on the terminal.
struct PushLogView {
  private(set) var connection: ServerConnection
  let json: Bool
  var filter: [(String, String)] = []

  init(connection: ServerConnection, json: Bool) {
    self.connection = connection
    self.json = json
  }

  /// The most that the server answers with.
  private static let page = 1000

  private static let listing = Listing([
    "time", "request", "change", "subscription", "notification", "user", "device", "channel",
    "attempt", "verdict", "status", "reason",
  ])

  /// Shows lines as they are written, beginning with the last few, under one heading: it stands
  /// there from the first line on, and the columns only grow. A restart of the server does not end it.
  mutating func follow(from limit: Int) async throws {
    var (position, widths) = (Int64(0), [Int]())
    var lines = try await lines(limit)
    while true {
      if !lines.isEmpty {
        widths = Self.listing.show(
          lines.map { readable($0) }, asJSON: json, heading: position == 0, atLeast: widths)
      }
      position = lines.last?["position"]?.int ?? position
      try await Task.sleep(for: .seconds(1))
      lines = try await newer(than: &position)
      if position > 0, lines.count >= Self.page {
        Output.say(
          "only the newest \(Self.page) lines are shown: more were written than can be followed")
      }
    }
  }

  /// Lines after a position. A server that does not answer, or not to us, may be another one by now:
  /// it is waited for.
  private mutating func newer(than position: inout Int64) async throws -> [JSON] {
    do {
      return try await lines(Self.page, after: position)
    } catch let error as CommandFailure {
      Output.say("\(error); waiting for it")
    }
    while true {
      try await Task.sleep(for: .seconds(1))
      connection = (try? connection.anew()) ?? connection
      guard let newest = try? await lines(1) else { continue }
      // One that keeps its log in memory begins anew.
      if newest.last?["position"]?.int ?? 0 < position { position = 0 }
      Output.say("the server is back")
      return try await lines(Self.page, after: position)
    }
  }

  /// Shows the newest lines.
  func show(_ limit: Int) async throws {
    Self.listing.show(try await lines(limit).map { readable($0) }, asJSON: json)
  }

  /// The newest lines after a position, oldest first.
  private func lines(_ limit: Int, after position: Int64 = 0) async throws -> [JSON] {
    let query = filter + [("limit", String(limit)), ("after", String(position))]
    return try await connection.get("push/log", query)["log"]?.array ?? []
  }

  /// The time as people read it.
  private func readable(_ line: JSON) -> JSON {
    guard !json, case .object(var object) = line, let time = line["time"]?.int else { return line }
    object["time"] = .string(ISODate.text(time))
    return .object(object)
  }
}
