// brume token: API tokens, which say which container a client may address.

import ArgumentParser
import BrumeWire

struct TokenCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "token", abstract: "API tokens of containers.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Make an API token.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "A name to know it by.") var name: String
    @Option(help: "A web origin that may use it; repeat for several. Without one: any.")
    var origin: [String] = []
    @Option(
      help: "Where the sign-in page sends the user's token, instead of posting it to its opener.")
    var callback: String?

    func run() async throws {
      var body = JSONObject()
      body["name"] = .string(name)
      if !origin.isEmpty { body["origins"] = .array(origin.map { .string($0) }) }
      body["callback"] = callback.map { .string($0) }
      let token = try await server.connect().post("tokens", .object(body))
      answer.show(token, [token["token"]?.string], said: "for \(token.placeInWords)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the API tokens.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let tokens = try await server.connect().get("tokens")["tokens"]?.array ?? []
      Listing(["name", "container", "environment", "origins", "callback", "token"])
        .show(tokens, asJSON: json)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make an API token useless, at once.",
      discussion: "Open streams of its container end; whoever has another token comes back.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The token, or its name.") var token: String

    func run() async throws {
      let gone = try await server.connect().post("tokens/revoke", ["token": .string(token)])
      answer.show(gone, ["revoked the API token '\(gone["name"]?.string ?? "")'"])
    }
  }
}
