// This counts what this server is used for. Each count is a few additions under a lock that nobody holds for
// longer; the file is written every few minutes and at the end.

import BrumeCore
import BrumeModel
import Logging
import Synchronization

/// The counts of this server, kept in a file of the data folder. For calls from any thread.
package final class Usage: Sendable {
  private struct State {
    var history: UsageHistory
    var uses: LastUses
    var storage: StorageHistory
    /// Something was counted since the file was written.
    var isNew = false
  }
  private static let pause = Duration.seconds(300)
  private let state: Mutex<State>
  private let now: @Sendable () -> Milliseconds
  /// Nil: nothing is kept.
  private let folder: DataFolder?

  init(keptIn folder: DataFolder?, limits: Limits, now: @escaping @Sendable () -> Milliseconds) {
    self.folder = folder
    self.now = now
    let file = folder.flatMap { DataFolder.read("\($0.path)/\(UsageFile.name)") }.flatMap {
      UsageFile($0, now: now())
    }
    state = Mutex(
      State(
        history: file?.history ?? UsageHistory(since: now()),
        uses: LastUses(capacity: limits.lastUses, times: file?.uses ?? [:]),
        storage: file?.storage ?? StorageHistory()))
  }

  // MARK: Counting

  func count(_ kind: UsageKind, _ amount: Int64 = 1) {
    guard amount > 0 else { return }
    count { $0.add(kind, amount) }
  }

  /// A request was answered.
  func request(_ facts: RequestFacts.Known, status: Int, microseconds: Int64) {
    if facts.isProbe { return }
    count { counts in
      guard !facts.isOperators else { return counts.add(.operatorRequests) }
      counts.add(.requests)
      if status == RequestLine.clientGone { return }
      if status >= 500 { counts.add(.failed) } else if status >= 400 { counts.add(.refused) }
      if facts.isTimed { counts.took(microseconds: microseconds) }
    }
  }

  /// Who called, and with which API token. Beside a signature or an operator's proof nobody has looked at it: it may be
  /// made up.
  func used(by caller: Caller, apiToken: String?) {
    let isProven = caller.kind == .anonymous || caller.kind == .user
    let token = isProven ? apiToken : nil
    let names = [caller.user.map(UsedName.user), token.map(UsedName.apiToken)].compactMap(\.self)
    guard !names.isEmpty else { return }
    let now = now()
    state.withLock { state in
      for name in names { state.uses.note(name, at: now) }
    }
  }

  /// What users store, as it was just counted; users who are gone are forgotten.
  func noteStorage(_ sizes: [UserID: StoredSize], forgetting gone: Set<UserID>) {
    let now = now()
    state.withLock { state in
      state.storage.note(sizes, forgetting: gone, at: now)
      state.isNew = true
    }
  }

  private func count(_ count: (inout UsageCounts) -> Void) {
    let now = now()
    state.withLock { state in
      state.history.count(at: now, count)
      state.isNew = true
    }
  }

  // MARK: What was counted

  func report(_ span: UsageSpan) -> UsageReport {
    let history = state.withLock { $0.history }
    return history.report(span, now: now())
  }

  func storageReport(_ span: UsageSpan) -> StorageOverTime {
    let storage = state.withLock { $0.storage }
    return storage.report(span, now: now())
  }

  /// Who stored most when it was counted last.
  var largestUsers: Set<UserID> { state.withLock { $0.storage.newest } }

  /// Everybody of whom a count is kept.
  var storedUsers: Set<UserID> { state.withLock { $0.storage }.users }

  /// When a user or a key's user called last; nil: not since this server counts.
  func lastUse(of user: UserID) -> Milliseconds? {
    state.withLock { $0.uses.times[UsedName.user(user)] }
  }

  func lastUse(ofAPIToken token: String) -> Milliseconds? {
    state.withLock { $0.uses.times[UsedName.apiToken(token)] }
  }

  // MARK: Keeping

  /// Keeps the counts every few minutes, and once more when it is cancelled.
  func keep(_ logger: Logger) async {
    while (try? await Task.sleep(for: Self.pause)) != nil { write(logger) }
    write(logger)
  }

  private func write(_ logger: Logger) {
    guard let folder else { return }
    let file = state.withLock { state -> UsageFile? in
      defer { state.isNew = false }
      guard state.isNew else { return nil }
      return UsageFile(state.history, uses: state.uses.times, storage: state.storage)
    }
    guard let file else { return }
    do { try folder.write(file.bytes, to: UsageFile.name) } catch {
      logger.warning("the counts of usage were not kept", metadata: ["error": "\(error)"])
    }
  }
}
