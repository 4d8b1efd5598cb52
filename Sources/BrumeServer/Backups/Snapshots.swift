// Snapshots for backups: all rows as of one moment, in a file of the data folder, so that a slow or broken transfer
// keeps no transaction open and can go on. How many and how long is decided by BrumeCore's `SnapshotList`.

import BrumeCore
import BrumeModel
import BrumeStorage
import Logging
import Synchronization

/// The snapshots that this server has, and those that it makes. For calls from any thread.
package final class Snapshots: Sendable {
  private let list: Mutex<SnapshotList>
  private let store: any Store
  /// Nil: there is no data folder, as in tests.
  private let folder: String?
  private let host: Host
  private let logger: Logger
  /// IDs of those that are to be made: never more than the list takes.
  private let orders: AsyncStream<String>
  private let order: AsyncStream<String>.Continuation
  private let isEnding = Mutex(false)
  /// IDs of those that failed because the disk is full or failed.
  private let failedByDisk = Mutex<Set<String>>([])

  private struct Removed: Error {}
  /// What a file is called that is not whole.
  private static let unfinished = ".part"
  /// In the data folder.
  static let folderName = "snapshots"
  /// Bytes that are free on the disk of a folder; nil if nobody knows.
  private let room: @Sendable (String) -> Int64?

  /// Goes on with those that an earlier process had made; removes those that it had not finished.
  init(
    of store: any Store, in folder: String?, limits: Limits, host: Host, logger: Logger,
    room: @escaping @Sendable (String) -> Int64? = { DataFolder.room(at: $0) }
  ) {
    self.room = room
    list = Mutex(SnapshotList(limits))
    self.store = store
    self.folder = folder.map { "\($0)/\(Self.folderName)" }
    self.host = host
    self.logger = logger
    (orders, order) = AsyncStream.makeStream()
    guard let folder = self.folder else { return }
    Self.removeUnfinished(in: folder)
    for name in OwnerOnly.names(in: folder) {
      let path = "\(folder)/\(name)"
      guard let file = try? DiskFile.reading(path),
        let size = try? file.size()
      else {
        DiskFile.remove(path)
        continue
      }
      list.withLock { $0.adopt(name, size: size, now: host.now()) }
    }
  }

  /// Removes what an earlier process had not finished. A database on the same disk may need the room to be opened at all.
  static func removeUnfinished(in folder: String) {
    for name in OwnerOnly.names(in: folder) where name.hasSuffix(unfinished) {
      DiskFile.remove("\(folder)/\(name)")
    }
  }

  /// Begins to make one, and answers its ID at once.
  ///
  /// - Throws: `BrumeError`: as many are kept as may be, or there is no place for it.
  func begin() throws -> String {
    expire()
    let id = host.uuid()
    guard folder != nil else {
      throw BrumeError(.badRequest, "this server has no data folder that snapshots could be in")
    }
    if let failed = try list.withLock({ try $0.begin(id, now: host.now()) }) { forget(failed) }
    order.yield(id)
    return id
  }

  /// Makes those that were begun, one after the other, until it is cancelled.
  func run() async {
    await withTaskCancellationHandler {
      for await id in orders { await make(id) }
    } onCancel: {
      isEnding.withLock { $0 = true }
    }
  }

  private func make(_ id: String) async {
    guard let folder, let path = path(of: id) else { return }
    let unfinished = path + Self.unfinished
    do {
      guard OwnerOnly.makeFolders(folder) else { throw DiskFile.failure("make", folder) }
      let size = try await store.snapshot { [self] source in
        let file = try DiskFile.appending(unfinished)
        let size = try write(source, id, file)
        try file.finish(as: path)
        return size
      }
      guard note(.ready(size), of: id) || isEnding.withLock({ $0 }) else {
        // Removed while its last piece was written.
        return DiskFile.remove(path)
      }
      logger.info("snapshot made", metadata: ["snapshot.bytes": "\(size)"])
    } catch {
      DiskFile.remove(unfinished)
      if error is Removed { return }
      noteFailure(error, of: id)
      logger.warning("no snapshot could be made", metadata: ["error": "\(error)"])
    }
  }

  /// Who asks for the state next learns both.
  private func noteFailure(_ error: any Error, of id: String) {
    let code = (error as? StoreError)?.code
    if code == .noRoom || code == .unavailable { failedByDisk.withLock { _ = $0.insert(id) } }
    if !note(.failed("\(error)"), of: id) { forget(id) }
  }

  private func forget(_ id: String) { failedByDisk.withLock { _ = $0.remove(id) } }

  /// Whether one failed because the disk of the server is full or failed.
  func isFailedByDisk(_ id: String) -> Bool { failedByDisk.withLock { $0.contains(id) } }

  /// On a thread that may wait for the disk.
  private func write(
    _ source: any StoreExport, _ id: String, _ file: DiskFile
  ) throws -> Int64 {
    var (size, looked): (Int64, Int64) = (0, -DiskReserve.step)
    let writer = BackupWriter(of: source) { [self] bytes in
      try file.append(bytes)
      size += Int64(bytes.count)
      if size - looked >= DiskReserve.step {
        looked = size
        try DiskReserve.require(folder.flatMap(room))
      }
      guard note(.making(size), of: id) else { throw Removed() }
    }
    _ = try writer.run(id: id, made: host.now())
    return size
  }

  /// Answers false if it was removed meanwhile, or the server ends.
  @discardableResult
  private func note(_ state: SnapshotList.State, of id: String) -> Bool {
    guard !isEnding.withLock({ $0 }) else { return false }
    return list.withLock { list in
      list.note(state, of: id, now: host.now())
      return (try? list.use(id, now: host.now())) != nil
    }
  }

  /// - Throws: `notFound`.
  func state(of id: String) throws -> SnapshotList.State {
    expire()
    return try list.withLock { try $0.use(id, now: host.now()) }
  }

  /// The file of one that is ready.
  ///
  /// - Throws: `notFound`, or `tryAgainLater` if it is not ready or cannot be read.
  func file(of id: String) throws -> (file: DiskFile, size: Int64) {
    guard case .ready(let size) = try state(of: id), let path = path(of: id) else {
      throw BrumeError(.tryAgainLater, "the snapshot is not ready; ask for its state first")
    }
    do { return (try DiskFile.reading(path), size) } catch {
      logger.error("a snapshot cannot be read", metadata: ["error": "\(error)"])
      if !DiskFile.exists(path) { remove(id) }
      // One that went is no more found. The rest is no failure of the store: nobody else needs this file.
      _ = try state(of: id)
      throw BrumeError(
        .tryAgainLater, "the server cannot read the snapshot, its log says why; try again later")
    }
  }

  func remove(_ id: String) {
    forget(id)
    guard list.withLock({ $0.remove(id) }), let path = path(of: id) else { return }
    DiskFile.remove(path)
  }

  /// Removes those that nobody asked for in a while.
  package func expire() {
    for id in list.withLock({ $0.expire(now: host.now()) }) {
      forget(id)
      if let path = path(of: id) { DiskFile.remove(path) }
    }
  }

  /// IDs are ours, so they are names of files.
  private func path(of id: String) -> String? { folder.map { "\($0)/\(id)" } }
}
