// A start of the store: looks whether the database is older than what was acknowledged, says so, and
// begins a new run. The rules raise the generation (`StoreIdentity`), because the finding is in the same
// transaction as the run that found it: it is not lost if this start ends at once.

import BrumeStorage
import CFileBirth
import GRDB
import Logging

#if canImport(Darwin)
  import Darwin
#elseif canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

struct StoreRuns {
  let folder: String
  /// Where marks outside of the folder are; nil: nowhere.
  let marks: String?
  /// The identity of this start.
  let runID: String
  let logger: Logger

  /// What a start leaves to those that come after it.
  struct Begun {
    let start: Int64
    let marks: Marks
    /// What the database does not say of this start, because the disk is full; nil: it does.
    let pending: PendingRun?
  }

  /// To be called before anything is opened: SQLite removes the log of a database that is not there.
  ///
  /// - Throws: as `requireDatabase(_:)`.
  func requireFile() throws(StoreError) {
    var status = stat()
    if stat(folder + "/brume.sqlite", &status) == 0, status.st_size > 0 { return }
    var mark = stat()
    guard stat(folder + "/brume.mark", &mark) == 0 else { return }
    try requireNoMark()
  }

  /// - Throws: `StoreError` if the folder had a database, as its mark says, and `writer` has an empty one open: a
  ///   server that began anew would write over the mark, the last word of what is lost.
  func requireDatabase(_ writer: Database) throws {
    if try Migrations.isNew(writer) { try requireNoMark() }
  }

  private func requireNoMark() throws(StoreError) {
    guard let mark = open(folder + "/brume.mark")?.read(), mark.start > 0 else { return }
    throw StoreError(
      .corrupt,
      "it is missing or empty, but 'brume.mark' beside it is of its start \(mark.start); to begin with nothing, "
        + "remove that file")
  }

  /// Begins a run of the database that `writer` has open. Commits one transaction, or leaves that to the first that writes,
  /// if the disk is full.
  func begin(on writer: Database) throws -> Begun {
    let inFolder = open(folder + "/brume.mark")
    let known = try Known(writer)
    let outside = known.store.map { openExternal($0) } ?? (nil, .missing)
    let file = identity()
    let finding = CopyRules.finding(
      database: known.progress, isSameFile: known.file.map { $0 == file },
      inFolder: inFolder?.read(), outside: outside.says)
    let earlier = [known.start, inFolder?.read()?.start ?? 0, outside.says.progress?.start ?? 0]
    let progress = StoreProgress(
      start: (earlier.max() ?? 0) + 1, runID: runID, position: try Self.lastPosition(writer))
    // A copy goes its own way, so that the store that it was made from may go on as well.
    let store = finding == nil ? known.store ?? runID : runID
    let begun = Known(store: store, start: progress.start, progress: progress, file: file)
    // Who reads a copy has to know it for one, so there it is all or nothing.
    let mayWait = finding == nil && known.progress != nil
    let isNoted = try note(begun, finding, on: writer, mayWait: mayWait)
    if let finding { say(finding) }
    let files = [inFolder, store == known.store ? outside.file : openExternal(store).file]
    let marks = Marks(files.compactMap { $0 }, at: progress) { [logger] path in
      logger.warning(
        "a mark cannot be written; a folder that is copied back may go unnoticed",
        metadata: ["store.mark": "\(path)"])
    }
    if isNoted { marks.begin() }
    return Begun(
      start: progress.start, marks: marks, pending: isNoted ? nil : PendingRun(begun.settings))
  }

  /// Answers false if the disk has no room for it and it may wait.
  private func note(
    _ run: Known, _ finding: String?, on writer: Database, mayWait: Bool
  ) throws -> Bool {
    do {
      try writer.inTransaction {
        try run.write(writer)
        if let finding { try set(SQLiteSettings.name(of: .copiedBack), finding, writer) }
        return .commit
      }
      return true
    } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL && mayWait {
      logger.error(
        "the disk is full: what is stored can be read, and saves are refused until there is room; make some",
        metadata: ["store.folder": "\(folder)"])
      return false
    }
  }

