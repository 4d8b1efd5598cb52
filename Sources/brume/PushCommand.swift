// brume push: be a device, or send one a test.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeWire
import Synchronization

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
        arrives, one JSON a line, and acknowledge it. That signs in as the user, and needs a token with \
        the role 'full'; 'brume push log --follow --user NAME' only looks.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "Be a device of this user: a sign-in name.") var user: String?
    @Option(help: "The device's name. (default: brume-push-tail)") var device: String?
    @Flag(help: "Without --user: one JSON object a line.") var json = false

    func validate() throws {
      guard user != nil || device == nil else {
        throw ValidationError(
          "--device says which device of a user this is: add --user NAME; 'brume push log --follow --device ID' "
            + "only looks")
      }
    }

    func run() async throws {
      let connection = try server.connect()
      guard let user else {
        var view = PushLogView(connection: connection, json: json)
        return try await view.follow(from: 10)
      }
      let device = device ?? "brume-push-tail"
      let configuration = try await signIn(as: user, on: device, connection)
      let isKnown = Atomic(false)
      do {
        try await PushReceiver(Session(configuration), acknowledgedEvery: 1).run(
          connected: {
            // Until then the device is not one, and gets nothing.
            guard !isKnown.exchange(true, ordering: .relaxed) else { return }
            Output.say("waiting for pushes to '\(device)' of \(user); Ctrl-C ends")
          },
          waits: {
            if $0, !isKnown.load(ordering: .relaxed) { Output.say("no stream; trying again") }
          },
          // What nobody could read is not acknowledged.
          deliver: { Output.give($0) })
      } catch is CancellationError {
        return
      } catch let error as BrumeError {
        throw CommandFailure(error.reason)
      }
    }

    /// A device of somebody is signed in and acknowledges what it gets: more than to look.
    private func signIn(
      as user: String, on device: String, _ connection: ServerConnection
    ) async throws -> Configuration {
      // What is wrong with a token that may not even look is said as by every command.
      _ = try await connection.variables()
      do {
        return try await connection.configuration(user: user, device: device)
      } catch let failure as CommandFailure where failure.status == .noPermission {
        throw CommandFailure(
          "\(failure.description). A device of \(user) acknowledges what it gets; who may only look sees what is "
            + "sent to \(user) by 'brume push log --follow --user \(user)'", .noPermission)
      }
    }
  }

  struct Test: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Send a test push to every device of a user, or call a webhook.",
      discussion: "What became of it: brume push log --notification ID.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
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
      let sent = try await connection.post(
        "push", ["user": .string(user), "text": .string(text)])
      let count = sent["devices"]?.int ?? 0
      let full = sent["full"]?.int ?? 0
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
      answer.show(
        sent, [sent["notification"]?.string],
        said: "sent to \(count) device\(count == 1 ? "" : "s") of \(user)")
    }

    private func call(_ webhook: String, _ connection: ServerConnection) async throws {
      let line = try await connection.post("webhooks/test", ["id": .string(webhook)])
      guard line["verdict"]?.string == "sent" else {
        let status = line["status"]?.int.map { "status \($0)" }
        throw CommandFailure(
          "the webhook did not take it: \(status ?? line["reason"]?.string ?? "no answer")")
      }
      answer.show(line, [line["notification"]?.string], said: "the webhook took it")
    }
  }
}
