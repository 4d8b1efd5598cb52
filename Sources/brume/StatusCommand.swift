// brume status: how to reach the running server of a data folder.

import ArgumentParser
import BrumeWire

struct StatusCommand: AsyncParsableCommand {
  enum Format: String, ExpressibleByArgument, CaseIterable { case table, env, json }

  static let configuration = CommandConfiguration(
    commandName: "status", abstract: "Say how to reach the running server of a data folder.")

  @OptionGroup var server: ServerOptions

  @Option(help: "table, json, or env: the variables that a client needs, one a line.")
  var format = Format.table

  func run() async throws {
    let connection = try server.connect()
    let status = try await connection.get("status")
    switch format {
    case .json: Output.line(status.bytes())
    case .env:
      for line in status["environment"]?.object?.members ?? [] {
        Output.line("\(line.key)=\(line.value.string ?? "")")
      }
    case .table:
      let ready = (try? await connection.probe("/_brume/health/ready")) != nil
      let rows = ["url", "console", "store", "data", "dev", "users", "apiTokens", "serverKeys"]
      Output.table(
        [["state", ready ? "ready" : "not ready"]] + rows.map { [$0, text(status[$0])] })
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
