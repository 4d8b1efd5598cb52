// brume zones: the zones of a database.

import ArgumentParser
import BrumeWire

struct ZonesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones", abstract: "Zones of a database.", subcommands: [List.self, Purge.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the zones, one JSON a line.")
    @OptionGroup var options: DatabaseOptions

    func run() async throws {
      for zone in try await options.call("zones/list")["zones"]?.array ?? [] {
        Output.line(zone.bytes())
      }
    }
  }

  struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a zone as if its user had deleted the app's data.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Whose zone.") var user: String
    @Argument(help: "The zone's name.") var zone: String

    func run() async throws {
      _ = try await server.connect().post(
        "zones/purge", ["user": .string(user), "zone": .string(zone)])
      Output.say("purged '\(zone)' of \(user)")
    }
  }
}
