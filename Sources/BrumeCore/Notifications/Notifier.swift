// From the log to the mailboxes: the one loop that makes notifications.
//
// It follows the store's log from a saved cursor. Everything that one step does (mailbox entries, kept
// notifications, badges, subscriptions that fired their only time, the cursor, trimming) is one
// transaction, so a crash between any two steps repeats or continues, and never loses or doubles.
// What a step decides is in the pure files beside this one; docs/internals/notifications.md tells why.

package import BrumeModel
package import BrumeStorage
import Synchronization

package final class Notifier: Sendable {
  /// What metrics show.
  package struct Status: Equatable, Sendable {
    /// Log entries that are done.
    package var position: Int64 = 0
    /// The newest log entry when the notifier last looked.
    package var newest: Int64 = 0
    /// When the oldest change was made that is not done; nil if all are.
    package var waitingSince: Milliseconds?
    /// Of the change that is being told: subscriptions that have not been served.
    package var unserved = 0
    package var subscriptions = 0
    package var notifications = 0
    package var mailboxEntries = 0
    package var overflows = 0
    /// Entries behind the log.
    package var lag: Int64 { newest - position }

    /// Entries that somebody waits for, of a log that ends at a position. A notifier that has nothing
    /// to do is not woken for each entry that nobody follows.
    package func lag(behind end: Int64) -> Int64 {
      let behind = max(0, end - position)
      return waitingSince == nil && behind <= CommitSignals.unfollowedEntries ? 0 : behind
    }
  }

  /// Devices that have something to read, some of them perhaps twice.
  package struct Woken: Sendable {
    /// They ask for it: streams, long polls.
    package var listening: [DeviceKey] = []
    /// They are sent it: APNs, Web Push.
    package var reached: [DeviceKey] = []
    var isEmpty: Bool { listening.isEmpty && reached.isEmpty }
  }
  /// An entry that was just put into a device's mailbox.
  package typealias FreshEntry = (device: DeviceKey, entry: MailboxEntry)
  private struct Progress {
    var goesOn = false
    /// To leave the store to others before going on.
    var rest = Duration.zero
  }
  private struct Ongoing: Sendable {
    let position: Int64
    let version: Int
    let matches: [SubscriptionIndex.Match]
  }

  private let engine: Engine
  private let encode: @Sendable (Notification) -> [UInt8]
  private let wake: @Sendable (Woken) -> Void
  private let handOver: @Sendable ([FreshEntry]) -> Void
  private let isHeard: @Sendable (DeviceKey) -> Bool
  private let rest: @Sendable (Duration) async throws -> Void
  /// Nil until loaded, and again after a failure: what the store says counts.
  private let cursor = Mutex<NotifierCursor?>(nil)
  /// The position in the store, which entries that concern nobody leave behind.
  private let savedPosition = Mutex<Int64>(0)
  private let index = Mutex(SubscriptionIndex())
  /// The order of a fan-out that takes several transactions, so that it is made once.
  private let ongoing = Mutex<Ongoing?>(nil)
  private let coalescer: Mutex<Coalescer>
  private let counts = Mutex(Status())

  /// - Parameters:
  ///   - encode: the push in the wire's form.
  ///   - wake: told of devices that have something to read, after it is durable.
  ///   - handOver: gets the entries themselves, after they are durable.
  ///   - isHeard: whether a device gets what is handed over at once.
  ///   - rest: waits, so that saves have the store to themselves.
  package init(
    engine: Engine, encode: @escaping @Sendable (Notification) -> [UInt8],
    wake: @escaping @Sendable (Woken) -> Void,
    handOver: @escaping @Sendable ([FreshEntry]) -> Void = { _ in },
    isHeard: @escaping @Sendable (DeviceKey) -> Bool = { _ in true },
    rest: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) {
    self.engine = engine
    self.rest = rest
    self.handOver = handOver
    self.isHeard = isHeard
    self.encode = encode
    self.wake = wake
    coalescer = Mutex(Self.freshCoalescer(engine.limits))
  }

  package var status: Status { counts.withLock { $0 } }
  /// Matches kept between the transactions of a fan-out.
  var heldMatches: Int { ongoing.withLock { $0?.matches.count ?? 0 } }
  /// Devices and subscriptions whose last push is remembered for merging.
  var rememberedKeys: Int { coalescer.withLock { $0.rememberedKeys } }

  /// Follows the log until cancelled. Throws when the store fails: then nothing is certain any more,
  /// and the process should end and start again.
  package func run() async throws {
    // Listening comes before looking, so that no commit falls between the two.
    let commits = engine.store.commits()
    try await drain()
    for await _ in commits { try await drain() }
  }

  /// Works until the log is read to its end.
  package func drain() async throws {
    while case let progress = try await advance(), progress.goesOn {
      try Task.checkCancellation()
      if progress.rest > .zero { try await rest(progress.rest) }
    }
  }

  /// Does one transaction's worth of work. Answers whether there may be more. Only one caller at a
  /// time.
  @discardableResult
  package func step() async throws -> Bool { try await advance().goesOn }

  private func advance() async throws -> Progress {
    do {
      let start = try await loaded()
      let batch = try await read(start)
      guard let oldest = batch.entries.first?.origin.time else { return Progress() }
      follow(batch.subscriptions)
      let jobs = try matched(batch)
      let passed = pass(jobs, from: start)
      let pace = Pace(
        isAmidFanOut: start.served != nil, othersWrite: batch.othersWrote,
        waiting: engine.host.now() - oldest, engine.limits)
      let outcome = if let passed { passed } else { try await serve(jobs, from: start, pace) }
      cursor.withLock { $0 = outcome.cursor }
      finish(outcome)
      return Progress(
        goesOn: outcome.cursor.position < batch.newest,
        rest: pace.rest(unserved: outcome.unserved, engine.limits))
    } catch {
      forget()
      throw error
    }
  }
}

