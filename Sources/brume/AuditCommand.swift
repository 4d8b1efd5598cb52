// brume audit: what operators did, who was refused.

import ArgumentParser
import BrumeWire

struct AuditCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "audit", abstract: "What operators did, and who was refused.",
    subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the newest lines of the audit log, newest first.",
      discussion: """
        Each line is a request of an operator that changed something, a sign-in, or a refusal. A line \
        without a status is of a request whose answer the server did not live to note.
        """)
    @OptionGroup var server: ServerOptions
    @Option(name: .customLong("operator"), help: "Only of this operator, or 'token NAME'.")
    var person: String?
    @Option(help: "Only of this request.") var request: String?
    @Option(
      help: """
        Not before this time, such as 2026-11-22T08:49:37Z or 2026-11-22, or milliseconds since 1970.
        """)
    var since: Moment?
    @Option(help: "Before this time, in the same forms.") var until: Moment?
    @Option(help: "How many lines.") var limit = 100
    @Flag(help: "One JSON object a line.") var json = false

    func validate() throws { try LineLimit.require(limit) }

    func run() async throws {
      let connection = try server.connect()
      let filter = ServerConnection.given([
        ("operator", person), ("request", request), ("since", since.map { "\($0.time)" }),
        ("until", until.map { "\($0.time)" }),
      ])
      let lines = try await lines(connection, filter)
      Listing(
        ["time", "operator", "address", "action", "subject", "status", "request"], times: ["time"]
      ).show(lines, asJSON: json)
    }

    /// As many as are wanted, page by page.
    private func lines(
      _ connection: ServerConnection, _ filter: [(String, String)]
    ) async throws -> [JSON] {
      var (lines, before) = ([JSON](), Int64?.none)
      repeat {
        let page = try await connection.get(
          "audit",
          filter + [("limit", "\(limit - lines.count)")]
            + (before.map { [("before", "\($0)")] } ?? []))
        lines += page["audit"]?.array ?? []
        before = page["next"]?.int
      } while before != nil && lines.count < limit
      return lines
    }
  }
}
