// brume restore: a backup, into a store that no server has run on, or into the server that runs.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import FoundationEssentials
import Logging

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore",
    abstract: "Bring a backup back, into an empty folder or database, or into a running server.",
    usage: """
      brume restore FILE [--data FOLDER]
      brume restore FILE [--data FOLDER] --store postgres://user@host:port/database
      brume restore FILE --in-place [--data FOLDER] [--yes]
      brume restore FILE --url URL --admin-token TOKEN [--yes]
      """,
    discussion: """
      The whole file is checked first. Then its rows and assets are written, and what was written is \
      compared with the file. If it is interrupted, the same command goes on; no server starts on a \
      part. Afterwards start the server with the same --data, --store and --assets.

      The first server on it raises the generation: change tokens and positions in event streams are \
      expired, so that clients fetch everything once and none skips a change. Pushes that waited are \
      delivered; one that was acknowledged after the backup was made may come again. Take the other \
      server from the net first: two with the same keys would both answer clients.

      With --in-place or --url the file is sent to a server that runs on SQLite. It checks all of it and \
      writes it beside its data; when you agree it starts anew on that, and keeps what it had in the \
      folder 'replaced' of its data. Until then nothing is changed, whatever breaks.

      Exit status: 0; 64 wrong use; 65 damaged file, or of another version; 66 no such file; \
      69 no server or database; 73 the target is not empty, or the server cannot be restored in place; \
      74 the disk is full or failed; 75 interrupted: repeat; 77 the admin token is wrong or may only read. \
      More: docs/operating/backup.md
      """)

  @Argument(help: "A file that 'brume backup' has made.") var file: String
  @Option(
    help: """
      The folder, which is empty or not there; with --in-place that of the running server. \
      (default: ./brume-data) [BRUME_DATA]
      """)
  var data: String?
  @Option(help: "The storage engine, as for 'brume serve': sqlite or postgres://… [BRUME_STORE]")
  var store: String?
  @Option(
    help: """
      Where assets go, as for 'brume serve': folder or s3://… A bucket is named here, also if it is that of the \
      variable or the file. [BRUME_ASSETS]
      """)
  var assets: String?
  @Flag(help: "Send it to the running server, which is SQLite's.") var inPlace = false
  @Option(help: "The running server's address, instead of its folder, with an admin token.")
  var url: String?
  @Option(
    help: """
      What 'brume operator token create' printed, for the role 'full'. The variable keeps it out of \
      process lists. [BRUME_ADMIN_TOKEN]
      """)
  var adminToken: String?
  @Flag(help: "Apply it without a question.") var yes = false
  @OptionGroup var answer: AnswerOption

  private var goesToServer: Bool { inPlace || url != nil || adminToken != nil }

  func validate() throws {
    guard goesToServer else {
      if yes {
        throw ValidationError("--yes answers a question that only --in-place and --url ask")
      }
      return
    }
    guard store == nil, assets == nil else {
      throw ValidationError(
        "a running server has its own --store and --assets: leave them out, or leave out --in-place and --url"
      )
    }
  }

  func run() async throws {
    try DiskFile.requireBackup(file)
    if goesToServer { return try await sendToServer() }
    let settings = try await settings()
    let progress = TerminalProgress()
    defer { progress.end() }
    let logger = Logger(label: "brume") { StreamLogHandler.standardError(label: $0) }
    let restore = StoreRestore(into: settings, logger: logger) { Self.show($0, on: progress) }
    let report = try await progress.during("the file is read") { try await restore.run(file) }
    progress.end()
    answer.show(
      BackupTalk.json(report),
      [
        "restored \(report.rows) rows, which have the hash \(report.hash), and \(report.count.assets) assets"
      ])
    BackupTalk.warn(report)
  }

  private func sendToServer() async throws {
    guard yes || Terminal.isThere else {
      throw ValidationError("nobody can be asked here; repeat with --yes to apply it")
    }
    let progress = TerminalProgress()
    defer { progress.end() }
    let access = try ServerAccess(data: data, url: url, adminToken: adminToken)
    try await InPlaceRestore(access, progress: progress, answer: answer).run(file) {
      try agrees($0)
    }
  }

  private func agrees(_ backup: BackupSummary) throws -> Bool {
    let made = ISODate.text(backup.made)
    Output.say(
      "the backup of \(made) is whole: \(backup.rows) rows and \(backup.assets) assets. The server goes back to it: "
        + "what was saved since is gone, and what was revoked since is valid again")
    return yes || Terminal.agrees("Apply it?")
  }

  private func settings() async throws -> Settings {
    var flags: [String: String] = [:]
    for (setting, value) in [(Setting.data, data), (.store, store), (.assets, assets)] {
      flags[setting.variable] = value
    }
    let sources = try await SettingSources(
      flags: flags, environment: ProcessInfo.processInfo.environment)
    let settings = try Settings(sources)
    // In the environment of a server it is that server's, and whoever runs on what is restored removes files there.
    if assets == nil, case .bucket = settings.assets.storeLocation {
      throw ValidationError(
        "\(try sources.origin(of: .assets).source) names a bucket, which may be a live server's: say with --assets "
          + "where files go, 'folder' or a bucket with a prefix of its own")
    }
    return settings
  }

  private static func show(_ step: StoreRestore.Progress, on progress: TerminalProgress) {
    switch step {
    case .verified(let bytes, let all):
      progress.show("checking the file", bytes, of: all)
    case .rows(let rows):
      let verb = rows.step == .copying ? "written" : "compared"
      progress.show("\(verb) \(rows.table.rawValue): \(rows.rows)")
    case .assets(let bytes, let all):
      progress.show("writing assets", bytes, of: all)
    }
  }
}