// MARK: Reading

extension Notifier {
  /// Log entries, and the present state of subscriptions that they name.
  struct Batch: Sendable {
    var entries: [LogEntry] = []
    var subscriptions: [SubscriptionKey: StoredSubscription?] = [:]
    /// What `self CONTAINS` looks at.
    var searchable = SearchableFields()
    var newest: Int64 = 0
    /// The log has grown since the notifier last looked.
    var othersWrote = false
  }

  private func loaded() async throws -> NotifierCursor {
    if let known = cursor.withLock({ $0 }) { return known }
    let (saved, index) = try await engine.store.read { transaction in
      let saved = try transaction.setting(.notifierCursor).flatMap { NotifierCursor($0) }
      return (saved ?? NotifierCursor(position: 0), try Self.index(from: transaction))
    }
    self.index.withLock { $0 = index }
    cursor.withLock { $0 = saved }
    savedPosition.withLock { $0 = saved.position }
    counts.withLock {
      $0.position = saved.position
      $0.subscriptions = index.count
    }
    return saved
  }

  private static func index(from transaction: any ReadTransaction) throws -> SubscriptionIndex {
    var index = SubscriptionIndex()
    var next: Int64?
    repeat {
      let page = try transaction.allSubscriptions(after: next, limit: 1000)
      for subscription in page.subscriptions { index.put(subscription) }
      next = page.next
    } while next != nil
    return index
  }

  private func read(_ start: NotifierCursor) async throws -> Batch {
    let (position, schemas) = (start.position, engine.schemas)
    // In the middle of a large fan-out only its own entry is of interest.
    let limit = start.served == nil ? engine.limits.notifierEntries : 1
    let bytes = engine.limits.notifierBytes
    var batch = try await engine.store.read { transaction in
      var batch = Batch()
      batch.entries = try transaction.log(after: position, limit: limit, imageBytes: bytes)
      batch.newest = try transaction.lastLogPosition()
      for entry in batch.entries {
        switch entry.event {
        case .subscription(let scope, let id):
          let key = SubscriptionKey(scope: scope, id: id)
          batch.subscriptions[key] = .some(try transaction.subscription(id, in: scope))
        case .record(let change):
          try batch.searchable.learn(change.recordType, entry.database, schemas, transaction)
        case .zoneCreated, .zoneDeleted, .membership: break
        }
      }
      return batch
    }
    let (newest, oldest) = (batch.newest, batch.entries.first?.origin.time)
    batch.othersWrote = counts.withLock { counts in
      defer { counts.newest = max(counts.newest, newest) }
      counts.waitingSince = oldest
      return newest > counts.newest
    }
    return batch
  }

  /// Births keep a subscription from firing for entries before its own, so the index may run ahead
  /// of the entries.
  private func follow(_ subscriptions: [SubscriptionKey: StoredSubscription?]) {
    index.withLock { index in
      for (key, stored) in subscriptions {
        if let stored { index.put(stored) } else { index.remove(key) }
      }
    }
  }
}

// MARK: Serving

