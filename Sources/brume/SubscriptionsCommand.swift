// brume subscriptions: what a user asked to be notified of.

import ArgumentParser
import BrumeWire

struct SubscriptionsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "subscriptions", abstract: "Subscriptions of a user.", subcommands: [List.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List a user's subscriptions, one JSON a line.")
    @OptionGroup var options: DatabaseOptions

    func run() async throws {
      let answer = try await options.call("subscriptions/list")
      for subscription in answer["subscriptions"]?.array ?? [] {
        Output.line(subscription.bytes())
      }
    }
  }
}
