// brume logs: requests that the server has answered; for one request ID also what else is known of it.

import ArgumentParser
import BrumeWire

struct LogsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "logs", abstract: "The newest requests, or all that is known of one.",
    discussion: """
      Each line is a request that the server has answered: who called what, and what came of it. The newest \
      10,000 are in memory, of this server and since it began; health checks, scrapes, the console's \
      files and who follows a log are not among them.

      With --request: the request, what operators did with it, and the pushes that it caused. An error \
      names the ID in its 'uuid', every answer in X-Apple-Request-UUID. What became of a change: 'brume \
      push explain --request ID'.
      """)
  @OptionGroup var server: ServerOptions
  @Option(help: "Only this request: its ID.") var request: String?
  @Option(help: "Only requests of this user: a sign-in name.") var user: String?
  @Option(help: "Only paths that begin so, such as /database.") var route: String?
  @Flag(help: "Only requests that were refused or failed.") var failed = false
  @Option(help: "How many lines.") var limit = 100
  @Flag(help: "Go on as requests come; Ctrl-C ends.") var follow = false
  @Flag(help: "One JSON object a line.") var json = false

  func validate() throws {
    try LineLimit.require(limit)
    if follow, request != nil {
      throw ValidationError("--follow shows what comes; --request ID shows what has been.")
    }
  }

  func run() async throws {
    let connection = try server.connect()
    let filter = ServerConnection.given([
      ("request", request), ("user", user), ("route", route), ("failed", failed ? "true" : nil),
    ])
    var view = RequestLogView(connection: connection, filter: filter, json: json)
    if let request {
      try await view.showAll(of: request)
    } else if follow {
      try await view.follow(from: limit)
    } else {
      try await view.show(limit)
    }
  }
}

/// The log of requests on the terminal.
struct RequestLogView {
  private let connection: ServerConnection
  private var log: FollowedLog
  private let json: Bool

  init(connection: ServerConnection, filter: [(String, String)], json: Bool) {
    self.connection = connection
    log = FollowedLog(connection, "logs", filter)
    self.json = json
  }

  /// Ours: as many lines as a log remembers.
  private static let most = 10_000
  private static let listing = Listing(
    ["time", "request", "method", "route", "by", "status", "code", "milliseconds"],
    times: ["time"])
  private static let audit = Listing(
    ["time", "operator", "action", "subject", "status"], times: ["time"])
  private static let pushes = Listing(
    ["time", "change", "subscription", "user", "device", "channel", "verdict", "reason"],
    times: ["time"])

  /// The newest lines, oldest first.
  func show(_ limit: Int) async throws {
    let lines = try await log.newest(limit)
    Self.listing.show(lines.map { json ? $0 : $0.readable() }, asJSON: json)
  }

  /// Shows requests as they are answered, beginning with the last few, under one heading.
  mutating func follow(from limit: Int) async throws {
    var widths: [Int] = []
    try await log.follow(from: limit) { [json] lines in
      widths = Self.listing.show(
        lines.map { json ? $0 : $0.readable() }, asJSON: json, after: widths)
    }
  }

  /// The request, the operators' log, and pushes: whatever knows the ID.
  func showAll(of request: String) async throws {
    let request = request.uppercased()
    let lines = try await log.newest(Self.most)
    let about = [("request", request)]
    let audit = try await connection.get("audit", about)["audit"]?.array ?? []
    let pushes = try await FollowedLog(connection, "push/log", about).newest(Self.most)
    guard !(lines + audit + pushes).isEmpty else {
      throw CommandFailure(
        "nothing is known of request \(request); the server remembers the newest 10,000 requests since it "
          + "began, and 'brume push explain --request \(request)' the changes of the last day")
    }
    show("request", lines.map { json ? $0 : $0.readable() }, Self.listing)
    show("audit", audit, Self.audit)
    show("push", pushes, Self.pushes)
  }

  /// Lines of one log: as a table under its name, or as objects that say where they are from.
  private func show(_ name: String, _ lines: [JSON], _ listing: Listing) {
    guard !lines.isEmpty else { return }
    if !json { Output.say("\(name):") }
    listing.show(
      json ? lines.map { $0.adding("log", .string(name)) } : lines, asJSON: json)
  }
}

extension JSON {
  /// One column for who called, and the time that it took as people read it.
  fileprivate func readable() -> JSON {
    let key = self["serverKey"]?.string.map { "key of \($0)" }
    let person = self["operator"]?.string.map { "operator \($0)" }
    return adding("by", .string(self["user"]?.string ?? key ?? person ?? "-"))
      .adding("milliseconds", .int((self["microseconds"]?.int ?? 0) / 1000))
  }
}
