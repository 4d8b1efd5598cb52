// brume restore: a backup, into a store that no server has run on.

import ArgumentParser
import BrumeCore
import BrumeServer
import BrumeStorage
import FoundationEssentials
import Logging

struct RestoreCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restore", abstract: "Bring a backup back, into an empty folder or database.",
    usage: """
      brume restore FILE [--data FOLDER]
      brume restore FILE [--data FOLDER] --store postgres://user@host:port/database
      """,
    discussion: """
      The whole file is checked first. Then its rows and assets are written, and what was written is \
      compared with the file. If it is interrupted, the same command goes on; no server starts on a \
      part. Afterwards start the server with the same --data, --store and --assets.

      The first server on it raises the generation: change tokens and positions in event streams are \
      expired, so that clients fetch everything once and none skips a change. Pushes that waited are \
      delivered; one that was acknowledged after the backup was made may come again. Take the other \
      server from the net first: two with the same keys would both answer clients.

      Exit status: 0; 64 wrong use; 65 damaged file, or of another version; 66 no such file; \
      69 no database; 73 the target is not empty; 74 the disk is full or failed. \
      More: docs/operating/backup.md
      """)

  @Argument(help: "A file that 'brume backup' has made.") var file: String
  @Option(help: "The folder, which is empty or not there. (default: ./brume-data) [BRUME_DATA]")
  var data: String?
  @Option(help: "The storage engine, as for 'brume serve': sqlite or postgres://… [BRUME_STORE]")
  var store: String?
  @Option(help: "Where assets go, as for 'brume serve': folder or s3://… [BRUME_ASSETS]")
  var assets: String?

  func run() async throws {
    guard DiskFile.exists(file) else {
      throw StatusFailure(.noInput, "there is no file '\(file)'")
    }
    let settings = try await settings()
    let progress = TerminalProgress()
    defer { progress.end() }
    let logger = Logger(label: "brume") { StreamLogHandler.standardError(label: $0) }
    let restore = StoreRestore(into: settings, logger: logger) { Self.show($0, on: progress) }
    let report = try await restore.run(file)
    progress.end()
    Output.line(
      "restored \(report.rows) rows, which have the hash \(report.hash), and \(report.count.assets) assets"
    )
    BackupTalk.warn(report)
  }

  private func settings() async throws -> Settings {
    var flags: [String: String] = [:]
    for (setting, value) in [(Setting.data, data), (.store, store), (.assets, assets)] {
      flags[setting.variable] = value
    }
    return try Settings(
      try await SettingSources(flags: flags, environment: ProcessInfo.processInfo.environment))
  }

  private static func show(_ step: StoreRestore.Progress, on progress: TerminalProgress) {
    switch step {
    case .verified(let bytes, let all):
      progress.show("checked \(bytes * 100 / max(1, all)) % of the file")
    case .rows(let rows):
      let verb = rows.step == .copying ? "written" : "compared"
      progress.show("\(verb) \(rows.table.rawValue): \(rows.rows)")
    case .assets(let bytes, let all):
      progress.show("assets: \(bytes * 100 / max(1, all)) %")
    }
  }
}
