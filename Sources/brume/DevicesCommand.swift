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
      let connection = try server.connect()
      let query = user.map { [("user", $0)] } ?? []
      var after: String?
      var widths: [Int] = []
      repeat {
        let page = try await connection.get(
          "devices", query + (after.map { [("after", $0)] } ?? []))
        widths = Listing(["user", "device", "channel", "waiting"]).show(
          page["devices"]?.array ?? [], asJSON: json, after: widths)
        after = page["after"]?.string
      } while after != nil
    }
  }
}
