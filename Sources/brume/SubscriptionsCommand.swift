// brume subscriptions: what a user asked to be notified of.

import ArgumentParser
import BrumeWire

struct SubscriptionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriptions", abstract: "Subscriptions of a user.", subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List a user's subscriptions.")
    @OptionGroup var options: DatabaseOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let answer = try await options.call("subscriptions/list")
      let all = answer["subscriptions"]?.array ?? []
      Listing(["subscription", "type", "zone", "recordType", "firesOn"])
        .show(json ? all : all.map(Self.row), asJSON: json)
    }

    private static func row(_ subscription: JSON) -> JSON {
      [
        "subscription": subscription["subscriptionID"] ?? .null,
        "type": subscription["subscriptionType"] ?? .null,
        "zone": subscription["zoneID"]?["zoneName"] ?? .null,
        "recordType": subscription["query"]?["recordType"] ?? .null,
        "firesOn": subscription["firesOn"] ?? .null,
      ]
    }
  }
}
