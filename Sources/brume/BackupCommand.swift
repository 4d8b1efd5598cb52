// brume backup: everything that a running server has, in one file; and a look at such a file.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire

struct BackupCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "backup",
    abstract: "Write all that the running server has into one file, or check such a file.",
    usage: """
      brume backup FILE [--data FOLDER]
      brume backup FILE --url URL --admin-token TOKEN
      brume backup FILE --since EARLIER
      brume backup --verify FILE
      """,
    discussion: """
      The file has all records, users, keys and secrets, subscriptions, waiting pushes and the bytes \
      of all assets, as of the moment at which the command began; saves go on meanwhile. It does not \
      depend on the storage engine. Who has it has everything: it is readable for its owner only, and \
      encrypting it is up to you.

      With --since the file has only what became of rows since an earlier backup in the same folder, \
      and the assets that are not in it. It can be brought back as long as all that it rests on lie \
      beside it, under their names.

      It is written as FILE.part. If that is interrupted, the same command goes on, as long as the \
      server keeps its snapshot: an hour. Bring a backup back with 'brume restore'.

      Exit status: 0; 64 wrong use; 65 damaged file, or one that it continues is missing; 66 no such file; 69 no server; 73 the file is \
      there already; 74 the disk is full or failed; 75 interrupted or two others under way, repeat; 77 wrong admin token. \
      More: docs/operating/backup.md
      """)

  @Argument(help: "The file, which must not exist yet.") var file: String
  @Option(help: "The data folder of the running server. (default: ./brume-data) [BRUME_DATA]")
  var data: String?
  @Option(help: "The server's address, instead of its folder, with an admin token. [BRUME_URL]")
  var url: String?
  @Option(
    help: """
      What 'brume operator token create' printed, for the role 'full'. The variable keeps it out of \
      process lists. [BRUME_ADMIN_TOKEN]
      """)
  var adminToken: String?
  @Option(help: "An earlier backup in the same folder, which this one continues.")
  var since: String?
  @Flag(help: "Read a backup, check all of it, and say what is in it.") var verify = false
  @OptionGroup var answer: AnswerOption

  func validate() throws {
    guard !verify || (url == nil && data == nil && adminToken == nil && since == nil) else {
      throw ValidationError(
        "--verify asks no server, and finds what FILE continues by itself: leave out the other options"
      )
    }
    if let since, BackupChain.folder(of: since) != BackupChain.folder(of: file) {
      throw ValidationError(
        "'\(since)' must be in the folder of '\(file)': a backup is looked for beside the one that continues it"
      )
    }
  }

  func run() async throws {
    if verify { try check() } else { try await back() }
  }

  private func back() async throws {
    let progress = TerminalProgress()
    defer { progress.end() }
    let source = try BackupSource(ServerAccess(data: data, url: url, adminToken: adminToken))
    let transfer = try BackupTransfer(
      from: source, to: file, since: try earlier(progress), progress: progress)
    let report = try await progress.during("the server makes a snapshot") {
      try await transfer.run()
    }
    answer.show(BackupTalk.json(report), [BackupTalk.sentence(file, report)])
    BackupTalk.warn(report)
  }

  /// All of it is read: a damaged one is nothing to rest on.
  private func earlier(_ progress: TerminalProgress) throws -> BackupTransfer.Earlier? {
    guard let since else { return nil }
    let backup = try checked(since, progress)
    guard try BackupChain.countOfEarlier(since) < BackupChain.most else {
      throw ValidationError(
        "'\(since)' rests on \(BackupChain.most) other backups, and one that continued it could not be brought back; "
          + "leave out --since, for a whole backup"
      )
    }
    return BackupTransfer.Earlier(name: BackupChain.name(of: since), backup: backup)
  }

  private func checked(_ path: String, _ progress: TerminalProgress) throws -> BackupFile {
    try DiskFile.requireBackup(path)
    return try BackupChain.check(path) {
      progress.show("checking '\(path)'", $0.checked, of: $0.all)
    }
  }

  private func check() throws {
    let progress = TerminalProgress()
    defer { progress.end() }
    let report = try checked(file, progress).report
    progress.end()
    if answer.json { answer.show(BackupTalk.json(report)) } else { BackupTalk.show(report) }
    BackupTalk.warn(report)
  }
}

/// What a backup holds, in words.
enum BackupTalk {
  static func sentence(_ file: String, _ report: BackupReport) -> String {
    let base = report.header?.base
    let rows =
      base.map { "\(report.entries) changes of \(report.rows) rows since '\($0.file)'" }
      ?? "\(report.rows) rows"
    return "'\(file)' has \(rows) and \(report.count.assets) \(base == nil ? "" : "new ")assets "
      + "(\(TerminalProgress.bytes(report.count.bytes))); all of it was read back and checked"
  }

  static func show(_ report: BackupReport) {
    guard let header = report.header else { return }
    var lines = [
      ["backup", header.id], ["made", ISODate.text(header.made)], ["of", header.engineName],
      ["format", String(BackupHeader.version)], ["generation", report.generation ?? "-"],
    ]
    if let base = header.base {
      lines.append(["continues", "'\(base.file)', \(base.id)"])
      lines.append(["changes", String(report.entries)])
    }
    lines += report.places.map { ["container", $0] }
    lines += MovedTable.allCases.compactMap { table in
      report.counts[table].map { [table.rawValue, String($0)] }
    }
    lines.append(["assets", "\(report.count.assets), \(report.count.bytes) bytes"])
    if header.base != nil {
      lines.append(["assets in earlier ones", String(report.count.earlier)])
    }
    lines.append(["hash", report.hash])
    lines.append(["whole", "yes: every hash is right"])
    Output.table(lines)
  }

  /// What the server had lost before the backup was made.
  static func warn(_ report: BackupReport) {
    guard report.count.missing > 0 else { return }
    Output.say(
      "Warning: the server did not have the bytes of \(report.count.missing) assets, so they are not in the "
        + "backup: \(report.missing.joined(separator: ", ")). 'brume doctor' says whether records need them."
    )
  }
}
