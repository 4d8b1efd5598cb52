// Where reads and writes go. With one server of PostgreSQL there is one lane, to it. On Citus what is about buckets of one worker
// goes to that worker, over connections of its own, and everything else to the coordinator.
//
// What a worker cannot do the coordinator does: what needs tables that are not divided, or a worker that is away.

import BrumeModel
import BrumeStorage
import Logging
import Synchronization

final class Lanes: Sendable {
  /// How many threads a lane has, and what the names of those that write begin with.
  struct Threads: Sendable {
    let writers: Int
    let readers: Int
    let runID: String
    /// Whether callers' threads may wait for what they read.
    let readsOnCaller: Bool
  }
  private struct Lane: Sendable {
    let writers: Writers
    let readers: Readers
    let reachability: WorkerReachability
  }
  private struct State {
    var map: WorkerMap
    var lanes: [Worker: Lane] = [:]
    /// Of the lane to a worker that was begun last. Names of writers have it, and none may come twice.
    var lastLane = 0
    /// When the coordinator is asked for the map again.
    var mapEnd = Int64.min
    var isClosed = false
  }
  /// Ours: milliseconds after which the coordinator is asked again who has which bucket.
  private static let mapAge: Int64 = 5000
  /// Ours: milliseconds after which a coordinator that did not say is asked again.
  private static let refusal: Int64 = 300_000

  private let node: Node
  private let connector: Connector
  private let threads: Threads
  private let committed: Writers.Committed
  private let coordinator: Lane
  private let state: Mutex<State>

  init(
    _ node: Node, _ connector: Connector, _ threads: Threads, committed: @escaping Writers.Committed
  ) {
    self.node = node
    self.connector = connector
    self.threads = threads
    self.committed = committed
    coordinator = Lane(
      writers: Writers(node, connector, committed: committed), readers: Readers(node, connector),
      reachability: WorkerReachability())
    state = Mutex(State(map: WorkerMap([:], bucketCount: node.bucketCount)))
    connector.onNoneFree { [weak readers = coordinator.readers] in readers?.giveUpConnection() }
  }

  func start() throws(StoreError) { try start(coordinator, 0) }

  private func start(_ lane: Lane, _ number: Int) throws(StoreError) {
    try lane.writers.start(
      (0..<max(1, threads.writers)).map { "\(threads.runID).\(number).\($0)" })
    try lane.readers.start(max(1, threads.readers))
  }

  func close() async {
    let lanes = state.withLock { state in
      state.isClosed = true
      // Lanes to workers hand over to this object, so it must not keep them.
      defer { state.lanes = [:] }
      return Array(state.lanes.values)
    }
    // What they hand over is still served.
    for lane in lanes { await lane.writers.close() }
    await coordinator.writers.close()
    for lane in lanes + [coordinator] { lane.readers.close() }
  }
}

// MARK: Requests

extension Lanes {
  func add(_ job: WriteJob) throws(StoreError) {
    let lane = lane { $0.worker(locking: job.locks) }
    try lane.writers.add(job)
  }

  func add(_ job: ReadJob) throws(StoreError) {
    let lane = lane { $0.worker(reading: job.plan) }
    if threads.readsOnCaller, try lane.readers.runNow(job) { return }
    try lane.readers.add(job)
  }

  private func lane(_ worker: (WorkerMap) -> Worker?) -> Lane {
    let (map, lanes) = state.withLock { ($0.map, $0.lanes) }
    guard let worker = worker(map), let lane = lanes[worker],
      lane.reachability.isWorthATry(at: connector.milliseconds())
    else { return coordinator }
    return lane
  }
}

// MARK: Workers

extension Lanes {
  /// Asks the coordinator who has which bucket, if it is time to. One that does not say goes on as if it had no workers.
  ///
  /// - Throws: `ServerError` if the connection is lost.
  func learn(from connection: Connection) throws {
    let now = connector.milliseconds()
    guard connection.isOnCitus, connector.settings.canReachWorkers,
      let (known, map) = known(at: now)
    else { return }
    do { try learn(from: connection, known, map, at: now) } catch let error as ServerError {
      if error.isConnectionLost { throw error }
      state.withLock { $0.mapEnd = now + Self.refusal }
      connector.logger.warning(
        "the coordinator of Citus does not say where its workers are, so everything goes by way of it",
        metadata: ["store.error": "\(error)"])
    }
  }

  private func learn(
    from connection: Connection, _ known: Set<Worker>, _ old: WorkerMap, at now: Int64
  ) throws {
    let map = try WorkerMap.read(
      from: connection, bucketCount: node.bucketCount, knowing: known, after: old)
    for worker in map.all.subtracting(known) { begin(worker) }
    state.withLock { ($0.map, $0.mapEnd) = (map, now + Self.mapAge) }
    if map.all.isEmpty { return }
    try node.webhooks.learn(from: connection)
    try WorkerSessions.endSleepers(connection)
  }

  /// The workers that have lanes, and who had which bucket; nil: it is not time to ask.
  private func known(at now: Int64) -> (Set<Worker>, WorkerMap)? {
    state.withLock { $0.isClosed || now < $0.mapEnd ? nil : (Set($0.lanes.keys), $0.map) }
  }

  /// Without threads for it everything goes on by way of the coordinator.
  private func begin(_ worker: Worker) {
    let lane = lane(to: worker)
    state.withLock { state in
      // The opening and the tail may learn of it at the same time.
      if state.isClosed || state.lanes[worker] != nil { return }
      state.lastLane += 1
      do throws(StoreError) {
        try start(lane, state.lastLane)
        state.lanes[worker] = lane
      } catch {
        lane.writers.end()
        lane.readers.close()
        connector.logger.error(
          "no threads for a worker of Citus", metadata: ["store.worker": "\(worker.host)"])
      }
    }
  }

  private func lane(to worker: Worker) -> Lane {
    let (connector, reachability) = (connector.to(worker), WorkerReachability())
    let side = WorkerSide(coordinator: self.connector) { [self] in
      state.withLock { $0.map.shards(at: worker) }
    }
    return Lane(
      writers: Writers(node, connector, worker: side, committed: committed) {
        [self] jobs, reason in
        reachability.note(reason, at: connector.milliseconds())
        for job in jobs {
          do { try coordinator.writers.add(job) } catch { job.finish(error) }
        }
      },
      readers: Readers(node, connector) { [self] job, reason in
        reachability.note(reason, at: connector.milliseconds())
        do { try coordinator.readers.add(job) } catch { job.finish(error) }
      },
      reachability: reachability)
  }
}
