// brume deletions: how long zones remember what was deleted.

import ArgumentParser
import BrumeWire

struct DeletionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deletions", abstract: "What zones remember of deleted records.",
    discussion: """
      A zone remembers the names of deleted records, so that devices are notified of it however long they were away. \
      With --deletion-days the server forgets those that are older; change tokens from before are expired, and \
      their devices fetch the zone from the beginning.
      """,
    subcommands: [Forget.self])

  struct Forget: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget old deletions now, in all databases of a container environment.",
      discussion: """
        The age of a deletion is known as far back as the server has run with --deletion-days; 0 days are \
        everything up to now, which needs no age.
        """)
    @OptionGroup var server: ServerOptions
    @Option(
      help: ArgumentHelp("How old. (default: the server's --deletion-days)", valueName: "days"))
    var olderThan: Int64?
    @Flag(help: "Only count them.") var dryRun = false
    @Flag(help: "The answer as JSON.") var json = false

    func validate() throws {
      guard let olderThan, !(0...36_500).contains(olderThan) else { return }
      throw ValidationError(
        "--older-than is '\(olderThan)'; it is a number of days from 0 to 36500")
    }

    func run() async throws {
      var body = JSONObject()
      body["olderThanDays"] = olderThan.map { .int($0) }
      body["dryRun"] = .bool(dryRun)
      let answer = try await server.connect().post(
        "deletions/forget", .object(body), within: ServerConnection.patience)
      if json { return Output.line(answer.bytes()) }
      let (count, zones) = (answer["deletions"]?.int ?? 0, answer["zones"]?.int ?? 0)
      Output.line("\(count) deletions of \(zones) zones \(dryRun ? "would be" : "are") forgotten")
      if let unknown = answer["unknown"]?.int, unknown > 0 {
        Output.say(
          "databases in which it is not known what is so old: \(unknown); a server with --deletion-days notes it from "
            + "its start on")
      }
    }
  }
}
