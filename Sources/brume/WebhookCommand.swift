// brume webhook: servers that get the change feed pushed.

import ArgumentParser
import BrumeWire

struct WebhookCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "webhook", abstract: "Servers that get the change feed pushed.",
    subcommands: [Add.self, List.self, Enable.self, Disable.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Call a URL with every change of a container from now on.",
      discussion: "Prints the webhook's ID, and the secret that signs its calls, this once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "An https: address.") var url: String

    func run() async throws {
      let webhook = try await server.connect().post("webhooks", ["url": .string(url)])
      answer.show(
        webhook, [webhook["id"]?.string, webhook["secret"]?.string],
        said: "called with every change of \(webhook.placeInWords); the secret is shown this once")
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
      Listing(
        ["id", "state", "behind", "failures", "lastUsed", "url", "reason"], times: ["lastUsed"]
      ).show(webhooks, asJSON: json)
    }
  }

  struct Enable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Switch a webhook on again; it goes on where it stopped.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The webhook's ID.") var id: String

    func run() async throws {
      let done = try await server.connect().post("webhooks/enable", ["id": .string(id)])
      answer.show(done, said: "the webhook '\(id)' is called again, from where it stopped")
    }
  }

  struct Disable: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Switch a webhook off; what it would be called about is kept for it, up to a bound."
    )
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The webhook's ID.") var id: String

    func run() async throws {
      let done = try await server.connect().post("webhooks/disable", ["id": .string(id)])
      answer.show(
        done,
        said: "the webhook '\(id)' is not called any more; 'brume webhook enable \(id)' goes on")
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Stop calling a webhook.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The webhook's ID.") var id: String

    func run() async throws {
      let done = try await server.connect().post("webhooks/remove", ["id": .string(id)])
      answer.show(done, said: "removed the webhook '\(id)'")
    }
  }
}
