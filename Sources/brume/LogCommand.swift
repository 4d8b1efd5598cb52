// brume log: what happened, change by change, and what a zone held then.

import ArgumentParser
import BrumeModel
import BrumeWire

struct LogCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "log", abstract: "The log of changes, and a zone as it was after one of them.",
    discussion: """
      Changes are remembered as long as Trace remembers them (--history-hours). What a record held then is \
      known if it has not changed since, or if the log kept its content: always with --clock manual, else where \
      a query subscription watched its type.
      """,
    subcommands: [List.self, Then.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List changes, newest first.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Only changes in zones of this name.") var zone: String?
    @Option(help: "Only changes before this one, as this command names it.") var before: String?
    @Option(help: "How many, 200 at most.") var limit = 50
    @Flag(help: "One JSON object a line.") var json = false

    func validate() throws { try LineLimit.require(limit) }

    func run() async throws {
      let query = ServerConnection.given([
        ("zone", zone), ("before", before), ("limit", "\(limit)"),
      ])
      let changes = try await server.connect().get("log", query)["changes"]?.array ?? []
      Listing(
        ["id", "time", "kind", "zone", "record", "owner", "user", "device", "request"],
        times: ["time"]
      ).show(changes, asJSON: json)
    }
  }

  struct Then: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show a zone as it was right after a change. Changes nothing.",
      discussion: """
        'same' is as it is now, 'other' changed or went since, 'absent' was not there, 'unknown' changed since \
        and its content of then was not kept.
        """)
    @OptionGroup var server: ServerOptions
    @Argument(help: "The change, as 'brume log list' names it.") var change: String
    @Flag(help: "One JSON object a line, with the records' content of then.") var json = false

    func run() async throws {
      let answer = try await server.connect().get("log/then", [("change", change)])
      let records = answer["records"]?.array ?? []
      Listing(["recordName", "recordType", "then", "nextChange"]).show(records, asJSON: json)
      if let deletion = answer["deletedBy"]?.string {
        Output.say("the zone was deleted since, by change \(deletion): what it held is not kept")
      } else if answer["complete"]?.bool == false {
        Output.say("there are more records than one answer names")
      }
    }
  }
}
