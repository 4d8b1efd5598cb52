// brume serve: the server, until it is asked to end.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import FoundationEssentials
import Logging
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve", abstract: "Run the server until it is asked to end (Ctrl-C).",
    usage: "brume serve [OPTIONS]",
    discussion: "OPTIONS, also as variables and in the configuration file:\n\(SettingFlags.help())")

  // Declared by the server's list of settings, so that each setting exists once.
  @Argument(parsing: .allUnrecognized, help: ArgumentHelp(visibility: .hidden))
  var options: [String] = []

  func run() async throws {
    MemoryArenas.limit()
    // From here on a hang-up ends nothing.
    let signals = await UnixSignalsSequence(trapping: .sighup)
    defer { withExtendedLifetime(signals) {} }
    let (sources, given) = try await settings()
    var settings = given
    let folder = try DataFolder(path: settings.dataFolder)
    while let port = try await serve(sources, settings, folder) {
      // Clients come back to the same port, also where any free one was taken.
      settings.port = port
      try folder.takeUpRestore()
    }
  }

  /// - Returns: the port, if the server is to start anew; nil when it was asked to end.
  private func serve(
    _ sources: SettingSources, _ settings: Settings, _ folder: DataFolder
  ) async throws -> Int? {
    let signals = await UnixSignalsSequence(trapping: .sighup)
    let level = LogLevel(settings.logLevel)
    let logger = Logs.logger(settings, following: level)
    let server = try await Composition(settings: settings, folder: folder, logger: logger)
    server.restart.allow()
    defer { folder.remove(ServerFile.name) }
    let reload = Reload(
      level: level, logger: logger, identities: server.identities, now: server.host.now
    ) { [options] in try await Self.read(options) }
    reload.tellOfCertificate()
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: { await reload.run(signals, from: sources) })
      defer { group.cancelAll() }
      do { try await serve(server, folder) } catch is RestartAsked {
        logger.notice("the server starts anew, on a restored backup")
        return server.address.listeningPort
      }
      return nil
    }
  }

  private func serve(_ server: Composition, _ folder: DataFolder) async throws {
    try await Services.run(server) { _ in
      let file = ServerFile(
        url: server.address.ownURL, adminToken: server.adminToken,
        processID: Int(ProcessInfo.processInfo.processIdentifier))
      try folder.write(file.bytes, to: ServerFile.name)
      try await Greeting.print(server)
    }
  }

  private static func read(_ options: [String]) async throws -> SettingSources {
    try await SettingSources(
      flags: SettingFlags.parse(options), environment: ProcessInfo.processInfo.environment)
  }

  private func settings() async throws -> (SettingSources, Settings) {
    do {
      let sources = try await Self.read(options)
      return (sources, try Settings(sources))
    } catch let error as SettingError {
      throw ValidationError(error.description)
    }
  }
}

/// What `serve` says when it is ready.
enum Greeting {
  static func print(_ server: Composition) async throws {
    let settings = server.settings
    let engine =
      switch settings.engine {
      case .memory: "memory, forgotten at the end"
      case .sqlite: "SQLite"
      case .postgres: "PostgreSQL"
      }
    Output.line("Brume serves \(server.url)")
    let link = try await server.oneTimeLink()
    let console = settings.isDevelopment ? link : nil
    Output.line("  console    \(console ?? "\(server.url)/_brume/console/")")
    Output.line("  storage    \(engine)")
    Output.line("  data       \(server.folder?.path ?? settings.dataFolder)")
    if settings.isClockManual {
      let time = ISODate.text(server.clock.shown(most: 0).now)
      Output.line("  clock      stands at \(time); 'brume clock advance 1m' moves it")
    }
    if settings.isDevelopment {
      // The address signs one browser in.
      try await ready(server)
    } else {
      if let link {
        Output.line("  operator   none yet; this makes the first one, once, within 30 minutes:")
        Output.line("             \(link)")
      }
      Output.line("  accounts   nobody has access until you give it, in another terminal:")
      Output.line("             brume user create NAME")
      Output.line("             brume token create NAME --container iCloud.org.example.app")
    }
    Output.line("Stop with Ctrl-C.")
  }

  private static func ready(_ server: Composition) async throws {
    let ready = try await server.development.prepare(
      in: ContainerEnvironment(server.settings.container, .development))
    Output.line("  container  \(ready.container)")
    Output.line("  users      \(ready.accounts.map(\.name).joined(separator: ", "))")
    Output.line("For a client ('brume status --format env' prints these lines again):")
    for (name, value) in ready.variables { Output.line("\(name)=\(value)") }
  }
}
