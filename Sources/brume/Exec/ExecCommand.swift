// brume exec: a command with a server of its own, in memory, gone when the command ends.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeServer
import FoundationEssentials
import Logging

struct ExecCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "exec",
    abstract: "Run a command against a server of its own, and return its exit status.",
    usage: "brume exec [--users alice,bob] [--schema FILE] -- COMMAND ...")

  @Option(help: "The users to make, separated by commas. The first is BRUME_USER_TOKEN.")
  var users = "alice,bob"

  @Option(help: "A schema file to import into the development environment.")
  var schema: String?

  @Option(help: "The container.")
  var container = Setting.container.fallback ?? ""

  @Option(help: "Which limits apply: apple, relaxed or tiny.")
  var limits = "apple"

  @Option(help: "How much the server logs to standard error.")
  var logLevel = "warning"

  @Argument(parsing: .postTerminator, help: "The command and its arguments, after '--'.")
  var command: [String] = []

  func validate() throws {
    guard !command.isEmpty else {
      throw ValidationError("Name the command after '--', such as: brume exec -- swift test")
    }
    guard !names.isEmpty else { throw ValidationError("--users needs at least one name") }
    var taken: [String: String] = [:]
    for name in names {
      let variable = UserTokenVariable.name(of: name)
      guard let other = taken.updateValue(name, forKey: variable) else { continue }
      throw ValidationError(
        "--users has '\(other)' and '\(name)', and \(variable) can have the token of one: name them otherwise"
      )
    }
  }

  private var names: [String] {
    users.split(separator: ",").map { $0.split(separator: " ").joined(separator: " ") }
      .filter { !$0.isEmpty }
  }

  func run() async throws {
    let settings = try settings()
    let folder = try DataFolder(path: settings.dataFolder)
    defer { try? FileManager.default.removeItem(atPath: folder.path) }
    let server = try await Composition(
      settings: settings, folder: folder, users: names, logger: Logs.logger(settings))
    throw ExitCode(try await Services.embed(server) { _ in try await runCommand(server) })
  }

  private func settings() throws -> Settings {
    var settings = Settings()
    settings.port = 0
    settings.engine = .memory
    settings.isDevelopment = true
    settings.container = ContainerID(container)
    settings.dataFolder =
      FileManager.default.temporaryDirectory.path + "/brume-exec-\(UUID().uuidString)"
    guard let profile = Settings.profiles[limits] else {
      throw ValidationError("--limits is '\(limits)'; it may be apple, relaxed or tiny")
    }
    settings.limits = profile
    guard let level = Logger.Level(rawValue: logLevel) else {
      throw ValidationError("--log-level is '\(logLevel)'; it may be \(Setting.logLevel.form)")
    }
    settings.logLevel = level
    return settings
  }

  /// Variables that name no server, nor anybody's way into one, nor what a device knows of one: those of another would mix
  /// with ours. Where a server that the command starts leaves its marks is nobody else's.
  private static func withoutServers(_ variables: [String: String]) -> [String: String] {
    let clients = [
      "URL", "ADMIN_TOKEN", "ENVIRONMENT", "API_TOKEN", "KEY_ID", "KEY_FILE", "SECOND_USER_TOKEN",
      "STATE_DIR", "DEVICE_ID",
    ].map { "BRUME_\($0)" }
    let settings = Setting.all.map(\.variable).filter { $0 != Setting.marks.variable }
    let named = Set(clients + settings + [Setting.config.variable])
    return variables.filter { name, _ in
      !named.contains(name) && !name.hasPrefix("BRUME_USER_TOKEN")
    }
  }

  private func runCommand(_ server: Composition) async throws -> Int32 {
    let containerEnvironment = ContainerEnvironment(server.settings.container, .development)
    if let schema {
      let file = try SchemaFile(schema)
      do {
        try await server.engine.schemas.replace(by: file.text, in: containerEnvironment)
      } catch let error as BrumeError {
        throw CommandFailure("\(schema): \(error.reason)", .data)
      }
    }
    var environment = Self.withoutServers(ProcessInfo.processInfo.environment)
    let ready = try await server.development.prepare(in: containerEnvironment)
    for (name, value) in ready.variables { environment[name] = value }
    // Commands inside reach this server and no other.
    environment["BRUME_ADMIN_TOKEN"] = server.adminToken
    return try await ChildProcess.run(command, environment: environment)
  }
}
