// One round of leasing: says that this process is there, renews what it owns, gives away what is more than its
// share, and takes what nobody has renewed. All times are the database's.

import BrumeModel
import BrumeStorage

struct LeaseRound {
  /// Ours: seconds that a lease lasts.
  static let lease = 10
  /// Ours: milliseconds between two rounds, and between two at least.
  static let interval = 2500
  static let shortestPause = 100
  /// Ours: seconds after which a process that has not said that it is there gets no share: two rounds and a
  /// little.
  static let presence = 6

  private let connection: Connection
  private let node: SQLValue
  private let bucketCount: Int
  private let files: SQLValue

  /// - Parameter files: where the process keeps files; nil: it does not matter.
  init(
    _ connection: Connection, _ node: String, bucketCount: Int, filesIn files: String? = nil
  ) {
    self.connection = connection
    self.node = .text(node)
    self.bucketCount = bucketCount
    self.files = .text(files)
  }

  struct Outcome {
    /// What this process owns after the round, with the epochs.
    var owned: [Bucket: Int64]
    /// Milliseconds that the leases have left that it had before.
    var left: [Bucket: Int64] = [:]
    /// How many processes there are.
    let nodes: Int
    /// Milliseconds until the first lease of another process lapses, unless it is renewed.
    let lapse: Int?

    /// Milliseconds until the next round. What lapses is taken as soon as it may be: its notifications wait.
    var pause: Int { min(LeaseRound.interval, max(LeaseRound.shortestPause, lapse ?? .max)) }
  }

  func run() throws(ServerError) -> Outcome {
    try connection.send(Self.sayThatWeAreHere, [node, files])
    // Before the nodes are forgotten by which sleepers are found.
    try connection.send(Self.endSleepers)
    try connection.send(Self.forgetNodes)
    try connection.send(Self.renew, [node])
    try connection.send(Self.countNodes)
    try connection.send(Self.find, [node])
    try connection.send(Self.findLapse, [node])
    let answers = try connection.exchange()
    let nodes = max(1, Int(answers[4].first?.integer(0) ?? 1))
    var owned = Self.buckets(answers[5])
    let left = Dictionary(
      uniqueKeysWithValues: answers[5].map { (Bucket(Int($0.integer(0))), $0.integer(2)) })
    let share = (bucketCount + nodes - 1) / nodes
    if owned.count > share {
      let surplus = owned.keys.sorted().suffix(owned.count - share)
      for bucket in surplus { owned[bucket] = nil }
      try giveAway(surplus)
    } else if owned.count < share {
      owned.merge(try take(share - owned.count)) { $1 }
    }
    let lapse = answers[6].first.flatMap { $0.optionalInteger(0) }.map { Int($0) }
    return Outcome(owned: owned, left: left, nodes: nodes, lapse: lapse)
  }

  /// Where another process that is there keeps files, if that is not where this one does.
  func otherPlace() throws(ServerError) -> String? {
    try connection.send(Self.findOtherPlace, [files])
    return try connection.exchange()[0].first?.text(0)
  }

  /// At the end of the process, or while it learns nothing of others: they need not wait.
  func end() throws(ServerError) {
    try connection.send(Self.giveAwayAll, [node])
    try connection.send(Self.leave, [node])
    _ = try connection.exchange()
  }

  /// How many processes are there.
  func presentNodes() throws(ServerError) -> Int {
    try connection.send(Self.countNodes)
    return Int(try connection.exchange()[0].first?.integer(0) ?? 0)
  }

  private func giveAway(_ buckets: ArraySlice<Bucket>) throws(ServerError) {
    let numbers = SQLValue.array(.integer, buckets.map { .integer($0.number) })
    try connection.send(Self.giveAway, [node, numbers])
    _ = try connection.exchange()
  }

  private func take(_ count: Int) throws(ServerError) -> [Bucket: Int64] {
    try connection.send(Self.take, [node, .integer(count)])
    return Self.buckets(try connection.exchange()[0])
  }

  private static func buckets(_ rows: Rows) -> [Bucket: Int64] {
    Dictionary(
      uniqueKeysWithValues: rows.map { (Bucket(Int($0.integer(0))), $0.integer(1)) })
  }

  // After a failover the clock may be another, and behind: what was written by the one before lies in the future then.
  private static let isPresent =
    "seen BETWEEN now() - interval '\(presence) seconds' AND now() + interval '\(presence) seconds'"
  private static let until = "now() + interval '\(lease) seconds'"
  private static let sayThatWeAreHere = SQL(
    """
    INSERT INTO nodes (name, seen, files) VALUES ($1, now(), $2)
    ON CONFLICT (name) DO UPDATE SET seen = excluded.seen
    """)
  private static let findOtherPlace = SQL(
    """
    SELECT files FROM nodes WHERE files <> $1 AND \(isPresent) LIMIT 1
    """)
  private static let forgetNodes = SQL(
    "DELETE FROM nodes WHERE seen < now() - interval '1 minute'")
  static let countNodes = SQL(
    "SELECT count(*) FROM nodes WHERE \(isPresent)")
  // A process that sleeps may have locks, and if it was sending, PostgreSQL waits for the rest without an end.
  private static let endSleepers = SQL(
    """
    SELECT pg_terminate_backend(pid) FROM pg_stat_activity JOIN nodes
      ON starts_with(application_name, '\(WriterRow.application)' || name || '.')
    WHERE usename = current_user AND seen < now() - interval '\(presence) seconds'
      AND xact_start < now() - interval '\(ConnectionSettings.longestSilence) seconds'
    """)
  // What a notifier is writing with is locked, and renewed by itself.
  private static let renew = SQL(
    """
    UPDATE notifiers SET until = \(until) WHERE bucket IN
      (SELECT bucket FROM notifiers WHERE owner = $1 FOR UPDATE SKIP LOCKED)
    """)
  // What is locked was not renewed, and how long its lease lasts is what was written before.
  private static let find = SQL(
    """
    SELECT bucket, epoch, (extract(epoch FROM until - now()) * 1000)::bigint FROM notifiers
    WHERE owner = $1
    """)
  private static let findLapse = SQL(
    """
    SELECT (extract(epoch FROM min(until) - now()) * 1000)::bigint + 1 FROM notifiers
    WHERE owner <> $1 AND until > now()
    """)
  private static let giveAway = SQL(
    """
    UPDATE notifiers SET owner = '', until = '-infinity' WHERE bucket IN
      (SELECT bucket FROM notifiers WHERE owner = $1 AND bucket = ANY ($2::bigint[])
        FOR UPDATE SKIP LOCKED)
    """)
  private static let take = SQL(
    """
    UPDATE notifiers SET owner = $1, epoch = epoch + 1, until = \(until) WHERE bucket IN
      (SELECT bucket FROM notifiers
        WHERE until < now() OR until > now() + interval '\(2 * lease) seconds' ORDER BY bucket LIMIT $2
        FOR UPDATE SKIP LOCKED)
    RETURNING bucket, epoch
    """)
  private static let giveAwayAll = SQL(
    "UPDATE notifiers SET owner = '', until = '-infinity' WHERE owner = $1")
  private static let leave = SQL("DELETE FROM nodes WHERE name = $1")
}
