// Which worker of Citus has which bucket, as the coordinator says. An old map does no harm: a worker that no longer has a
// bucket asks the one that has.

import BrumeModel
import BrumeStorage

struct WorkerMap: Sendable {
  private let workers: [Bucket: Worker]
  private let bucketCount: Int
  private let shards: [Worker: [Int64: Shard]]

  /// - Parameters:
  ///   - workers: of the buckets that are not with the coordinator.
  ///   - shards: by the bucket, those that workers have alone.
  init(_ workers: [Bucket: Worker], bucketCount: Int, shards: [Worker: [Int64: Shard]] = [:]) {
    (self.workers, self.bucketCount, self.shards) = (workers, bucketCount, shards)
  }

  var all: Set<Worker> { Set(workers.values) }

  /// By the bucket.
  func shards(at worker: Worker) -> [Int64: Shard] { shards[worker] ?? [:] }

  /// The worker that has everything which a write locks; nil: it is for the coordinator.
  func worker(locking locks: [Locks.Lock]) -> Worker? {
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
  /// - Parameters:
  ///   - known: workers whose identity need not be asked again.
  ///   - old: as it was before; its shards stay.
  static func read(
    from connection: Connection, bucketCount: Int, knowing known: Set<Worker>, after old: WorkerMap
  ) throws(ServerError) -> WorkerMap {
    guard try isDivided(connection) else { return WorkerMap([:], bucketCount: bucketCount) }
    let places = try places(connection, bucketCount)
    var workers = Dictionary(known.map { (Address($0.host, $0.port), $0) }) { $1 }
    if !places.allSatisfy({ workers[$0.address] != nil }) {
      for worker in try answering(connection) {
        workers[Address(worker.host, worker.port)] = worker
      }
    }
    let numbers = Set(places.compactMap(\.shard))
    let known = Dictionary(old.shards.values.flatMap(\.values).map { ($0.number, $0) }) { $1 }
    let shards = try Shard.read(numbers, from: connection, knowing: known)
    return WorkerMap(places, workers, shards, bucketCount)
  }

  private init(
    _ places: [Place], _ workers: [Address: Worker], _ shards: [Int64: Shard], _ bucketCount: Int
  ) {
    var found: (workers: [Bucket: Worker], shards: [Worker: [Int64: Shard]]) = ([:], [:])
    for place in places {
      guard let worker = workers[place.address] else { continue }
      found.workers[Bucket(Int(place.bucket))] = worker
      if let shard = place.shard.flatMap({ shards[$0] }) {
        found.shards[worker, default: [:]][place.bucket] = shard
      }
    }
    self.init(found.workers, bucketCount: bucketCount, shards: found.shards)
  }

  private struct Place {
    let bucket: Int64
    let address: Address
    /// Nil: others have copies of it.
    let shard: Int64?
  }

  private static func places(
    _ connection: Connection, _ bucketCount: Int
  ) throws(ServerError) -> [Place] {
    try connection.send(find, [.integer(bucketCount)])
    return try connection.exchange()[0].map {
      Place(
        bucket: $0.integer(0), address: Address($0.text(1), $0.integer(2)),
        shard: $0.optionalInteger(3))
    }
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
    SELECT buckets.bucket, nodename::text, nodeport::bigint,
      CASE count(*) OVER (PARTITION BY buckets.bucket) WHEN 1 THEN shardid END
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
