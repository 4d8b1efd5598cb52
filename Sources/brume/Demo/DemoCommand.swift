// `brume demo`: the documented scenarios against a throw-away server, with every device in a process
// of its own, as a timeline that a person can read. Exits non-zero at the first step that is not as
// documented.

import ArgumentParser
import Foundation
import UnixSignals

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play the documented scenarios against a throw-away server, with real pushes.")

  @Option(help: "Play only the scenarios with this in their name.") var only: String?

  func run() async throws {
    let scenarios = try scenarios()
    // Whoever stops reading ends the demo by a failed check, and not by a signal: nobody would end its server.
    signal(SIGPIPE, SIG_IGN)
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    let server = try DemoServer()
    await withTaskGroup(of: Int32.self) { group in
      group.addTask { await Self.play(scenarios, on: server) }
      group.addTask {
        for await signal in signals { return 128 + signal.rawValue }
        return 1
      }
      let status = await group.next() ?? 1
      server.stop()
      // Devices end by themselves when their commands do.
      BrumeTool.exit(withError: ExitCode(status))
    }
  }

  /// - Returns: the status to end with.
  private static func play(_ scenarios: [Scenario], on server: DemoServer) async -> Int32 {
    var server = server
    let timeline = Timeline()
    do {
      try await server.waitUntilReady()
      let demo = DemoRun(server: server, timeline: timeline)
      for scenario in scenarios { try await demo.play(scenario) }
    } catch {
      Output.say("\ndemo failed: \(error)")
      return 1
    }
    timeline.show("\nAll \(timeline.checkCount) checks of \(scenarios.count) scenarios hold.")
    return 0
  }

  /// - Throws: `ValidationError` if none is meant.
  private func scenarios() throws -> [Scenario] {
    guard let only else { return DemoRun.scenarios }
    let chosen = DemoRun.scenarios.filter { $0.title.contains(only) }
    guard !chosen.isEmpty else {
      let titles = DemoRun.scenarios.map { "'\($0.title)'" }.joined(separator: ", ")
      throw ValidationError("--only is '\(only)', which no scenario has in its name: \(titles)")
    }
    return chosen
  }
}

/// One scenario: a title, and what happens.
struct Scenario: Sendable {
  let title: String
  let play: @Sendable (DemoRun) async throws -> Void
}

/// Where scenarios play: the server, and the devices that are on.
final class DemoRun: Sendable {
  static let scenarios = [
    Scenario(title: "Two devices of one user keep a private zone in sync", play: playContacts),
    Scenario(title: "Experts are alerted when somebody publishes a whistle", play: playWhistles),
    Scenario(title: "A query on a list field, silent, in one zone", play: playFeed),
    Scenario(title: "A shared database followed through a database subscription", play: playShared),
    Scenario(title: "Urgent tasks: reasons, badges, kept notifications", play: playTasks),
    Scenario(title: "Anti-patterns answer with the documented errors", play: playAntiPatterns),
  ]

  let server: DemoServer
  let timeline: Timeline

  init(server: DemoServer, timeline: Timeline) {
    self.server = server
    self.timeline = timeline
  }

  func play(_ scenario: Scenario) async throws {
    timeline.title(scenario.title)
    try await scenario.play(self)
  }

  /// Switches a device on for the length of `body`.
  func device(_ name: String, of user: String, app: String) throws -> DeviceProcess {
    let id =
      name.lowercased().replacingOccurrences(of: " ", with: "-")
      .replacingOccurrences(of: "'", with: "") + "-" + app
    return try DeviceProcess(
      name: name, app: app, environment: server.device(id, of: user), timeline: timeline)
  }

  /// Everything that came must have been asked for: no push twice, none to the sender.
  func checkNothingElseCame(_ devices: DeviceProcess...) throws {
    for device in devices {
      let extra = device.unexpectedPushes
      try timeline.check(
        "\(device.name) received nothing else", extra.isEmpty, "\(extra.map(\.summary))")
    }
  }
}
