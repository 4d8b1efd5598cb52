// brume doctor: what may be wrong, and what to do about it.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import FoundationEssentials

struct DoctorCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "doctor", abstract: "Check the settings, the storage and the running server.",
    discussion: """
      Settings are those that this command gets: from its options, its variables and the file that these name. \
      A server that got others, as from a unit of systemd, is looked at with them (docs/operating/deploying.md).
      """)

  @OptionGroup var server: ServerOptions

  @Option(
    help: "The storage engine, as for 'brume serve': sqlite or postgres://… [BRUME_STORE]")
  var store: String?

  @Option(
    help: """
      The configuration file, as for 'brume serve'; its data folder is looked at unless --data or --url \
      names another. [BRUME_CONFIG]
      """)
  var config: String?

  @Flag(
    help: "Also read all records and files, and name what is damaged. A server may run meanwhile.")
  var deep = false

  @Option(
    help: ArgumentHelp(
      "Forget the damaged rows of a table, in the folder of a server that is stopped. Repeatable. "
        + "The tables: \(DamageRemoval.tables.joined(separator: ", ")).", valueName: "table"))
  var forget: [String] = []

  @Flag(help: "One JSON object a line.") var json = false

  func validate() throws {
    for table in forget where !DamageRemoval.tables.contains(table) {
      throw ValidationError(
        "--forget does not take '\(table)', but only \(DamageRemoval.tables.joined(separator: ", ")); what else is "
          + "damaged needs a backup (docs/operating/data-folder.md)")
    }
    if deep, !forget.isEmpty {
      throw ValidationError("--forget changes the store and --deep reads it: give one of them")
    }
  }

  func run() async throws {
    let server = await place()
    if !forget.isEmpty { return try await forgetRows(of: server) }
    var (isWell, isOther) = (true, false)
    func check(_ what: String, _ body: () async throws -> String) async {
      do {
        say(true, what, try await body())
      } catch {
        isWell = false
        isOther = isOther || error is OtherStore
        say(false, what, "\(error)")
      }
    }
    await check("settings") {
      let settings = try await settings()
      try settings.unixSocket?.checkLength()
      return "all that this command gets have usable values"
    }
    let given = try? await settings()
    for warning in given?.warnings ?? [] { say(true, "settings", warning, isWarning: true) }
    for finding in StoreCheckup.findings(given?.engine ?? .sqlite) {
      isWell = isWell && finding.isWell
      say(finding.isWell, finding.subject, finding.text)
    }
    await check("data folder") { try dataFolder(of: server) }
    if deep, await isStopped(server) {
      await check("server") { try await stopped(server) }
    } else {
      await check("server") { try await state(of: server) }
      await check("assets") { try await assets(of: server) }
    }
    if deep, !isOther {
      guard let folder = try server.folderOfServer() else {
        throw ValidationError(
          "--deep reads the folder of this machine's server; name it with --data, and leave out --url"
        )
      }
      let report = DeepReport(settings: given, folder: folder, json: json)
      let isWhole = try await TerminalProgress.waiting(for: "reading everything") {
        await report.write()
      }
      isWell = isWell && isWhole
    }
    if !isWell { throw ExitCode(1) }
  }

  /// - Parameter isWarning: it may be meant so, and does not end the command with 1.
  private func say(_ isWell: Bool, _ what: String, _ text: String, isWarning: Bool = false) {
    guard json else {
      let word = isWarning ? "warn " : isWell ? "ok   " : "wrong"
      return Output.line("\(word) \(what): \(text)")
    }
    let line: JSON = [
      "ok": .bool(isWell), "warning": .bool(isWarning), "what": .string(what),
      "text": .string(text),
    ]
    Output.line(line.bytes())
  }

  /// The server that runs by the file, if the file alone says where that is. What cannot be used is said by the check
  /// of the settings.
  private func place() async -> ServerOptions {
    guard config != nil, server.data == nil, server.url == nil, server.adminToken == nil,
      let settings = try? await settings()
    else { return server }
    var place = server
    place.data = settings.dataFolder
    return place
  }

  private func settings() async throws -> Settings {
    var flags: [String: String] = [:]
    flags[Setting.store.variable] = store
    flags[Setting.config.variable] = config
    return try Settings(
      try await SettingSources(flags: flags, environment: ProcessInfo.processInfo.environment))
  }

  private func dataFolder(of server: ServerOptions) throws -> String {
    guard let folder = try server.folderOfServer() else {
      return "that of a server named by its address is not looked at"
    }
    guard FileManager.default.fileExists(atPath: folder) else {
      return "'\(folder)' does not exist yet; 'brume serve' makes it"
    }
    guard FileManager.default.isWritableFile(atPath: folder) else {
      throw CommandFailure("'\(folder)' cannot be written; check its owner and rights")
    }
    if let concern = DiskRoom.concern(of: folder) { throw CommandFailure(concern) }
    return "'\(folder)' can be written"
  }

  /// Whether no server answers for the folder. Reading it needs none.
  private func isStopped(_ server: ServerOptions) async -> Bool {
    guard let folder = try? server.folderOfServer(), FileManager.default.fileExists(atPath: folder)
    else { return false }
    do {
      _ = try await server.connect().isReady()
      return false
    } catch {
      return (error as? CommandFailure)?.status == .unavailable
    }
  }

  private func state(of server: ServerOptions) async throws -> String {
    let connection = try server.connect()
    guard try await connection.isReady() else { throw ServerConnection.notReady }
    let status = try await connection.get("status")
    try await requireSameStore(status["store"]?.string, server)
    try await requireSameDatabase(status["storeID"]?.string)
    let damaged = status["damagedRows"]?.int ?? 0
    guard damaged == 0 else {
      throw CommandFailure(
        "it has met \(damaged) damaged rows or files since its start; its log names them, and "
          + "'brume doctor --deep' all there are (docs/operating/data-folder.md)")
    }
    if let concern = status["certificateConcern"]?.string { throw CommandFailure(concern) }
    return "ready at \(connection.access.url)"
  }

  /// What this command reads of a store is else that of another, such as the one from which the server was moved. One that
  /// keeps everything in memory has been moved from nowhere.
  private func requireSameStore(_ used: String?, _ server: ServerOptions) async throws {
    guard try server.folderOfServer() != nil, let used, used != "memory",
      let settings = try? await settings(), settings.engine.name != used
    else { return }
    throw OtherStore("it keeps", used: used, looked: settings.engine.name)
  }

  /// - Parameter used: nil: the server is older.
  private func requireSameDatabase(_ used: String?) async throws {
    guard let used, let settings = try? await settings(),
      let looked = StoreCheckup.storeID(settings.engine), looked != used
    else { return }
    throw OtherStore.otherDatabase
  }

  /// After a move the database of before is still in the folder. Who names it by --store wants that one, and files that were
  /// copied without their times say nothing.
  private func stopped(_ server: ServerOptions) async throws -> String {
    if store == nil, let folder = try server.folderOfServer(), LastStore.isPostgres(in: folder),
      let settings = try? await settings(), case .sqlite = settings.engine
    {
      throw OtherStore("its last server kept", used: "postgres", looked: settings.engine.name)
    }
    return "none answers; its folder is read without one"
  }

  /// Names every row that is gone afterwards.
  private func forgetRows(of server: ServerOptions) async throws {
    guard let folder = try server.folderOfServer() else {
      throw ValidationError(
        "--forget changes the folder of this machine's server; name it with --data, and leave out --url"
      )
    }
    let settings = try await settings()
    guard case .sqlite = settings.engine else {
      throw ValidationError(
        "--forget is for a data folder with SQLite; what PostgreSQL finds damaged needs a backup")
    }
    guard FileManager.default.fileExists(atPath: folder + "/brume.sqlite") else {
      throw StatusFailure(
        .noInput, "there is no database in '\(folder)'; name the folder with --data")
    }
    let removal = try DamageRemoval(
      settings, folder: folder, now: Host.real.now(), requestID: Host.real.uuid())
    for (table, rows) in try removal.run(forget) {
      for row in rows { say(true, "forgotten", "\(table): \(row)") }
      if rows.isEmpty { say(true, "nothing to forget", "\(table) has no damaged row") }
    }
  }

  /// Whether every file that the server knows of is there.
  private func assets(of server: ServerOptions) async throws -> String {
    try Self.assets(
      in: try await server.connect().get("assets/check", within: ServerConnection.patience))
  }

  /// What the server says of its files.
  ///
  /// - Throws: `CommandFailure` if something is wrong with them.
  static func assets(in answer: JSON) throws -> String {
    let missing = answer["missing"]?.array?.count ?? 0
    guard missing == 0 else {
      throw CommandFailure(
        "\(counted(missing)) files have lost their bytes; restore the folder or bucket that belongs to this "
          + "database, or upload them again (docs/assets.md)")
    }
    guard answer["hasMetDamage"]?.bool != true else {
      throw CommandFailure(
        "the server met damaged rows while it looked; its log names them, and 'brume doctor --deep' all there are "
          + "(docs/operating/data-folder.md)")
    }
    let unknown = answer["unknown"]?.array?.count ?? 0
    let rest = unknown == 0 ? "" : "; \(counted(unknown)) objects in their place belong to no file"
    return "\(answer["files"]?.int ?? 0) files, all there\(rest)"
  }

  /// A server names so many of each kind at most.
  private static func counted(_ names: Int) -> String {
    names < Limits.apple.assetCheckNames ? "\(names)" : "\(names) or more"
  }
}
