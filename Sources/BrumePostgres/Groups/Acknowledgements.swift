// What the database must have, as this process knows: the last commit of each of its writing connections whose
// answer came, and the positions of all logs as it has seen them. A database that has less was restored from a
// copy, or is a standby that had not received everything, and nothing is read or written there any more by who
// knows better. Nor by who began before another process raised the generation for it.

import BrumeModel
import BrumeStorage
import Synchronization

final class Acknowledgements: Sendable {
  /// A row that vouches for commits. On Citus a connection has one in each bucket.
  fileprivate struct Writer: Hashable {
    let name: String
    let bucket: Int64?
  }
  fileprivate struct State {
    var commits: [Writer: Int64] = [:]
    /// By the number of the bucket.
    var positions: [Int64: Int64] = [:]
    /// What all new sequences are above, in the generation of this process.
    var floor: Int64 = 0
    /// The floor of a generation that this process may be about to begin.
    var nextFloor: Int64?
    var failure: StoreError?
  }
  private let state = Mutex(State())
  private let isOrdered: Bool

  /// - Parameter isOrdered: whether positions never go back; false only where a test takes no locks.
  init(isOrdered: Bool) { self.isOrdered = isOrdered }

  /// - Parameters:
  ///   - writer: the name of a connection's row.
  ///   - bucket: where it is; nil: rows are in no bucket.
  func note(_ writer: String, _ commit: Int64, in bucket: Int64?) {
    state.withLock { $0.commits[Writer(name: writer, bucket: bucket)] = commit }
  }

  /// This process belongs to the generation whose sequences are above `floor`: it found it, or begins it.
  func note(floor: Int64) { state.withLock { ($0.floor, $0.nextFloor) = (floor, nil) } }

  /// A transaction raises it, and whoever looks at the database may see that before its commit is answered.
  func mayRaise(to floor: Int64) { state.withLock { $0.nextFloor = floor } }

  /// What the database says now: rows of `buckets`, and what all new sequences are above.
  func saw(_ buckets: Rows, floor: Int64) {
    state.withLock { state in
      if isOrdered { state.add(buckets) }
      if state.isOlder(than: floor) { state.failure = state.failure ?? Self.older }
    }
  }

  /// Asks for the positions of the logs whose databases a read looks into: who was given what another process has
  /// saved has a token of it, and the tail looks at the counters only a little later.
  func questions(_ buckets: Set<Bucket>) -> [Question] {
    buckets.map { bucket in
      Question(Self.findPosition, [.integer(bucket.number)]) { [self] rows in
        if isOrdered { state.withLock { $0.add(rows) } }
      }
    }
  }

  /// - Throws: `StoreError` with `unavailable` if what was acknowledged was found missing.
  func check() throws(StoreError) {
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }

  /// Looks for all of it. Every new connection does, before it is used. If something is missing, the database
  /// notes it as SQLite does with a file that was copied back: the next start raises the generation.
  func check(on connection: Connection) throws {
    try check()
    // Others may learn of more while this connection is asked.
    let known = state.withLock { $0 }
    try connection.send(Self.find, [.texts(Set(known.commits.keys.map(\.name)))])
    try connection.send(Self.findPositions)
    // Behind what may be missing. Workers of Citus do not have it.
    if !connection.isToWorker { try connection.send(Places.findFloor) }
    let answers = try connection.exchange()
    if answers.count > 2, let floor = answers[2].first?.integer(0),
      state.withLock({ $0.isOlder(than: floor) })
    {
      // Another process has found what is missing, and a new generation has begun for it.
      state.withLock { $0.failure = $0.failure ?? Self.older }
      throw Self.older
    }
    if known.isIn(commits: answers[0], buckets: answers[1]) { return }
    // First: after the failure nobody asks any more, and without the note the next start would not know.
    try Self.noteLoss("a process missed commits that it had acknowledged", on: connection)
    state.withLock { $0.failure = $0.failure ?? Self.lost }
    throw Self.lost
  }

  /// Asks for a new generation: the next start of a server begins it.
  ///
  /// - Parameter reason: what the log says then, if nobody has asked before.
  static func noteLoss(_ reason: String, on connection: Connection) throws {
    try connection.send(
      Self.addLoss, [.text(SettingKey.copiedBack.text), .bytes(Array(reason.utf8))])
    _ = try connection.exchange()
  }

  /// What this process knows the database to have, and what all its sequences are above. Nil: something is missing there.
  var progress: (floor: Int64, positions: [Int64: Int64])? {
    state.withLock { $0.failure == nil ? ($0.floor, $0.positions) : nil }
  }

  private static let lost = StoreError(
    .unavailable,
    "the database has lost commits that were acknowledged, as when a standby took over that was not "
      + "synchronous, or an older copy was restored")
  private static let older = StoreError(
    .unavailable,
    "another server found that the database had lost commits, and raised the generation; start this one again"
  )
  private static let find = SQL(
    "SELECT name, last_commit, NULL::bigint FROM writers WHERE name = ANY ($1::text[])",
    onCitus: "SELECT writer, last_commit, bucket FROM commits WHERE writer = ANY ($1::text[])")
  private static let findPositions = SQL("SELECT bucket, last FROM buckets")
  private static let findPosition = SQL(
    "SELECT bucket, last FROM buckets WHERE bucket = $1", each: [.integer])
  private static let addLoss = SQL(
    """
    INSERT INTO settings (bucket, name, value) VALUES (-1, $1, $2)
    ON CONFLICT (bucket, name) DO NOTHING
    """)
}

extension Acknowledgements.State {
  /// Whether another process has begun a generation whose sequences are above `floor`.
  fileprivate func isOlder(than floor: Int64) -> Bool { floor > self.floor && floor != nextFloor }

  fileprivate mutating func add(_ buckets: Rows) {
    positions.merge(buckets.map { ($0.integer(0), $0.integer(1)) }) { max($0, $1) }
  }

  /// Whether a database has all of it.
  fileprivate func isIn(commits found: Rows, buckets: Rows) -> Bool {
    let last = Dictionary(
      found.map {
        (Acknowledgements.Writer(name: $0.text(0), bucket: $0.optionalInteger(2)), $0.integer(1))
      }
    ) { $1 }
    let ends = Dictionary(buckets.map { ($0.integer(0), $0.integer(1)) }) { $1 }
    return commits.allSatisfy { last[$0.key, default: 0] >= $0.value }
      && positions.allSatisfy { ends[$0.key, default: 0] >= $0.value }
  }
}
