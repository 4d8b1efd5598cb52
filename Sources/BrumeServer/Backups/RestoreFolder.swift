// The way of a restored store into the data folder of a server. It is written beside the live one, in the folder
// `restore`; a mark, which appears all at once, says that it is whole and wanted. From then on whoever locks the data
// folder first moves the old files away and the new ones in, and goes on with that wherever a crash has ended it.
// Before the mark the old data is as it was, and after it the new data is; no start sees anything between.

package import BrumeModel
import BrumeStorage
import BrumeWire

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// What is kept of a restore until a server has written it into its audit log.
package struct RestoreNote: Equatable, Sendable {
  package let backup: BackupSummary
  /// Who wanted it, from where, by which request.
  package let operatorName: String
  package let address: String
  package let requestID: String

  var bytes: [UInt8] {
    guard case .object(var object) = try? JSON(parsing: Wire.backup(backup)) else { return [] }
    object["operator"] = .string(operatorName)
    object["address"] = .string(address)
    object["request"] = .string(requestID)
    return JSON.object(object).bytes()
  }
}

extension RestoreNote {
  init(_ bytes: [UInt8]) throws {
    let json = try JSON(parsing: bytes)
    self.init(
      backup: try Wire.backup(json), operatorName: json["operator"]?.string ?? "",
      address: json["address"]?.string ?? "", requestID: json["request"]?.string ?? "")
  }
}

