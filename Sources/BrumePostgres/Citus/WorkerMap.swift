// Which worker of Citus has which bucket, as the coordinator says. An old map does no harm: a worker that no longer has a
// bucket asks the one that has.

import BrumeModel
import BrumeStorage

struct WorkerMap: Sendable {
  private let workers: [Bucket: Worker]
  private let bucketCount: Int

  /// - Parameter workers: of the buckets that are not with the coordinator.
  init(_ workers: [Bucket: Worker], bucketCount: Int) {
    (self.workers, self.bucketCount) = (workers, bucketCount)
  }

  var all: Set<Worker> { Set(workers.values) }

  /// The worker that has everything which a write locks; nil: it is for the coordinator.
  func worker(locking locks: [Locks.Lock], reading plan: ReadPlan) -> Worker? {
    if workers.isEmpty { return nil }
    // Leases are with the coordinator, and so is what belongs to no bucket.
    guard locks.allSatisfy({ $0.kind != .notifier && $0.bucket >= 0 }) else { return nil }
    return only(Set(locks.map { Bucket(Int($0.bucket)) }))
  }

  /// The worker that has everything which a plan names; nil: it is for the coordinator.
  func worker(reading plan: ReadPlan) -> Worker? {
    if workers.isEmpty { return nil }
    return only(Set(plan.reads.compactMap { $0.bucket(among: bucketCount) }))
  }

  private func only(_ buckets: Set<Bucket>) -> Worker? {
    let found = Set(buckets.map { workers[$0] })
    return found.count == 1 ? found.first ?? nil : nil
  }
}

extension WorkerMap {
  /// Asks the coordinator.
  ///
  /// - Parameter known: workers whose identity need not be asked again.
  static func read(
    from connection: Connection, bucketCount: Int, knowing known: Set<Worker>
  ) throws(ServerError) -> WorkerMap {
    guard try isDivided(connection) else { return WorkerMap([:], bucketCount: bucketCount) }
    try connection.send(find, [.integer(bucketCount)])
    var places: [Bucket: Address] = [:]
    for row in try connection.exchange()[0].map({ ($0.integer(0), $0.text(1), $0.integer(2)) }) {
      places[Bucket(Int(row.0))] = Address(row.1, row.2)
    }
    var workers = Dictionary(known.map { (Address($0.host, $0.port), $0) }) { $1 }
    if !places.values.allSatisfy({ workers[$0] != nil }) {
      for worker in try answering(connection) {
        workers[Address(worker.host, worker.port)] = worker
      }
    }
    return WorkerMap(places.compactMapValues { workers[$0] }, bucketCount: bucketCount)
  }

  private struct Address: Hashable {
    let host: String
    let port: Int64

    init(_ host: String, _ port: Int64) { (self.host, self.port) = (host, port) }
  }

  private static func isDivided(_ connection: Connection) throws(ServerError) -> Bool {
    try connection.send(isCitusThere)
    guard try connection.exchange()[0].first?.isTrue(0) == true else { return false }
    try connection.send(isBucketTableDivided)
    return try connection.exchange()[0].count > 0
  }

  /// The workers that can be asked who they are.
  private static func answering(_ connection: Connection) throws(ServerError) -> [Worker] {
    try connection.send(findIdentities)
    return try connection.exchange()[0].map {
      Worker(host: $0.text(0), port: $0.integer(1), identity: $0.text(2))
    }
  }

  private static let isCitusThere = SQL("SELECT to_regclass('pg_dist_partition') IS NOT NULL")
  private static let isBucketTableDivided = SQL(
    "SELECT 1::bigint FROM pg_dist_partition WHERE logicalrelid = 'buckets'::regclass")
  private static let find = SQL(
    """
    SELECT buckets.bucket, nodename::text, nodeport::bigint
    FROM (SELECT bucket, get_shard_id_for_distribution_column('buckets', bucket) AS shardid
        FROM generate_series(0::bigint, $1::bigint - 1) AS bucket) AS buckets
      JOIN pg_dist_placement USING (shardid) JOIN pg_dist_node USING (groupid)
    WHERE groupid <> 0 AND noderole = 'primary' AND isactive AND hasmetadata AND metadatasynced
    """)
  private static let findIdentities = SQL(
    """
    SELECT nodename::text, nodeport::bigint, result FROM run_command_on_workers(
      'SELECT system_identifier::text FROM pg_control_system()') WHERE success
    """)
}

// MARK: Where a plan reads

extension ReadPlan.Read {
  /// Nil: it is in no bucket, or in that of the other questions about the same database; users are with each worker.
  fileprivate func bucket(among count: Int) -> Bucket? {
    switch self {
    case .setting, .user: nil
    case .zone(let zone), .changes(let zone, _, _), .members(let zone):
      Bucket(of: zone.database, among: count)
    case .record(let key), .children(let key), .referrers(let key, _):
      Bucket(of: key.zone.database, among: count)
    case .lastSequence(let database), .zonesChanged(let database, _, _),
      .querySubscriptions(_, let database):
      Bucket(of: database, among: count)
    case .subscriptions(let scope), .subscription(let scope, _):
      Bucket(of: scope.logDatabase, among: count)
    case .device(let key):
      Bucket(of: key.database, among: count)
    case .devices(let user, let place), .memberships(let user, let place):
      Bucket(of: DatabaseKey(in: place, owner: user), among: count)
    case .log(let bucket, _): bucket
    }
  }
}
