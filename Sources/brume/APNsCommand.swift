// brume apns: with which keys pushes to Apple devices are signed.

import ArgumentParser
import BrumeWire

struct APNsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apns", abstract: "Keys for pushes to Apple devices.",
    subcommands: [Add.self, List.self, Remove.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say with which key pushes to one app are signed.",
      discussion: """
        The first topic of a container is used for devices that name none. Adding a topic again \
        replaces its key.
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Option(help: "The app's bundle ID.") var topic: String
    @Option(help: "The team ID, ten characters.") var team: String
    @Option(help: "The key's ID, ten characters.") var keyID: String
    @Option(help: "The .p8 file from Apple's developer site.") var keyFile: String

    func validate() throws {
      for (option, text, what) in [("team", team, "team"), ("key-id", keyID, "key")] {
        guard text.utf8.count == 10 else {
          throw ValidationError("--\(option) is Apple's \(what) ID, ten characters, not '\(text)'")
        }
      }
    }

    func run() async throws {
      let pem = try GivenFile.content(of: keyFile, "the key file")
      guard !pem.isEmpty else {
        throw CommandFailure(
          "the key file '\(keyFile)' is empty; give the .p8 file from Apple as it is", .data)
      }
      let sender = try await server.connect().post(
        "apns",
        [
          "topic": .string(topic), "team": .string(team), "keyID": .string(keyID),
          "key": .string(String(decoding: pem, as: UTF8.self)),
        ])
      answer.show(
        sender, said: "pushes to \(topic) of \(sender["container"]?.string ?? "") are signed now")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the container's topics, and when their keys were used last.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let senders = try await server.connect().get("apns")["senders"]?.array ?? []
      Listing(["topic", "team", "keyID", "container", "lastUsed"], times: ["lastUsed"])
        .show(senders, asJSON: json)
    }
  }

  struct Remove: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Forget a topic's key; pushes to its devices wait.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "The app's bundle ID.") var topic: String

    func run() async throws {
      let done = try await server.connect().post("apns/remove", ["topic": .string(topic)])
      answer.show(done, said: "removed the key of '\(topic)'; pushes to its devices wait")
    }
  }
}