extension Notifier {
  /// Passes entries that concern nobody without writing: a save that nobody watches costs one
  /// commit, not two. After a crash they are read again and again concern nobody, because what was
  /// subscribed since is younger. Nil if there is something to do, or much to save.
  private func pass(_ jobs: [FanOut.Job], from start: NotifierCursor) -> FanOut.Outcome? {
    guard let last = jobs.last?.entry.position, start.served == nil,
      last - savedPosition.withLock({ $0 }) < Int64(engine.limits.notifierUnsavedEntries),
      jobs.allSatisfy({ concernsNobody($0) })
    else { return nil }
    return FanOut.Outcome(cursor: NotifierCursor(position: last))
  }

  private func concernsNobody(_ job: FanOut.Job) -> Bool {
    if !job.matches.isEmpty { return false }
    switch job.entry.event {
    case .record(let change):
      return change.coveringShares.isEmpty || !index.withLock({ $0.hasSharedDatabases })
    case .zoneDeleted, .membership: return !index.withLock { $0.hasSharedDatabases }
    case .zoneCreated, .subscription: return true
    }
  }

  private func serve(
    _ jobs: [FanOut.Job], from start: NotifierCursor, _ pace: Pace
  ) async throws -> FanOut.Outcome {
    let now = engine.host.now()
    let (engine, encode) = (engine, encode)
    // After a loss of power it is done again, from the cursor that it would have moved.
    let outcome = try await engine.store.writeRepeatable { transaction in
      var fanOut = FanOut(
        transaction: transaction, engine: engine, encode: encode, now: now, cursor: start,
        pace: pace, coalescer: { change in self.coalescer.withLock { change(&$0) } },
        isHeard: self.isHeard,
        matches: FanOut.Matches(
          ordered: { self.ordered($0, sharedWith: $1) },
          key: { match in self.index.withLock { $0.key(of: match) } }))
      for job in jobs {
        guard try fanOut.serve(job) else { break }
      }
      return try fanOut.finish()
    }
    savedPosition.withLock { $0 = outcome.cursor.position }
    return outcome
  }

  private func ordered(
    _ job: FanOut.Job, sharedWith users: Set<UserID>
  ) -> [SubscriptionIndex.Match] {
    let position = job.entry.position
    let (matches, version) = index.withLock { index in
      let known = ongoing.withLock { $0 }
      if let known, known.position == position, known.version == index.version {
        return (known.matches, index.version)
      }
      var found = job.matches
      if !users.isEmpty { found.append(index.matches(job.entry, sharedWith: users)) }
      return (index.ordered(found), index.version)
    }
    ongoing.withLock {
      $0 = matches.count > 1 ? Ongoing(position: position, version: version, matches: matches) : nil
    }
    return matches
  }

  /// Finds what fires in the changed databases themselves; who may see a shared zone is asked later,
  /// when it is sent.
  private func matched(_ batch: Batch) throws -> [FanOut.Job] {
    try batch.entries.map { entry in
      let image = try image(of: entry)
      let searchable = batch.searchable.names(image?.type, entry.database)
      let matches = index.withLock { index in
        index.matches(entry, image: image) { searchable.contains($0) }
      }
      return FanOut.Job(entry: entry, image: image, matches: matches)
    }
  }

  private func image(of entry: LogEntry) throws -> Record? {
    guard case .record(let change) = entry.event,
      index.withLock({ $0.needsImage(of: change, in: entry.database) })
    else { return nil }
    return try change.image?.record()
  }

  private func finish(_ outcome: FanOut.Outcome) {
    let left = index.withLock { index in
      for key in outcome.spent { index.remove(key) }
      return index.count
    }
    counts.withLock {
      $0.position = outcome.cursor.position
      if outcome.cursor.position >= $0.newest { $0.waitingSince = nil }
      $0.unserved = outcome.unserved
      $0.subscriptions = left
      $0.notifications += outcome.notifications
      $0.mailboxEntries += outcome.mailboxEntries
      $0.overflows += outcome.overflows
    }
    if outcome.cursor.served == nil { ongoing.withLock { $0 = nil } }
    if !outcome.fresh.isEmpty { handOver(outcome.fresh) }
    if !outcome.woken.isEmpty { wake(outcome.woken) }
  }

  private func forget() {
    cursor.withLock { $0 = nil }
    ongoing.withLock { $0 = nil }
    coalescer.withLock { $0 = Self.freshCoalescer(engine.limits) }
  }

  private static func freshCoalescer(_ limits: Limits) -> Coalescer {
    Coalescer(window: limits.coalescingWindow, capacity: limits.coalescedKeys)
  }
}
