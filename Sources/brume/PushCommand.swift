// brume push: be a device, or send one a test.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeWire

struct PushCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "push", abstract: "Pushes to devices.",
    subcommands: [Tail.self, Log.self, Test.self])

  struct Tail: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Be a device: print each push as it arrives, one JSON a line.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Whose device: a user's sign-in name.") var user: String
    @Option(help: "The device's name.") var device = "brume-push-tail"

    func run() async throws {
      let configuration = try await server.connect().configuration(user: user, device: device)
      Output.say("waiting for pushes to '\(device)' of \(user); Ctrl-C ends")
      do {
        try await PushReceiver(Session(configuration)).run { push in
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
      abstract: "Send a test push to every device of a user.")
    @OptionGroup var server: ServerOptions
    @Option(help: "Whose devices: a user's sign-in name.") var user: String
    @Option(help: "The alert's text.") var text = "A test push from Brume"

    func run() async throws {
      let answer = try await server.connect().post(
        "push", ["user": .string(user), "text": .string(text)])
      let count = answer["devices"]?.int ?? 0
      guard count > 0 else {
        throw CommandFailure(
          "\(user) has no devices here; a device is known once it opens the event stream, as "
            + "'brume push tail --user \(user)' does")
      }
      Output.say("sent to \(count) device\(count == 1 ? "" : "s") of \(user)")
    }
  }
}
