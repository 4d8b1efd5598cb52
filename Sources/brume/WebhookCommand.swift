// brume webhook: servers that get the change feed pushed.

import ArgumentParser
import BrumeWire

struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Servers that get the change feed pushed.",
    subcommands: [Add.self, List.self, Enable.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Call a URL with every change of a container from now on.",
      discussion: "Prints the webhook's ID, and the secret that signs its calls, this once.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "An https: address.") var url: String

    func run() async throws {
      let webhook = try await server.connect().post("webhooks", ["url": .string(url)])
      Output.line(webhook["id"]?.string ?? "")
      Output.line(webhook["secret"]?.string ?? "")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract:
        "List webhooks, how far behind they are, when they were called last, and why one is off.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let webhooks = try await server.connect().get("webhooks")["webhooks"]?.array ?? []
      Listing(["id", "state", "behind", "failures", "lastUsed", "url", "reason"]).show(
        webhooks.map { json ? $0 : $0.withReadableTimes("lastUsed") }, asJSON: json)
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Switch a webhook on again; it goes on where it stopped.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "The webhook's ID.") var id: String

    func run() async throws {
      _ = try await server.connect().post("webhooks/enable", ["id": .string(id)])
      Output.say("the webhook '\(id)' is called again, from where it stopped")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop calling a webhook.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "The webhook's ID.") var id: String

    func run() async throws {
      _ = try await server.connect().post("webhooks/remove", ["id": .string(id)])
      Output.say("removed the webhook '\(id)'")
    }
  }
}
