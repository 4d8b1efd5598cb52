// brume status: how to reach the running server of a data folder, and whether it can work. What a supervisor asks for
// is the exit status of `brume status --ready`, the container image's health check.

import ArgumentParser
import BrumeWire

struct StatusCommand: AsyncParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case table, env, json }

  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say how to reach the running server of a data folder.",
    discussion: """
      Ends with 69 if no server answers or if it is not ready; with --ready it ends with 1 then. Without --dev, \
      --format env has the first API token of the server, or of what --container and --environment name.
      """)

  @OptionGroup var server: ServerOptions

  @Option(help: "table, json, or env: the variables that a client needs, one a line.")
  var format = Format.table

  @Flag(help: "The same as --format json.") var json = false

  @Flag(help: "Only ask whether the server is ready, as cheaply as can be: a health check.")
  var ready = false

  /// Supervisors such as Docker know 0 and 1 of a health check.
  func run() async throws {
    do {
      try await show()
    } catch let failure as CommandFailure where ready {
      throw CommandFailure(failure.description)
    }
  }

  private func show() async throws {
    let connection = try server.connect()
    let state = try await connection.readiness()
    if state == ServerConnection.notReadyStatus { throw ServerConnection.notReady }
    if ready { return Output.line("ready") }
    let status = try await connection.get("status")
    switch json ? .json : format {
    case .json: Output.line(status.bytes())
    case .env:
      for line in status["environment"]?.object?.members ?? [] {
        Output.line("\(line.key)=\(line.value.string ?? "")")
      }
      if status["environment"]?["BRUME_API_TOKEN"] == nil {
        Output.say(
          "there is no API token for these lines; make one with 'brume token create NAME --container "
            + "iCloud.…'")
      }
    case .table:
      let rows = ["url", "console", "store", "data", "dev", "users", "apiTokens", "serverKeys"]
      Output.table([["state", state]] + rows.map { [$0, text(status[$0])] })
      if server.url == nil, let concern = DiskRoom.concern(of: server.folder) {
        Output.say("wrong: \(concern)")
      }
    }
  }

  private func text(_ value: JSON?) -> String {
    switch value {
    case .string(let text): text
    case .bool(let flag): flag ? "yes" : "no"
    case .int(let number): "\(number)"
    default: ""
    }
  }
}
