// `brume demo`: the documented scenarios against a throw-away server, with every device in a process
// of its own, as a timeline that a person can read. Exits non-zero at the first step that is not as
// documented.

import ArgumentParser
import Foundation

struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Play the documented scenarios against a throw-away server, with real pushes.")

  @Option(help: "Play only the scenarios with this in their name.") var only: String?

  func run() async throws {
    let timeline = Timeline()
    let server = try await DemoServer.start()
    defer { server.stop() }
    let demo = DemoRun(server: server, timeline: timeline)
    let scenarios = DemoRun.scenarios.filter { only == nil || $0.title.contains(only ?? "") }
    do {
      for scenario in scenarios { try await demo.play(scenario) }
    } catch {
      FileHandle.standardError.write(Data("\ndemo failed: \(error)\n".utf8))
      throw ExitCode.failure
    }
    timeline.show("\nAll \(timeline.checkCount) checks of \(scenarios.count) scenarios hold.")
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
