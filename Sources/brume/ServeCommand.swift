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
    let hangUps = await UnixSignalsSequence(trapping: .sighup)
    defer { withExtendedLifetime(hangUps) {} }
    let sources = try await Self.read(options)
    let settings = try Settings(sources)
    let folder = try DataFolder(path: settings.dataFolder)
    ServerOutput.begin(settings)
    let (end, taken) = (EndOrder(), TakenSettings())
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      defer { tasks.cancelAll() }
      var next = settings
      while let port = try await serve(sources, next, folder, taken, until: end, in: &tasks),
        !end.isGiven
      {
        next = taken.applied(to: next)
        // Clients come back to the same port, also where any free one was taken.
        next.port = port
        try folder.takeUpRestore()
      }
    }
  }

  /// Opens a server and runs it. Until the first one is open a signal ends the process at once; from then on it is an
  /// order, which counts for all that follow.
  ///
  /// - Returns: the port, if the server is to start anew; nil when it was asked to end.
  private func serve(
    _ sources: SettingSources, _ settings: Settings, _ folder: DataFolder, _ taken: TakenSettings,
    until end: EndOrder, in tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async throws -> Int? {
    let server = try await OpenServer(settings, folder)
    if tasks.isEmpty { await Self.trap(for: end, in: &tasks) }
    return try await serve(server, sources, folder, taken, until: end)
  }

  private static func trap(
    for end: EndOrder, in tasks: inout ThrowingTaskGroup<Void, any Error>
  ) async {
    let signals = await UnixSignalsSequence(trapping: .sigterm, .sigint)
    tasks.addTask(operation: { for await _ in signals { await end.give() } })
  }

  private func serve(
    _ open: OpenServer, _ sources: SettingSources, _ folder: DataFolder, _ taken: TakenSettings,
    until end: EndOrder
  ) async throws -> Int? {
    let server = open.composition
    defer { folder.remove(ServerFile.name) }
    let reload = Reload(
      level: open.level, logger: server.logger, identities: server.identities,
      now: server.host.now, taken: taken
    ) { [options] in try await Self.read(options) }
    reload.warnOfCertificate()
    let file = ServerFileWriter(folder, server.logger)
    return try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: { await reload.run(open.hangUps, from: sources) })
      group.addTask(operation: { try? await file.run() })
      defer { group.cancelAll() }
      do { try await Self.serve(server, file, until: end) } catch is RestartAsked {
        server.logger.notice("the server starts anew, on a restored backup")
        return server.address.listeningPort
      }
      return nil
    }
  }

  private static func serve(
    _ server: Composition, _ file: ServerFileWriter, until end: EndOrder
  ) async throws {
    try await Services.run(server, until: end) { _ in
      guard !end.isGiven else { return }
      try file.write(
        ServerFile(
          url: server.address.ownURL, adminToken: server.adminToken,
          processID: Int(ProcessInfo.processInfo.processIdentifier)))
      try await Greeting.print(server)
    }
  }

  private static func read(_ options: [String]) async throws -> SettingSources {
    try await SettingSources(
      flags: SettingFlags.parse(options), environment: ProcessInfo.processInfo.environment)
  }
}

/// A server whose store is open, and which does not listen yet.
private struct OpenServer {
  let level: LogLevel
  /// Hang-ups since before its store was opened.
  let hangUps: UnixSignalsSequence
  let composition: Composition

  init(_ settings: Settings, _ folder: DataFolder) async throws {
    hangUps = await UnixSignalsSequence(trapping: .sighup)
    level = LogLevel(settings.logLevel)
    composition = try await Composition(
      settings: settings, folder: folder, logger: Logs.logger(settings, following: level),
      lostLogLines: ServerOutput.lost)
    composition.restart.allow()
    if let warning = FileSizeLimit.warning { composition.logger.warning(warning) }
    for warning in settings.warnings { composition.logger.warning("\(warning)") }
  }
}
