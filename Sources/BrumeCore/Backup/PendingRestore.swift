// Which backup is on its way back into the running server: one at a time, checked before it may be applied, gone when
// nobody asks for it. Values only; who receives, writes and removes carries out what is decided here.

package import BrumeModel

/// The one restore of a server that is under way or waits.
package struct PendingRestore: Sendable {
  /// How far it is; nil: there is none.
  package private(set) var status: RestoreStatus?
  private var lastUsed: Milliseconds = 0
  /// Somebody receives, checks or writes, perhaps one that was thrown away meanwhile.
  private var isAtWork = false
  private let lifetime: Milliseconds

  package init(_ limits: Limits) { lifetime = limits.backupSnapshotLifetime }

  /// Takes in one that begins to arrive, in the place of one that waits or failed.
  ///
  /// - Throws: `throttled` if another is under way, or was applied.
  package mutating func begin(_ id: String, now: Milliseconds) throws(BrumeError) {
    if case .applied = status?.step { throw Self.applied }
    guard !isAtWork else {
      throw BrumeError(
        .throttled,
        "another backup is being received, checked or written; wait for it, or throw it away and try again"
      )
    }
    isAtWork = true
    status = RestoreStatus(id: id, step: .receiving(0))
    lastUsed = now
  }

  /// Nobody works on it any more.
  package mutating func rest() { isAtWork = false }

  /// The same for who has brought it to an end. Answers false if it was thrown away meanwhile: who worked on it still does
  /// then, removes what there is of it, and rests.
  package mutating func rest(from id: String) -> Bool {
    guard status?.id == id else { return false }
    isAtWork = false
    return true
  }

  /// How far it has come. Answers false if it was thrown away meanwhile.
  package mutating func note(
    _ step: RestoreStatus.Step, of id: String, now: Milliseconds
  ) -> Bool {
    guard status?.id == id else { return false }
    status?.step = step
    lastUsed = now
    return true
  }

  /// Somebody asks: what waits stays.
  package mutating func use(now: Milliseconds) -> RestoreStatus? {
    lastUsed = now
    return status
  }

  /// The one that is to be taken up, which nobody can throw away then.
  ///
  /// - Throws: `notFound` if it is not here, `tryAgainLater` if it is not ready.
  package mutating func apply(_ id: String) throws(BrumeError) -> BackupSummary {
    switch try known(id).step {
    case .ready(let summary):
      status?.step = .applied(summary)
      return summary
    case .applied: throw Self.applied
    case .failed(let reason): throw BrumeError(.badRequest, reason)
    case .receiving, .checking, .writing:
      throw BrumeError(.tryAgainLater, "the backup is not ready; ask for its state first")
    }
  }

  /// The same, when the file for the next start could not be written.
  package mutating func takeBack(_ summary: BackupSummary) { status?.step = .ready(summary) }

  /// Throws one away. Who works on it notices, and removes what there is of it. If nobody does, it answers true: the caller
  /// removes it, and rests then; until that no other begins.
  ///
  /// - Throws: `notFound` if it is not here, `throttled` if it was applied.
  package mutating func remove(_ id: String) throws(BrumeError) -> Bool {
    if case .applied = try known(id).step { throw Self.applied }
    status = nil
    defer { isAtWork = true }
    return !isAtWork
  }

  /// Lets go of one that nobody asked for in a while. Answers whether there was one: the caller removes what there is of it,
  /// and rests then.
  package mutating func expire(now: Milliseconds) -> Bool {
    // A clock that was ahead keeps it no longer.
    lastUsed = min(lastUsed, now)
    guard !isAtWork, now - lastUsed >= lifetime else { return false }
    switch status?.step {
    case .ready, .failed: break
    case nil, .receiving, .checking, .writing, .applied: return false
    }
    status = nil
    isAtWork = true
    return true
  }

  private func known(_ id: String) throws(BrumeError) -> RestoreStatus {
    guard let status, status.id == id else {
      throw BrumeError(
        .notFound,
        "no backup '\(NameRules.shown(id))' waits to be restored: it was thrown away, another came, or the "
          + "server started anew; send it again")
    }
    return status
  }

  private static let applied = BrumeError(
    .throttled, "a backup is applied; the next start of the server takes it up")
}