/// The folder `restore` of a data folder: a backup as it arrives, the store that it becomes, and the file that the next start
/// reads.
package struct RestoreFolder: Sendable {
  private let data: String
  private let mounts: @Sendable () -> String
  /// What a data folder has of its store. Everything else in it is of the server.
  private static let names = [
    "brume.sqlite", "brume.sqlite-wal", "brume.sqlite-shm", "brume.mark", "assets",
  ]

  /// - Parameter mounts: the system's list of what is mounted, as `MountPoints` reads it.
  package init(
    in data: String, mounts: @escaping @Sendable () -> String = { MountPoints.list() }
  ) {
    self.data = data
    self.mounts = mounts
  }

  /// Why the data cannot be moved away, in words for the operator, with what to do instead; nil: it can.
  var obstacle: String? {
    guard isMounted else { return nil }
    return
      "the folder 'assets' of this server's data is a mount of its own, which a restore cannot move away; bring the "
      + "backup into another folder, 'brume restore FILE --data ./restored', stop the server, and start it on that"
  }

  private var isMounted: Bool {
    guard let whole = realpath(data, nil) else { return false }
    defer { free(whole) }
    return MountPoints.has(String(cString: whole) + "/assets", mounts())
  }

  private var place: String { data + "/restore" }
  /// The backup as it arrives.
  var upload: String { place + "/upload" }
  /// The store that it becomes: a data folder of its own.
  var staged: String { place + "/data" }
  /// Says that the staged store is whole and wanted.
  private var pending: String { place + "/pending" }
  /// Says that the old files are out of the way.
  private var moved: String { place + "/moved" }
  /// The old files, until the new ones are all in.
  private var before: String { place + "/before" }
  /// The files of before the last restore.
  private var replaced: String { data + "/replaced" }
  private var note: String { data + "/restored.json" }

  /// Makes the place, without what an earlier attempt left in it.
  func begin() throws(DataFolderError) {
    try clear()
    guard OwnerOnly.makeFolders(place) else { throw failure("make", place) }
  }

  /// Removes what arrived and was written, unless the next start wants it.
  func clear() throws(DataFolderError) {
    guard !DiskFile.exists(pending), !DiskFile.exists(moved) else {
      throw DataFolderError("a restored backup waits for the next start of the server")
    }
    try Self.remove(place)
  }

  /// Removes the upload alone, when the store has been made of it.
  func dropUpload() { DiskFile.remove(upload) }

  /// Says that the staged store is wanted. From here on the next start takes it up; after an error it does not.
  ///
  /// - Parameter finish: waits for the disk and gives the file its name.
  func want(
    _ wanted: RestoreNote,
    finish: (DiskFile, String) throws -> Void = { try $0.finish(as: $1) }
  ) throws {
    let unfinished = pending + ".new"
    DiskFile.remove(unfinished)
    do {
      let file = try DiskFile.appending(unfinished)
      try file.append(wanted.bytes)
      try finish(file, pending)
    } catch {
      // It may have its name, and its operator learns that nothing has changed.
      DiskFile.remove(pending)
      OwnerOnly.syncParent(of: pending)
      throw error
    }
  }

  /// Removes the store of before the last restore, when another one is wanted. What stays goes at the next start.
  func dropReplaced() { try? Self.remove(replaced) }

  /// Bytes that are free where the data folder is; nil if nobody knows.
  var room: Int64? { DataFolder.room(at: data) }

  // MARK: At a start

  /// Moves a store that is wanted in, and what was there into the folder `replaced`. Whoever calls has the data folder
  /// locked, and nothing of it open.
  package func takeUp() throws(DataFolderError) {
    if DiskFile.exists(pending) {
      guard DiskFile.exists(before) || !isMounted else { throw mounted }
      guard OwnerOnly.makeFolders(before) else { throw failure("make", before) }
      for name in Self.names where DiskFile.exists("\(data)/\(name)") {
        guard !DiskFile.exists("\(before)/\(name)") else { throw Self.interfered(data, name) }
        try move("\(data)/\(name)", to: "\(before)/\(name)")
      }
      try move(pending, to: moved)
    }
    guard DiskFile.exists(moved) else { return }
    for name in Self.names where DiskFile.exists("\(staged)/\(name)") {
      try move("\(staged)/\(name)", to: "\(data)/\(name)")
    }
    if DiskFile.exists(before) {
      try Self.remove(replaced)
      try move(before, to: replaced)
    }
    // Who continues a backup of the store before would get its rows with the assets of this one.
    try Self.remove("\(data)/\(Snapshots.folderName)")
    try move(moved, to: note)
    try Self.remove(place)
  }

  /// What was taken up and is in no audit log yet.
  func taken() -> RestoreNote? {
    DataFolder.read(note).flatMap { try? RestoreNote($0) }
  }

  func forgetTaken() { DiskFile.remove(note) }

  // MARK: Files

  /// The disk knows of it before anything else is done.
  private func move(_ old: String, to new: String) throws(DataFolderError) {
    guard rename(old, new) == 0 else { throw failure("move", old) }
    guard OwnerOnly.syncParent(of: new), OwnerOnly.syncParent(of: old) else {
      throw failure("save the place of", new)
    }
  }

  /// Removes a file, or a folder with all that is in it.
  private static func remove(_ path: String) throws(DataFolderError) {
    if unlink(path) == 0 || errno == ENOENT { return }
    for name in OwnerOnly.names(in: path) { try remove("\(path)/\(name)") }
    guard rmdir(path) == 0 || errno == ENOENT else { throw failure("remove", path) }
  }

  private func failure(_ what: String, _ path: String) -> DataFolderError {
    Self.failure(what, path)
  }

  private static func failure(_ what: String, _ path: String) -> DataFolderError {
    DataFolderError(
      "a restore cannot \(what) '\(path)' (\(SystemError.reason())); mend that and start the server "
        + "again, which goes on with it")
  }

  private var mounted: DataFolderError {
    DataFolderError(
      "a restore waits, and '\(data)/assets' is a mount of its own, which cannot be moved away; nothing has changed "
        + "yet. Unmount it, or remove '\(pending)' to go on with the data that is there, and start the server again"
    )
  }

  private static func interfered(_ data: String, _ name: String) -> DataFolderError {
    DataFolderError(
      "a restore was interrupted, and '\(data)/\(name)' was made since: the old one is in "
        + "'\(data)/restore/before'. Move the new one away, and start the server again, which goes on with the "
        + "restore")
  }
}
