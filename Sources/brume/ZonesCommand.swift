// brume zones: the zones of a database.

import ArgumentParser
import BrumeWire

struct ZonesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "zones", abstract: "Zones of a database.",
    subcommands: [List.self, Create.self, Delete.self, Purge.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the zones, with the place and time of their last change.")
    @OptionGroup var options: DataOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let listing = Listing(
        ["zone", "owner", "position", "changed", "shared"], times: ["changed"])
      var body = JSONObject()
      var widths: [Int] = []
      repeat {
        let page = try await options.call("zones", .object(body))
        let zones = page["zones"]?.array ?? []
        widths = listing.show(json ? zones : zones.map(Self.row), asJSON: json, after: widths)
        body["after"] = page["after"]
      } while body["after"] != nil
    }

    private static func row(_ zone: JSON) -> JSON {
      [
        "zone": zone["zoneID"]?["zoneName"] ?? .null,
        "owner": zone["zoneID"]?["ownerRecordName"] ?? .null,
        "position": zone["brume"]?["sequence"] ?? .null,
        "changed": zone["brume"]?["changed"] ?? .null,
        "shared": .string(zone["brume"]?["hasShares"]?.bool == true ? "yes" : ""),
      ]
    }
  }

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make zones of a user.")
    @OptionGroup var options: DataOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The zones' names.") var names: [String]

    func run() async throws {
      try await options.modifyZones("create", names).show(answer, as: "zones", said: "made")
    }
  }

  struct Delete: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Delete zones with their records, as their user would.")
    @OptionGroup var options: DataOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The zones' names.") var names: [String]

    func run() async throws {
      try await options.modifyZones("delete", names).show(answer, as: "zones", said: "deleted")
    }
  }

  struct Purge: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Remove a zone as if its user had deleted the app's data.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Option(help: "Whose zone.") var user: String
    @Argument(help: "The zone's name.") var zone: String

    func run() async throws {
      let done = try await server.connect().post(
        "zones/purge", ["user": .string(user), "zone": .string(zone)],
        within: ServerConnection.patience)
      answer.show(done, said: "purged '\(zone)' of \(user)")
    }
  }
}

extension DataOptions {
  fileprivate func modifyZones(_ verb: String, _ names: [String]) async -> NamedItems {
    await NamedItems.inParts(names) { names in
      let zones = names.map { name -> JSON in ["zoneName": .string(name)] }
      return try await call("zones/\(verb)", ["zones": .array(zones)])["zones"]
    }
  }
}
