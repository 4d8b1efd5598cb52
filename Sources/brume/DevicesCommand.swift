// brume devices: who gets pushes.

import ArgumentParser
import BrumeWire

struct DevicesCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "devices", abstract: "Devices that get pushes.", subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List devices and how many pushes wait for each.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Only this user's.") var user: String?
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let query = user.map { [("user", $0)] } ?? []
      let devices = try await server.connect().get("devices", query)["devices"]?.array ?? []
      Listing(["user", "device", "channel", "waiting"]).show(devices, asJSON: json)
    }
  }
}
