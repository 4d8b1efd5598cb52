// brume push: be a device, or send one a test.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeWire

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Pushes to devices.",
    subcommands: [Tail.self, Log.self, Explain.self, Test.self, Retry.self])

  struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Watch pushes as they are delivered, to everybody or as one device.",
      discussion: """
        Without --user: the push log as it grows, one line for each answer of a device, of APNs, a Web \
        Push service or a webhook. With --user: be a device of that user, print each push as it \
        arrives, one JSON a line, and acknowledge it.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "Be a device of this user: a sign-in name.") var user: String?
    @Option(help: "The device's name.") var device = "brume-push-tail"
    @Flag(help: "Without --user: one JSON object a line.") var json = false

    func run() async throws {
      let connection = try server.connect()
      guard let user else {
        var view = PushLogView(connection: connection, json: json)
        return try await view.follow(from: 10)
      }
      let configuration = try await connection.configuration(user: user, device: device)
      Output.say("waiting for pushes to '\(device)' of \(user); Ctrl-C ends")
      do {
        try await PushReceiver(Session(configuration), acknowledgedEvery: 1).run { push in
          Output.line(push)
          return true
        }
      } catch let error as BrumeError {
        throw CommandFailure(error.reason)
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test push to every device of a user, or call a webhook.",
      discussion: "What became of it: brume push log --notification ID.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Whose devices, whatever their channel: a user's sign-in name.") var user: String?
    @Option(help: "A webhook's ID: it is called once, without changes.") var webhook: String?
    @Option(help: "The alert's text.") var text = "A test push from Brume"

    func validate() throws {
      if (user == nil) == (webhook == nil) {
        throw ValidationError("Say whom to reach: --user NAME, or --webhook ID.")
      }
    }

    func run() async throws {
      let connection = try server.connect()
      if let webhook { return try await call(webhook, connection) }
      let user = user ?? ""
      let answer = try await connection.post(
        "push", ["user": .string(user), "text": .string(text)])
      let count = answer["devices"]?.int ?? 0
      let full = answer["full"]?.int ?? 0
      if full > 0 {
        Output.say(
          "\(full) device\(full == 1 ? "" : "s") of \(user) got none: as much waits there as a mailbox "
            + "holds")
      }
      guard count + full > 0 else {
        throw CommandFailure(
          "\(user) has no devices here; a device is known once it opens the event stream, as "
            + "'brume push tail --user \(user)' does")
      }
      Output.say("sent to \(count) device\(count == 1 ? "" : "s") of \(user)")
      Output.line(answer["notification"]?.string ?? "")
    }

    private func call(_ webhook: String, _ connection: ServerConnection) async throws {
      let answer = try await connection.post("webhooks/test", ["id": .string(webhook)])
      guard answer["verdict"]?.string == "sent" else {
        let status = answer["status"]?.int.map { "status \($0)" }
        throw CommandFailure(
          "the webhook did not take it: \(status ?? answer["reason"]?.string ?? "no answer")")
      }
      Output.say("the webhook took it")
      Output.line(answer["notification"]?.string ?? "")
    }
  }
}