  private func say(_ finding: String) {
    logger.warning(
      """
      the data folder was copied back: it may be older than what was acknowledged (\(finding)). \
      What was saved after the copy was made is not here
      """,
      metadata: ["store.folder": "\(folder)"])
  }

  // MARK: Marks

  private func open(_ path: String) -> MarkFile? {
    do {
      return try MarkFile(path)
    } catch {
      logger.warning(
        "a mark cannot be kept; a folder that is copied back may go unnoticed",
        metadata: ["store.mark": "\(error.description)"])
      return nil
    }
  }

  private func openExternal(_ store: String) -> (file: MarkFile?, says: ExternalMark) {
    guard let marks else { return (nil, .missing) }
    OwnerOnly.makeFolders(marks)
    let path = "\(marks)/\(store).mark"
    do throws(StoreError) {
      let file = try MarkFile(path)
      return (file, file.read().map { .says($0) } ?? .missing)
    } catch {
      if error.code == .inUse { return (nil, .taken) }
      logger.warning(
        """
        no mark can be kept outside of the data folder; a whole folder that is copied back in place \
        may go unnoticed. Name a folder with --marks, or none to keep no mark there
        """, metadata: ["store.mark": "\(error.description)"])
      return (nil, .missing)
    }
  }

  /// Distinguishes the database file from a copy of it; nil where the file system does not.
  private func identity() -> String? {
    let path = folder + "/brume.sqlite"
    var status = stat()
    let creationTime = brume_file_birth(path)
    // Without a creation time the number says little: it is used again, and some file systems give
    // another one at each start.
    guard creationTime != 0, stat(path, &status) == 0 else { return nil }
    return "\(status.st_ino) \(creationTime)"
  }

  // MARK: The database's own words

  /// What the settings are called that it has them in. The count is older than the rest: stores of before have it alone.
  static let names = (
    start: "store-starts", runID: "store-life", store: "store-identity", file: "store-file"
  )

  /// What the database says of itself.
  fileprivate struct Known {
    var store: String?
    var start: Int64
    /// Nil: no start of it has left a mark.
    var progress: StoreProgress?
    var file: String?
  }

  fileprivate static func lastPosition(_ writer: Database) throws -> Int64 {
    let newest = try Int64.fetchOne(writer, sql: "SELECT max(position) FROM log") ?? 0
    let kept = try SQLiteSettings.own(SQLiteLog.lastPositionName, in: writer).flatMap { Int64($0) }
    return max(newest, kept ?? 0)
  }
}

extension ExternalMark {
  fileprivate var progress: StoreProgress? {
    if case .says(let progress) = self { progress } else { nil }
  }
}

extension StoreRuns.Known {
  fileprivate init(_ writer: Database) throws {
    start = try SQLiteSettings.own(StoreRuns.names.start, in: writer).flatMap { Int64($0) } ?? 0
    let runID = try SQLiteSettings.own(StoreRuns.names.runID, in: writer)
    store = try SQLiteSettings.own(StoreRuns.names.store, in: writer)
    file = try SQLiteSettings.own(StoreRuns.names.file, in: writer)
    progress = try runID.map {
      StoreProgress(start: start, runID: $0, position: try StoreRuns.lastPosition(writer))
    }
  }

  fileprivate var settings: [(name: String, value: String?)] {
    [
      (StoreRuns.names.start, String(start)), (StoreRuns.names.runID, progress?.runID),
      (StoreRuns.names.store, store), (StoreRuns.names.file, file),
    ]
  }

  fileprivate func write(_ writer: Database) throws {
    for (name, value) in settings { try set(name, value, writer) }
  }
}

private func set(_ name: String, _ value: String?, _ writer: Database) throws {
  guard let value else {
    return try writer.execute(sql: SQLiteSettings.remove.text, arguments: [name])
  }
  try writer.execute(sql: SQLiteSettings.put.text, arguments: [name, value])
}
