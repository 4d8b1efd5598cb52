// A backup comes back into the server that runs: it is received into a file, checked whole, and written as a store of
// its own beside the live one, with as much in memory as one piece. When its operator says so, the server ends and the
// next start takes it up (`RestoreFolder.swift`). Which steps follow on which is decided by BrumeCore's `PendingRestore`.

import BrumeCore
import BrumeModel
import BrumeStorage
import Logging
import Synchronization

/// Receives a backup, checks it and writes it beside the live store. One for each server.
package final class RestoreInPlace: Sendable {
  private let pending: Mutex<PendingRestore>
  private let settings: Settings
  private let host: Host
  private let logger: Logger
  private let place: RestoreFolder?
  private let restart: Restart
  /// What this start has taken up.
  private let restored: BackupSummary?
  private enum Order: Sendable {
    /// One that arrived whole: no more is taken while it waits.
    case make(String)
    /// One is wanted.
    case restart
  }
  private let orders: AsyncStream<Order>
  private let order: AsyncStream<Order>.Continuation
  private let isEnding = Mutex(false)

  private struct Removed: Error {}

  /// - Parameter folder: nil: there is no data folder, as in tests.
  init(
    _ settings: Settings, in folder: DataFolder?, restored: BackupSummary?, restart: Restart,
    host: Host, logger: Logger
  ) {
    pending = Mutex(PendingRestore(settings.limits))
    self.settings = settings
    self.restart = restart
    self.restored = restored
    self.host = host
    self.logger = logger
    place = folder.map { RestoreFolder(in: $0.path) }
    (orders, order) = AsyncStream.makeStream()
    // What an earlier process had not finished.
    try? place?.clear()
  }

  func report() -> RestoreReport {
    expire()
    return RestoreReport(
      obstacle: obstacle, restarts: restart.isAllowed,
      status: pending.withLock { $0.use(now: host.now()) }, restored: restored)
  }

  /// Why this server cannot be restored in place.
  private var obstacle: String? {
    if let obstacle = RestoreObstacle.of(settings) { return obstacle }
    guard let place else { return "this server has no data folder" }
    return place.obstacle
  }

  private func usable() throws -> RestoreFolder {
    guard let place, obstacle == nil else { throw BrumeError(.badRequest, obstacle ?? "") }
    return place
  }

  // MARK: Receiving

  /// Receives a backup and has it checked and written.
  func receive(_ body: inout IncomingBody) async throws {
    let place = try usable()
    let id = host.uuid()
    try pending.withLock { try $0.begin(id, now: host.now()) }
    do {
      try place.begin()
      let file = try DiskFile.appending(place.upload)
      try await receive(&body, id, file, place)
      try body.requireEnd()
      try Self.requireWhole(file)
    } catch {
      leave(id, place)
      if error is Removed { throw Self.removed }
      throw Self.refusal(error)
    }
    guard note(.checking(0, of: body.received), of: id) else {
      leave(id, place)
      throw Self.removed
    }
    order.yield(.make(id))
  }

  /// One that did not arrive leaves nothing.
  private func leave(_ id: String, _ place: RestoreFolder) {
    try? place.clear()
    pending.withLock { pending in
      _ = try? pending.remove(id)
      pending.rest()
    }
  }

  private func receive(
    _ body: inout IncomingBody, _ id: String, _ file: DiskFile, _ place: RestoreFolder
  ) async throws {
    var known: Int64 = 0
    try Self.requireRoom(body.announced ?? 0, place)
    while let piece = try await body.next() {
      try file.append(piece)
      guard note(.receiving(body.received), of: id) else { throw Removed() }
      guard body.received - known >= DiskReserve.step else { continue }
      known = body.received
      // What came has to fit once more, as a store.
      try Self.requireRoom(known, place)
    }
  }

  private static func requireRoom(_ bytes: Int64, _ place: RestoreFolder) throws {
    guard let room = place.room, room - DiskReserve.bytes < bytes else { return }
    throw BrumeError(
      .quotaExceeded,
      "the server's disk has \(room >> 20) MB left, which is too little to write this backup beside the live "
        + "data; make room, or restore into another folder with 'brume restore'")
  }

  /// A first look, so that a wrong file is refused at once.
  private static func requireWhole(_ file: DiskFile) throws {
    let header = try BackupCheck.header { try file.bytes(at: $0, count: $1) }
    guard let base = header.base else { return }
    throw BrumeError(
      .badRequest,
      "this backup continues '\(base.file)', and only a whole one can be sent to a running server; bring both into one "
        + "folder and use 'brume restore', into an empty data folder")
  }

  /// In words for the operator who sent it.
  private static func refusal(_ error: any Error) -> any Error {
    switch error {
    case let error as StoreError where error.code == .noRoom:
      BrumeError(.quotaExceeded, "the server's disk is full: \(error.description)")
    case let error as StoreError: BrumeError(.badRequest, error.description)
    case let error as DataFolderError: BrumeError(.tryAgainLater, error.description)
    default: error
    }
  }

  private static let removed = BrumeError(
    .tryAgainLater, "the backup was thrown away, or the server ends; send it again")

  // MARK: Checking and writing

  /// Checks and writes those that arrived, and begins the start that takes one up, until it is cancelled.
  func run() async {
    await withTaskCancellationHandler {
      for await order in orders {
        switch order {
        case .make(let id): await make(id)
        case .restart: begin()
        }
      }
    } onCancel: {
      isEnding.withLock { $0 = true }
    }
  }

  private func make(_ id: String) async {
    guard let place else { return }
    var inner = settings
    inner.dataFolder = place.staged
    inner.marksFolder = nil
    defer { rest(from: id, place) }
    do {
      let restore = StoreRestore(into: inner, host: host, logger: logger) { [self] progress in
        guard note(Self.step(progress), of: id) else { throw Removed() }
        try DiskReserve.require(place.room)
      }
      let report = try await restore.run(place.upload, isNamed: false)
      place.dropUpload()
      guard note(.ready(try report.summary()), of: id) else { throw Removed() }
      logger.info("a backup waits to be applied", metadata: ["backup.rows": "\(report.rows)"])
    } catch {
      try? place.clear()
      if error is Removed { return }
      _ = note(.failed(Self.reason(error)), of: id)
      logger.warning("a backup is not restored", metadata: ["error": "\(error)"])
    }
  }

  /// What was thrown away at the last moment leaves nothing.
  private func rest(from id: String, _ place: RestoreFolder) {
    if pending.withLock({ $0.rest(from: id) }) { return }
    try? place.clear()
    pending.withLock { $0.rest() }
  }

  private static func step(_ progress: StoreRestore.Progress) -> RestoreStatus.Step {
    switch progress {
    case .verified(let bytes, let all): .checking(bytes, of: all)
    case .rows(let rows): .writing(rows: Int64(rows.rows), bytes: 0)
    case .assets(let bytes, _): .writing(rows: 0, bytes: bytes)
    }
  }

  /// For operators elsewhere: where this machine has its files is in the log alone.
  private static func reason(_ error: any Error) -> String {
    switch error {
    case let error as StoreError where [.corrupt, .tooNew].contains(error.code): error.description
    case let error as StoreError where error.code == .noRoom:
      "the server's disk is full; make room and send the backup again"
    default: "the server could not write the backup beside its data; its log says why"
    }
  }

  /// Answers false if it was thrown away meanwhile, or the server ends.
  private func note(_ step: RestoreStatus.Step, of id: String) -> Bool {
    guard !isEnding.withLock({ $0 }) else { return false }
    return pending.withLock { $0.note(step, of: id, now: host.now()) }
  }

  // MARK: The operator's word

  /// Has the next start take a backup up, and begins that start if that is possible.
  func apply(_ id: String, for act: Audit.Act) throws {
    let place = try usable()
    let summary = try pending.withLock { try $0.apply(id) }
    do {
      try place.want(
        RestoreNote(
          backup: summary, operatorName: act.operatorName, address: act.address,
          requestID: act.requestID))
    } catch {
      pending.withLock { $0.takeBack(summary) }
      logger.error("a restore cannot be noted", metadata: ["error": "\(error)"])
      throw BrumeError(
        .tryAgainLater,
        "the server's disk did not take the note that this backup is wanted, so nothing has changed; its log says why. "
          + "Mend that and apply it again")
    }
    order.yield(.restart)
  }

  /// Removes what goes anyway while requests are answered: else the next start does it before it opens anything.
  private func begin() {
    place?.dropReplaced()
    restart.ask()
  }

  func remove(_ id: String) throws {
    guard try pending.withLock({ try $0.remove(id) }) else { return }
    defer { pending.withLock { $0.rest() } }
    do { try place?.clear() } catch { throw Self.refusal(error) }
  }

  /// Removes one that nobody asked for in a while.
  func expire() {
    guard pending.withLock({ $0.expire(now: host.now()) }) else { return }
    defer { pending.withLock { $0.rest() } }
    do { try place?.clear() } catch {
      logger.warning(
        "a backup that nobody applied cannot be removed", metadata: ["error": "\(error)"])
    }
  }
}

extension BackupReport {
  fileprivate func summary() throws -> BackupSummary {
    guard let header else { throw StoreError(.corrupt, "the backup has no beginning") }
    return BackupSummary(
      id: header.id, made: header.made, rows: rows, assets: count.assets, bytes: count.bytes,
      missing: count.missing)
  }
}
