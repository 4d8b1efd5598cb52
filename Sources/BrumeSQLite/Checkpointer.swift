// The checkpointer copies the write-ahead log into the database beside the writer, so that no save waits for
// thousands of pages or for the disk to take them. It has a connection and a thread of its own. What was appended
// meanwhile is left to the writer, which is little, and only the writer can let the log begin anew. After a copy that
// failed nothing is copied any more and the writer ends, so that the next start has the whole log (`LogCopy`).
//
// When to do what is `CheckpointPlan`, a value; durability does not depend on any of it.

import BrumeStorage
import Dispatch
import GRDBSQLite
import Synchronization

/// Decides when the log is copied, and by whom.
struct CheckpointPlan: Equatable {
  /// Pages in the log before it is copied: 16 MB. Larger than SQLite's 1000, because each copy costs
  /// two more syncs.
  static let pages = 4000
  /// Ours: with a log this long the writer copies it itself, whatever it costs: 64 MB.
  static let mostPages = 16_000

  enum Action: Equatable { case nothing, copyBeside, copyHere }
  private enum State: Equatable { case idle, copying, copied, failed }
  private var state = State.idle

  /// A commit left this many pages in the log.
  mutating func committed(pages: Int) -> Action {
    if state == .failed { return .nothing }
    if pages >= Self.mostPages || state == .copied {
      if state != .copying { state = .idle }
      return .copyHere
    }
    guard state == .idle, pages >= Self.pages else { return .nothing }
    state = .copying
    return .copyBeside
  }

  /// The thread beside has copied what was there when it began.
  mutating func copiedBeside() { if state != .failed { state = .copied } }

  /// A copy failed, here or beside: there is none any more.
  mutating func failed() { state = .failed }

  var isCopying: Bool { state == .copying }
}

final class Checkpointer: Sendable {
  private struct State {
    var plan = CheckpointPlan()
    /// How many wait until the thread has copied.
    var waiters = 0
  }

  private let path: String
  private let state = Mutex(State())
  private let wake = DispatchSemaphore(value: 0)
  private let copied = DispatchSemaphore(value: 0)
  private let ended = DispatchSemaphore(value: 0)
  private let isEnding = Mutex(false)

  /// - Parameter path: the database file.
  init(path: String) { self.path = path }

  /// Starts the thread. Without one the writer copies.
  ///
  /// - Parameter copied: called on the thread with what became of each copy.
  func start(_ copied: @escaping @Sendable (LogCopy) -> Void) -> Bool {
    EngineThread.start { [self] in run(copied) }
  }

  /// A copy failed that the writer has made.
  func failed() { state.withLock { $0.plan.failed() } }

  /// After a commit. Answers whether the writer has to copy now.
  func committed(pages: Int) -> Bool {
    switch state.withLock({ $0.plan.committed(pages: pages) }) {
    case .nothing: return false
    case .copyHere: return true
    case .copyBeside:
      wake.signal()
      return false
    }
  }

  /// For work that can wait: whatever it writes while the log is copied, the writer has to copy. Answers after that, and
  /// whether there was something to wait for.
  func waitForCopy() -> Bool {
    let mustWait = state.withLock { state in
      if state.plan.isCopying { state.waiters += 1 }
      return state.plan.isCopying
    }
    if mustWait { copied.wait() }
    return mustWait
  }

  /// Waits for the thread, the first time. To be called before the store's own connections are
  /// closed.
  func close() {
    let wasEnding = isEnding.withLock { isEnding in
      defer { isEnding = true }
      return isEnding
    }
    if wasEnding { return }
    wake.signal()
    ended.wait()
  }

  private func run(_ report: (LogCopy) -> Void) {
    defer { ended.signal() }
    var handle: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let opened = sqlite3_open_v2(path, &handle, flags, nil) == SQLITE_OK
    defer { sqlite3_close(handle) }
    if opened { sqlite3_exec(handle, "PRAGMA synchronous = FULL", nil, nil, nil) }
    while true {
      wake.wait()
      if isEnding.withLock({ $0 }) { return }
      let copy = opened ? Self.copy(handle) : .done
      let waiters = ended(copy)
      report(copy)
      for _ in 0..<waiters { copied.signal() }
    }
  }

  /// Answers how many have waited for it.
  private func ended(_ copy: LogCopy) -> Int {
    state.withLock { state in
      if case .failed = copy { state.plan.failed() } else { state.plan.copiedBeside() }
      defer { state.waiters = 0 }
      return state.waiters
    }
  }

  private static func copy(_ handle: OpaquePointer?) -> LogCopy {
    let copy = LogCopy(
      code: sqlite3_wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil))
    guard copy == .done else { return copy }
    // SQLite leaves that to the last copy when pages came meanwhile, and the writer would wait for the disk to take all.
    var file: UnsafeMutablePointer<sqlite3_file>?
    sqlite3_file_control(handle, nil, SQLITE_FCNTL_FILE_POINTER, &file)
    guard let file else { return copy }
    let code = file.pointee.pMethods?.pointee.xSync?(file, SQLITE_SYNC_NORMAL)
    return LogCopy(code: code ?? SQLITE_OK)
  }
}
