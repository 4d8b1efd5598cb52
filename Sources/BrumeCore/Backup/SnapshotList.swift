// Which snapshots for backups a server keeps: how many at once, and for how long after the last call. Values only;
// who makes and removes the files carries out what is decided here.

package import BrumeModel

/// The snapshots of one server, by their IDs.
package struct SnapshotList: Sendable {
  /// How far a snapshot is.
  package enum State: Equatable, Sendable {
    /// With the bytes that are written so far.
    case making(Int64)
    /// With all bytes.
    case ready(Int64)
    /// With a sentence for the operator.
    case failed(String)
  }
  private struct Snapshot {
    var state: State
    var lastUsed: Milliseconds
  }
  private var snapshots: [String: Snapshot] = [:]
  private let most: Int
  private let lifetime: Milliseconds

  package init(_ limits: Limits) {
    most = limits.backupSnapshots
    lifetime = limits.backupSnapshotLifetime
  }

  /// Takes in one that is about to be made. The oldest that failed makes room, if there is none.
  ///
  /// - Returns: the one that made room.
  /// - Throws: `throttled` if as many are kept as may be.
  @discardableResult
  package mutating func begin(_ id: String, now: Milliseconds) throws(BrumeError) -> String? {
    let failed = snapshots.count < most ? nil : oldestFailed
    guard snapshots.count < most || failed != nil else {
      throw BrumeError(
        .throttled,
        "the server keeps \(most) snapshots for backups already; wait until one of those backups is done, "
          + "or repeat the one that was interrupted: a snapshot goes \(lifetime / 60_000) minutes after "
          + "it was asked for last")
    }
    if let failed { snapshots[failed] = nil }
    snapshots[id] = Snapshot(state: .making(0), lastUsed: now)
    return failed
  }

  private var oldestFailed: String? {
    snapshots.filter { if case .failed = $0.value.state { true } else { false } }
      .min { $0.value.lastUsed < $1.value.lastUsed }?.key
  }

  /// Takes in one that an earlier process had made.
  package mutating func adopt(_ id: String, size: Int64, now: Milliseconds) {
    snapshots[id] = Snapshot(state: .ready(size), lastUsed: now)
  }

  /// How far the making of one has come; nothing if it was removed meanwhile.
  package mutating func note(_ state: State, of id: String, now: Milliseconds) {
    guard snapshots[id] != nil else { return }
    snapshots[id] = Snapshot(state: state, lastUsed: now)
  }

  /// The state of one that somebody asks for.
  ///
  /// - Throws: `notFound`: it is none of this server's, or went.
  package mutating func use(_ id: String, now: Milliseconds) throws(BrumeError) -> State {
    guard let state = snapshots[id]?.state else {
      throw BrumeError(
        .notFound,
        "this server keeps no snapshot '\(NameRules.shown(id))': it went some time after it was asked for "
          + "last, with a restart, or another server has it")
    }
    snapshots[id]?.lastUsed = now
    return state
  }

  /// Answers whether it was there.
  package mutating func remove(_ id: String) -> Bool { snapshots.removeValue(forKey: id) != nil }

  /// Lets go of those that nobody asked for in a while, and answers their names. One that is being made stays.
  package mutating func expire(now: Milliseconds) -> [String] {
    // A clock that was ahead keeps none for longer.
    for (id, snapshot) in snapshots { snapshots[id]?.lastUsed = min(snapshot.lastUsed, now) }
    let old = snapshots.filter { _, snapshot in
      if case .making = snapshot.state { return false }
      return now - snapshot.lastUsed >= lifetime
    }
    for id in old.keys { snapshots[id] = nil }
    return old.keys.sorted()
  }
}
