// The way of a backup from the server into a file: rows from a snapshot, then the assets that they name, one by one.
// All of it goes into FILE.part, from which the same command goes on after whatever broke it; the whole file is read
// back and checked before it gets its name. For one that continues an earlier backup, the assets that are in that one
// are left out, and at last FILE.part is compared with it.

import BrumeClient
import BrumeCore
import BrumeServer
import BrumeStorage

struct BackupTransfer {
  private let source: BackupSource
  private let name: String
  private let part: DiskFile
  /// What is continued.
  private let earlier: Earlier?
  private let progress: TerminalProgress
  /// Ours: attempts that bring nothing, the pause before each a second longer than the one before.
  private static let attempts = 4

  /// A backup that was checked, with its name in the folder of the new one.
  struct Earlier {
    let name: String
    let backup: BackupFile
  }

  /// - Parameter earlier: what is continued; nil: the backup is to be whole.
  /// - Throws: `StatusFailure` or `StoreError`: the file is there already, or cannot be made.
  init(
    from source: BackupSource, to name: String, since earlier: Earlier?,
    progress: TerminalProgress
  ) throws {
    guard !DiskFile.exists(name) else {
      throw StatusFailure(
        .cannotCreate, "'\(name)' exists already; choose another name, or move it away")
    }
    self.source = source
    self.name = name
    self.progress = progress
    self.earlier = earlier
    part = try Self.part(of: name)
  }

  private static func part(of name: String) throws -> DiskFile {
    do throws(StoreError) {
      return try DiskFile.appending(name + ".part")
    } catch {
      guard error.code == .unavailable else { throw StatusFailure(error) }
      throw StatusFailure(
        .cannotCreate, "\(error.description); make its folder, or choose another name")
    }
  }

  private var read: BackupFrames.Read { Self.read(part) }

  private static func read(_ file: DiskFile) -> BackupFrames.Read {
    { try file.bytes(at: $0, count: $1) }
  }

  /// - Returns: what is in the file.
  func run() async throws -> BackupReport {
    // Of an attempt that brought nothing no file is left.
    defer { if (try? part.size()) == 0 { DiskFile.remove(part.path) } }
    let (id, begun) = try await rows()
    guard let backup = BackupFile(begun.report, read) else { throw Self.noBeginning }
    do {
      try await assets(of: backup, id, begun.report.count, isWhole: begun.isWhole)
    } catch is BackupSource.Gone {
      throw StatusFailure(.again, "the server lost its snapshot; repeat the command")
    } catch let failure as StatusFailure where failure.status == .noPermission {
      throw anew
    }
    let report = try finish()
    await source.remove(id)
    progress.end()
    return report
  }

  private func finish() throws -> BackupReport {
    let report = try check(part, after: earlier?.backup)
    guard let earlier else {
      try part.finish(as: name)
      return report
    }
    guard let whole = BackupFile(report, read) else { throw Self.noBeginning }
    // An earlier attempt may have begun it.
    let new = try DiskFile.appending(name + ".new")
    try new.truncate(to: 0)
    try BackupIncrement(of: whole, continuing: earlier.backup).run(file: earlier.name) {
      progress.show("changes: \($0)")
    } write: {
      try new.append($0)
    }
    let made = try check(new, after: earlier.backup)
    let file = BackupFile(made, Self.read(new), after: earlier.backup)
    try file?.survey()
    try new.finish(as: name)
    DiskFile.remove(part.path)
    return file?.report ?? made
  }

  private func check(_ file: DiskFile, after earlier: BackupFile?) throws -> BackupReport {
    let size = try file.size()
    return try BackupCheck.run(Self.read(file), after: earlier) { position in
      progress.show("reading it back", position, of: size)
    }
  }

  private static let noBeginning = StatusFailure(
    .unavailable, "the server's snapshot has no beginning")

  // MARK: Rows

  /// Fetches what is missing of the rows. A snapshot that went is made anew, once.
  private func rows() async throws -> (id: String, check: BackupCheck) {
    if let check = try takenUp(), let id = check.report.header?.id {
      do {
        return (id, try await rows(of: id, known: check))
      } catch is BackupSource.Gone {
        Output.say("the server keeps the snapshot of '\(part.path)' no longer; beginning anew")
      }
    }
    try part.truncate(to: 0)
    let id: String
    do { id = try await source.begin() } catch is CallFailure { throw unreachable }
    do {
      return (id, try await rows(of: id, known: nil))
    } catch is BackupSource.Gone {
      throw StatusFailure(.again, "the server lost its snapshot; repeat the command")
    } catch let failure as StatusFailure where failure.status == .noPermission {
      throw anew
    }
  }

  private func rows(of id: String, known: BackupCheck?) async throws -> BackupCheck {
    let size: Int64
    do { size = try await source.size(of: id, progress: progress) } catch is CallFailure {
      throw unreachable
    } catch let without as BackupSource.NoSnapshot {
      return try rows(without, id, known)
    }
    if let known, known.hasAllRows { return known }
    try await persistently {
      let begun = try part.size()
      guard begun < size else { return }
      try await source.rows(of: id, from: begun) { piece in
        try part.append(piece)
        let arrived = try part.size()
        progress.show("rows", arrived, of: size)
      }
    }
    return try arrived()
  }

