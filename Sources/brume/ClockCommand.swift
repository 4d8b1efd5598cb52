// brume clock: the time of a development server, which may be moved by hand.

import ArgumentParser
import BrumeModel
import BrumeWire

struct ClockCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "clock", abstract: "The time of a development server.",
    discussion: """
      With 'brume serve --dev --clock manual' the server's time stands still until one of these commands, or \
      the console, moves it: pushes that may be merged, retries, sessions, uploads and everything else that \
      waits goes by it.
      """,
    subcommands: [Show.self, Advance.self, Next.self])

  struct Show: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Show the time, and what waits for it.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "The answer as JSON.") var json = false

    func run() async throws {
      ClockView(try await server.connect().get("clock")).show(asJSON: json)
    }
  }

  struct Advance: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the time forwards.",
      discussion: "A duration is a number with ms, s, m, h or d, such as 90s, 1m or 1h30m.")
    @OptionGroup var server: ServerOptions
    @Argument(help: "How far, such as 1m.") var duration: String
    @Flag(help: "The answer as JSON.") var json = false

    func run() async throws {
      guard let step = DurationText.milliseconds(duration) else {
        throw ValidationError("'\(duration)' is no duration; write one such as 90s, 1m or 1h30m")
      }
      let answer = try await server.connect().post("clock", ["milliseconds": .int(step)])
      ClockView(answer).show(asJSON: json)
    }
  }

  struct Next: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Move the time to the next that waits, and say what that was.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "The answer as JSON.") var json = false

    func run() async throws {
      ClockView(try await server.connect().post("clock", ["toNext": true])).show(asJSON: json)
    }
  }
}

/// The clock as people read it: the time on standard output, what waits as a table.
private struct ClockView {
  private let answer: JSON
  init(_ answer: JSON) { self.answer = answer }

  func show(asJSON: Bool) {
    guard !asJSON else { return Output.line(answer.bytes()) }
    let now = answer["now"]?.int ?? 0
    Output.line(ISODate.text(now))
    guard answer["manual"]?.bool == true else {
      return Output.say(
        "time passes by itself; 'brume serve --dev --clock manual' lets it stand still")
    }
    if let reached = answer["reached"]?["name"]?.string { Output.say("moved to: \(reached)") }
    let timers = answer["timers"]?.array ?? []
    if timers.isEmpty { return Output.say("nothing waits") }
    Output.table(
      timers.map { timer in
        ["in \(DurationText.text((timer["time"]?.int ?? now) - now))", timer["name"]?.string ?? ""]
      })
  }
}
