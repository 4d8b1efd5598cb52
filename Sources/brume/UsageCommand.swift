// brume usage: what the server was used for, and what users store.

import ArgumentParser
import BrumeWire

struct UsageCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "usage", abstract: "What the server was used for, and what users store.",
    subcommands: [Show.self, Storage.self], defaultSubcommand: Show.self)

  enum Span: String, ExpressibleByArgument, CaseIterable { case hour, day, week, month }

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Requests, errors, answer times, records and pushes over time.",
      discussion: """
        Of this server alone, if several share a database. Minutes are kept for a day, hours for 30 days, \
        over restarts too. Times are milliseconds within which half, 95 and 99 of 100 requests were \
        answered; streams, polls and files are not among them.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "hour, day, week or month.") var span = Span.day
    @Flag(help: "Steps without any request, too.") var all = false
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let answer = try await server.connect().get("usage", [("span", span.rawValue)])
      let steps = answer["usage"]?.array ?? []
      let shown = all || json ? steps : steps.filter { !$0.isQuiet }
      if shown.isEmpty { Output.say("quiet: nothing was asked of this server in this time") }
      Listing(
        [
          "time", "requests", "refused", "failed", "p50", "p95", "p99", "saved", "deleted",
          "pushes", "failedPushes",
        ], times: ["time"]
      ).show(json ? shown : shown.map { $0.inMilliseconds() }, asJSON: json)
    }
  }

  struct Storage: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Records and bytes of each user, and of the public databases.",
      discussion: """
        Bytes are names, values and files: what counts for a quota (--user-quota). A '+' stands after what \
        was not counted to its end: one question looks at 50,000 records, or 800 MB of them, and asking again goes on \
        with other users. --over shows what those who store most, 20 at most, stored over time: counted every \
        15 minutes, kept by hours for 30 days.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "Instead of now, over this time: day, week or month.") var over: Days?
    @Flag(help: "One JSON object a line.") var json = false

    enum Days: String, ExpressibleByArgument, CaseIterable { case day, week, month }

    func run() async throws {
      let connection = try server.connect()
      if let over { return try await show(over, connection) }
      var lines: [JSON] = []
      try await connection.eachPage(of: "usage/storage", within: ServerConnection.patience) {
        lines += ($0["public"]?.array ?? []) + ($0["users"]?.array ?? [])
      }
      Listing(["of", "records", "bytes"]).show(lines.map { json ? $0 : $0.sized() }, asJSON: json)
    }

    /// A line for each user and step, the oldest step first.
    private func show(_ span: Days, _ connection: ServerConnection) async throws {
      let answer = try await connection.get("usage/storage/history", [("span", span.rawValue)])
      let lines = (answer["users"]?.array ?? []).flatMap { user in
        (user["samples"]?.array ?? []).map {
          $0.adding("user", .string(user["user"]?.string ?? ""))
        }
      }
      let ordered = lines.sorted { ($0["time"]?.int ?? 0) < ($1["time"]?.int ?? 0) }
      if ordered.isEmpty { Output.say("nothing was counted in this time") }
      Listing(["time", "of", "records", "bytes"], times: ["time"]).show(
        ordered.map { json ? $0 : $0.sized() }, asJSON: json)
    }
  }
}

extension JSON {
  fileprivate var isQuiet: Bool {
    ["requests", "operatorRequests", "saved", "deleted", "pushes", "failedPushes"].allSatisfy {
      self[$0]?.int == 0
    }
  }

  /// Microseconds as milliseconds with one digit behind the point.
  fileprivate func inMilliseconds() -> JSON {
    guard case .object(var object) = self else { return self }
    for name in ["p50", "p95", "p99"] {
      guard let tenths = self[name]?.int.map({ $0 / 100 }) else { continue }
      object[name] = .string("\(tenths / 10).\(tenths % 10)")
    }
    return .object(object)
  }

  /// Whose it is in one column, and what is not whole with a sign.
  fileprivate func sized() -> JSON {
    guard case .object(var object) = self else { return self }
    let sign = self["whole"]?.bool == false ? "+" : ""
    let place = "public, \(self["container"]?.string ?? ""), \(self["environment"]?.string ?? "")"
    object["of"] = .string(self["user"]?.string ?? place)
    for name in ["records", "bytes"] {
      object[name] = .string("\(self[name]?.int ?? 0)\(sign)")
    }
    return .object(object)
  }
}
