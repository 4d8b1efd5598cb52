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
      let listing = Listing(["user", "device", "channel", "waiting"])
      var widths: [Int] = []
      try await server.connect().eachPage(
        of: "devices", ServerConnection.given([("user", user)])
      ) { page in
        widths = listing.show(page["devices"]?.array ?? [], asJSON: json, after: widths)
      }
    }
  }
}
