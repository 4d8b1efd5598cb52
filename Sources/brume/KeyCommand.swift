// brume key: server-to-server keys.

import ArgumentParser
import BrumeWire

struct KeyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "key", abstract: "Server-to-server keys.",
    subcommands: [Create.self, List.self, Revoke.self])

  struct Create: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key, or register the public half of yours.",
      discussion: "Prints the key's ID. Without --public-key also the new private key, this once.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "A name to know it by.") var name: String
    @Option(help: "A PEM file with a P-256 public key.") var publicKey: String?

    func run() async throws {
      var body = JSONObject()
      body["name"] = .string(name)
      if let publicKey {
        let pem = try GivenFile.content(of: publicKey, "the key file")
        body["publicKey"] = .string(String(decoding: pem, as: UTF8.self))
      }
      let key = try await server.connect().post("keys", .object(body))
      let once = key["privateKey"] == nil ? "" : "; the private key is shown this once"
      answer.show(
        key, [key["id"]?.string, key["privateKey"]?.string],
        said: "for \(key.placeInWords)\(once)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the keys.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let keys = try await server.connect().get("keys")["keys"]?.array ?? []
      Listing(["name", "container", "environment", "id", "user"]).show(keys, asJSON: json)
    }
  }

  struct Revoke: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Make a key useless, at once.",
      discussion: "What was saved with it stays. Its open streams end, its devices get no pushes.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The key's ID, or its name.") var key: String

    func run() async throws {
      let gone = try await server.connect().post("keys/revoke", ["id": .string(key)])
      answer.show(gone, ["revoked the key '\(gone["name"]?.string ?? "")'"])
    }
  }
}