  private func arrived() throws -> BackupCheck {
    guard let check = try takenUp(), check.hasAllRows else {
      throw StatusFailure(.again, "what arrived is damaged; repeat the command")
    }
    return check
  }

  /// Reads them in the server's place. Its assets are still asked for by the ID of the snapshot that failed.
  private func rows(
    _ without: BackupSource.NoSnapshot, _ id: String, _ known: BackupCheck?
  ) throws -> BackupCheck {
    if let known, known.hasAllRows { return known }
    guard let folder = without.folder else { throw without.failure }
    Output.say("\(without.failure.description); its database is read without one")
    try part.truncate(to: 0)
    var written: Int64 = 0
    try FolderSnapshot.write(of: folder, id: id) { piece in
      try part.append(piece)
      written += Int64(piece.count)
      progress.show("rows: \(TerminalProgress.bytes(written))")
    }
    return try arrived()
  }

  /// What an earlier attempt left, as far as it is whole; nil if that is nothing.
  private func takenUp() throws -> BackupCheck? {
    guard try part.size() > 0, (try? BackupCheck.requireMagic(read)) != nil else { return nil }
    let (check, whole) = try scanned()
    guard whole > 0 else { return nil }
    if whole == (try part.size()) { return check }
    // Once more, without what is not whole.
    try part.truncate(to: whole)
    return try scanned().check
  }

  /// The file as far as it makes sense, and where its last whole part ends.
  private func scanned() throws -> (check: BackupCheck, whole: Int64) {
    var check = BackupCheck(read, after: earlier?.backup)
    var frames = BackupFrames(read)
    var whole: Int64 = 0
    do {
      while let frame = try frames.next() {
        try check.take(frame)
        if check.isBetweenAssets { whole = frame.end }
      }
    } catch let error as StoreError where error.code != .corrupt {
      throw error
    } catch let error where !(error is BackupDamage || error is StoreError) {
      throw error
    } catch {
      // Damage: what comes before it is good.
    }
    return (check, whole)
  }

  // MARK: Assets

  private func assets(
    of backup: BackupFile, _ id: String, _ begun: BackupAssetCount, isWhole: Bool
  ) async throws {
    if isWhole { return }
    var count = begun
    let files = try backup.rows(of: .assetFiles)
    for _ in 0..<begun.files { _ = try files.next() }
    while let file = try files.next() {
      let object = try file.text("object")
      if earlier?.backup.holds(ObjectMark(object)) == true {
        try add(.earlierAsset, Array(object.utf8))
        count.earlier += 1
      } else if try await persistently({ try await asset(file, id) }) {
        count.assets += 1
        count.bytes += try file.integer("size")
      } else {
        count.missing += 1
      }
      progress.show("assets: \(count.assets), \(TerminalProgress.bytes(count.bytes))")
    }
    try add(.end, count.packed)
  }

  /// Answers false if the server does not have its bytes, or others.
  private func asset(_ file: MovedRow, _ id: String) async throws -> Bool {
    let begin = try part.size()
    let (object, size) = (try file.text("object"), try file.integer("size"))
    let pieces = BackupAssetPieces(object: object)
    do {
      let checksum = try file.text("checksum")
      try await source.asset(object, checksum: checksum, size: size, of: id) { data in
        for piece in pieces.add(data) { try add(.asset, piece.bytes) }
      }
      if let last = pieces.last(size: size) { try add(.asset, last.bytes) }
      if pieces.isWhole(size, file["digest"].bytes) { return true }
    } catch is BackupSource.Missing {
    } catch {
      try part.truncate(to: begin)
      throw error
    }
    try part.truncate(to: begin)
    try add(.missingAsset, Array(object.utf8))
    return false
  }

  private func add(_ kind: BackupFrame.Kind, _ content: [UInt8]) throws {
    try part.append(BackupFrame(kind, at: part.size(), content).bytes)
  }

  // MARK: Failures

  /// Tries again when a connection breaks. `body` goes on where it was; what brought something counts anew.
  private func persistently<Value>(_ body: () async throws -> Value) async throws -> Value {
    var failures = 0
    var known = try part.size()
    while failures < Self.attempts - 1 {
      do {
        return try await body()
      } catch is CallFailure {
        let size = try part.size()
        failures = size > known ? 1 : failures + 1
        known = size
        progress.show("the connection broke; trying again")
        try await Task.sleep(for: .seconds(failures))
      }
    }
    do { return try await body() } catch is CallFailure { throw broken }
  }

  private var unreachable: StatusFailure {
    StatusFailure(
      .unavailable, "no server answers at \(source.url); start it, or name its folder with --data")
  }

  /// A server makes an admin token at each start: one that was good a moment ago is refused after it.
  private var anew: StatusFailure {
    StatusFailure(
      .again,
      "the server at \(source.url) was started again meanwhile and refuses the admin token of before; what "
        + "arrived is in '\(part.path)', and the same command goes on from there")
  }

  private var broken: StatusFailure {
    StatusFailure(
      .again,
      "the connection to \(source.url) broke; what arrived is in '\(part.path)', and the same command goes "
        + "on from there")
  }
}
