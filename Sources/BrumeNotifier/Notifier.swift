// From the log to the mailboxes: the one loop that makes notifications.
//
// It follows the store's log from a saved cursor. Everything that one step does (mailbox entries, kept
// notifications, badges, subscriptions that fired their only time, the cursor, trimming) is one
// transaction, so a crash between any two steps repeats or continues, and never loses or doubles.
//
// A step has three parts: `read` gets entries of the log, `NotifierState` finds what matches, and
// `FanOut` writes, as a transaction that gets values and returns values, so that an engine may run it
// twice. What is decided is in the pure files beside this one; docs/internals/notifications.md says why.

package import BrumeCore
package import BrumeModel
package import BrumeStorage

/// Makes the notifications of one bucket. `Notifiers` says when.
package actor Notifier {
  private struct Progress {
    var goesOn = false
    /// To leave the store to others before going on.
    var pause = Duration.zero
  }

  /// A store that could not be reached is not asked at once again.
  static let pauseAfterLoss = Duration.seconds(1)

  /// Whose log it follows.
  package nonisolated let bucket: Bucket
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let rules: FanOut.Rules
  /// Changes and deliveries that the history keeps of this bucket.
  private let historyRows: Int
  private let delivery: any EntryDelivery
  private let pause: @Sendable (Duration) async throws -> Void
  private var state: NotifierState
  private var caution = Caution()
  /// Whether nothing of the bucket can be done because of damage.
  private var isWaiting = false
  /// The lease under which `state` was read; nil: somebody else had the bucket when it was looked at last.
  private var epoch: Int64?
  /// Where the last entries were from.
  private var containerEnvironments: Set<ContainerEnvironment> = []
  /// How far it has come.
  package private(set) var status = NotifierStatus()

  /// - Parameters:
  ///   - engine: the rules of who may read what.
  ///   - encode: the push in the wire's form.
  ///   - delivery: gets the new entries of mailboxes, after they are durable.
  ///   - pause: waits, so that saves have the store to themselves.
  package init(
    of bucket: Bucket = .only, engine: Engine, store: any Store, host: Host,
    encode: @escaping @Sendable (Notification) -> [UInt8], delivery: any EntryDelivery,
    pause: @escaping @Sendable (Duration) async throws -> Void = { _ in }
  ) {
    self.bucket = bucket
    self.store = store
    limits = engine.limits
    self.host = host
    rules = FanOut.Rules(
      permission: engine.permission, generation: engine.generation, limits: engine.limits,
      encode: encode)
    self.delivery = delivery
    self.pause = pause
    historyRows = max(1, engine.limits.historyRows / store.bucketCount)
    state = NotifierState(engine.limits, historyRows: historyRows)
    epoch = store.leases.epoch(of: bucket)
  }

  /// Matches kept between the transactions of a fan-out.
  var heldMatches: Int { state.heldMatches }
  /// Devices and subscriptions whose last push is remembered for merging.
  var rememberedKeys: Int { state.coalescers.rememberedKeys }

  /// Works whenever the log has grown, until cancelled. Hints come straight to this actor: each change of
  /// actors on the way would be a change of threads, which an idle device waits for.
  func follow(_ commits: CommitHints) async throws {
    try await catchUp()
    for await _ in commits { try await catchUp() }
  }

  /// Tries again for as long as the store cannot be reached.
  private func catchUp() async throws {
    while true {
      do {
        _ = try await drainIfOwned()
        return
      } catch let error as StoreError where error.code == .notOwned {
        return
      } catch let error as StoreError where error.code == .unreachable {
        try await pause(Self.pauseAfterLoss)
      }
    }
  }

  /// Works until the log is read to its end, if this process owns the bucket, or for so many steps. Answers whether
  /// something is left.
  func drainIfOwned(steps: Int = .max) async throws -> Bool {
    let now = store.leases.epoch(of: bucket)
    // Somebody else serves the bucket, or did meanwhile: what is known here is old.
    if now != epoch { forget() }
    epoch = now
    guard now != nil else {
      note(isWaiting: false)
      return false
    }
    return try await drain(steps: steps)
  }

  /// Works until the log is read to its end.
  ///
  /// - Throws: what the store throws; `CancellationError` between two transactions. The next call goes on
  ///   from the saved cursor.
  package func drain() async throws { _ = try await drain(steps: .max) }

  private func drain(steps: Int) async throws -> Bool {
    for _ in 0..<steps {
      let progress = try await advance()
      guard progress.goesOn else { return false }
      try Task.checkCancellation()
      if progress.pause > .zero { try await pause(progress.pause) }
    }
    return true
  }

  /// Does one transaction's worth of work. Answers whether there may be more. Only one caller at a
  /// time.
  ///
  /// - Throws: what the store throws; then nothing of the step was done, and what is remembered is read anew.
  @discardableResult
  package func step() async throws -> Bool { try await advance().goesOn }

  /// Damage ends it only if all is tried without which something could be done.
  private func advance() async throws -> Progress {
    do {
      let progress = try await attempt()
      note(isWaiting: false)
      return progress
    } catch {
      // What the store says counts.
      forget()
      guard error.saysDamage else { throw error }
      note(isWaiting: true)
      throw (error as? BrumeError).map { StoreError(.corrupt, $0.reason) } ?? error
    }
  }

  private func note(isWaiting: Bool) {
    guard isWaiting != self.isWaiting else { return }
    self.isWaiting = isWaiting
    let work = store.bucketCount == 1 ? "all pushes" : "the pushes of bucket \(bucket)"
    if isWaiting { store.damagedRows?.waits(work) } else { store.damagedRows?.goesOn(work) }
  }

  private func attempt() async throws -> Progress {
    while true {
      if state.cursor == nil { try await load() }
      guard let start = state.cursor else { return Progress() }
      let batch = try await read(start)
      let othersWrote = status.looked(at: batch)
      guard let oldest = batch.entries.first?.origin.time else { return Progress() }
      state.follow(batch)
      let pace = Pace(
        isAmidFanOut: start.served != nil, othersWrite: othersWrote,
        waiting: host.now() - oldest, limits)
      let jobs = try state.jobs(of: batch, from: start, room: caution.room(pace.deliveries))
      guard let outcome = try await self.outcome(of: jobs, from: start, pace) else { continue }
      finish(outcome, from: start)
      return Progress(
        goesOn: outcome.cursor.position < batch.newest,
        pause: pace.pause(unserved: outcome.unserved, limits))
    }
  }

  /// Nil: it met damage, and is to be tried with less.
  private func outcome(
    of jobs: [FanOut.Job], from start: NotifierCursor, _ pace: Pace
  ) async throws -> FanOut.Outcome? {
    if let skipped = state.skipped(jobs, from: start) { return skipped }
    caution.begins(with: jobs.lazy.compactMap(\.first).first)
    do {
      let outcome = try await serve(jobs, from: start, pace)
      caution.succeeded()
      return outcome
    } catch let error where error.saysDamage {
      let count = jobs.reduce(0) { $0 + $1.targets.count }
      guard caution.metDamage(serving: count) else { throw error }
      if caution.passesOverFirst, let key = caution.first?.target.key {
        store.damagedRows?.note(
          "what pushes are made of", "subscription '\(key.id)' of \(key.scope.user.name)")
      }
      return nil
    }
  }

  private func forget() {
    state = NotifierState(limits, historyRows: historyRows)
    caution.forget()
  }

  private func load() async throws {
    let (saved, index, lastDelivery) = try await NotifierStart(of: bucket, in: store).read()
    state.load(index, saved, lastDelivery: lastDelivery)
    status.position = saved.position
    status.subscriptions = index.count
  }

  private func read(_ start: NotifierCursor) async throws -> LogBatch {
    // In the middle of a large fan-out only its own entry is of interest, whose matches may be held.
    let isAmidFanOut = start.served != nil
    let limit = isAmidFanOut ? 1 : limits.notifierEntries
    let needsReaders = !(isAmidFanOut && state.heldMatches > 0)
    let batch = try await readAroundDamage(start, limit, needsReaders)
    containerEnvironments = Set(batch.entries.map(\.database.containerEnvironment))
    return batch
  }

  /// If a page is damaged the next entry alone, and if one is of what that names, then without that.
  private func readAroundDamage(
    _ start: NotifierCursor, _ limit: Int, _ needsReaders: Bool
  ) async throws -> LogBatch {
    do {
      return try await read(start, limit, needsReaders)
    } catch let error as StoreError where error.code == .corrupt {
      if limit > 1 { return try await readAroundDamage(start, 1, needsReaders) }
      let batch = try await read(start, 1, needsReaders, isBare: true)
      let position = batch.entries.first?.position ?? start.position
      store.damagedRows?.note("what pushes are made of", "bucket \(bucket), position \(position)")
      return batch
    }
  }

  private func read(
    _ start: NotifierCursor, _ limit: Int, _ needsReaders: Bool, isBare: Bool = false
  ) async throws -> LogBatch {
    let (bucket, schemas, bytes) = (bucket, rules.permission.schemas, limits.notifierBytes)
    let hasSubscriptions = state.subscriptionCount > 0
    return try await store.read(reads(after: start.position, isBare: isBare)) { transaction in
      try LogBatch(
        bucket, after: start.position, limit: limit, imageBytes: bytes,
        hasSubscriptions: hasSubscriptions, needsReaders: needsReaders, isBare: isBare, schemas,
        transaction)
    }
  }

  /// What a batch asks for in any case; of schemas those that it is likely to need.
  private func reads(after position: Int64, isBare: Bool) -> ReadPlan {
    let schemas = state.subscriptionCount > 0 && !isBare ? containerEnvironments : []
    return ReadPlan { [bucket] in
      Set(schemas.map { .setting(.schema($0)) }).union([.log(bucket, after: position)])
    }
  }

  private func serve(
    _ jobs: [FanOut.Job], from start: NotifierCursor, _ pace: Pace
  ) async throws -> FanOut.Outcome {
    let scopes = jobs.flatMap { $0.targets.map(\.key.scope) }
    let users = Set(scopes.map(\.user))
    let accounts = Set(scopes.map { WriteScope.Part.account($0.user, $0.containerEnvironment) })
    let now = host.now()
    let input = FanOut.Input(
      bucket: bucket, jobs: jobs, cursor: start, now: now,
      wasSetBack: host.hasShown(laterThan: now),
      pace: pace, caution: caution,
      coalescers: state.coalescers.part(of: users),
      connected: delivery.connectedDevices(of: users),
      othersConnect: store.sharedMailboxes != nil && store.leases.processes > 1,
      history: state.historyPlace(now))
    let rules = rules
    // What is planned is read before anything can be passed over.
    let asked = jobs.flatMap(\.targets).dropFirst(caution.passesOverFirst ? 1 : 0)
    // After a loss of power it is done again, from the cursor that it would have moved.
    return try await store.writeRepeatable(
      in: .notifier(bucket, epoch: epoch ?? -1, notifying: accounts), reading: Self.reads(asked)
    ) {
      transaction in
      var fanOut = FanOut(input, rules, transaction)
      return try fanOut.run()
    }
  }

  /// What a fan-out asks for of each subscription that it serves.
  private static func reads(_ targets: ArraySlice<FanOut.Target>) -> ReadPlan {
    ReadPlan {
      targets.reduce(into: Set<ReadPlan.Read>()) { reads, target in
        let scope = target.key.scope
        reads.insert(.subscription(scope, id: target.key.id))
        reads.insert(.devices(scope.user, scope.containerEnvironment))
      }
    }
  }

  private func finish(_ outcome: FanOut.Outcome, from start: NotifierCursor) {
    precondition(outcome.cursor.position >= start.position, "the notifier's cursor never goes back")
    state.served(outcome, now: host.now())
    status.served(outcome, subscriptions: state.subscriptionCount)
    if !outcome.new.entries.isEmpty { delivery.deliver(outcome.new) }
  }
}
