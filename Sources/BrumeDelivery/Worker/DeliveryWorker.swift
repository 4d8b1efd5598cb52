// The one loop that sends: ask the delivery queue, act, report back.
//
// What is to be sent lies in the store: mailboxes of devices, and the log for webhooks. Hints make it
// quick, a look through the store once a minute makes it certain. A push leaves its mailbox in the same
// transaction that notes the answer, so a crash repeats it, with the same ID, and never loses it.
// How one device is served is `DeliveryWorker+Devices.swift`, one webhook `DeliveryWorker+Webhooks.swift`.

package import BrumeCore
package import BrumeModel
package import BrumeStorage
import Synchronization

/// Sends what waits, while `run` runs. One for each server.
package final class DeliveryWorker: Sendable {
  /// Who is sent to.
  package enum Lane: Hashable, Sendable {
    case device(DeviceKey)
    case webhook(String)
  }
  /// Called with every answer, for metrics.
  package struct Report: Equatable, Sendable {
    /// How the push log calls the channel.
    package let channel: String
    package let verdict: PushLogEntry.Verdict
    /// How long the send took.
    package let time: Milliseconds
  }
  /// What metrics show.
  package struct Status: Equatable, Sendable {
    /// Devices and webhooks that have something to send or wait after a failure.
    package let lanes: Int
    /// Sends that have no answer yet.
    package let underWay: Int
  }
  private struct State {
    var queue: DeliveryQueue<Lane>
    var hints: Set<DeviceKey> = []
    var webhooksHinted = false
    /// Whether commits are of interest. Until the store was looked at, they are.
    var hasWebhooks = true
    /// The store is to be looked through: hints got lost, or something was configured.
    var scanAt: Milliseconds = .min
    var looks = 0
    var endsPauses = false
    /// The store failed under a send.
    var failure: (any Error)?
  }

  /// Ours: how many looks through the store it takes until each device without a place has had its turn.
  private static let looksPerTurn = 16

  let store: any Store
  let limits: Limits
  /// Which life of the store this is; part of the IDs of webhooks' messages.
  let generation: Int64
  let channels: [Device.Channel.Kind: any Channel]
  let webhooks: any WebhookSender
  let clock: PushClock
  let maySend: SendPermission
  let removals: DeviceRemovals
  private let chance: @Sendable () -> Double
  private let observe: @Sendable (Report) -> Void
  private let state: Mutex<State>
  /// Not part of the state, which begins anew when the store failed.
  let unnoted: Mutex<UnnotedAnswers>
  /// Of each webhook that is on, the bucket of its last call. Whoever begins anew begins with the first.
  let lastBuckets = Mutex<[String: Bucket]>([:])
  private let wakeUp = WakeUpSignal()

  /// - Parameters:
  ///   - channels: one for each kind of device that is sent to.
  ///   - maySend: asked when a push leaves; nil: the server's rules.
  ///   - chance: numbers from 0 to 1, for pauses.
  ///   - observe: called with every answer.
  package init(
    engine: Engine, store: any Store, channels: [any Channel], webhooks: any WebhookSender,
    clock: PushClock, maySend: SendPermission? = nil, chance: @escaping @Sendable () -> Double,
    observe: @escaping @Sendable (Report) -> Void = { _ in }
  ) {
    self.store = store
    limits = engine.limits
    generation = engine.generation
    removals = engine.deviceRemovals
    self.channels = Dictionary(channels.map { ($0.kind, $0) }, uniquingKeysWith: { $1 })
    self.webhooks = webhooks
    self.clock = clock
    self.maySend = maySend ?? SendPermission(engine.permission)
    self.chance = chance
    self.observe = observe
    state = Mutex(State(queue: DeliveryQueue(rules: .init(engine.limits))))
    unnoted = Mutex(UnnotedAnswers(upTo: engine.limits.deliveryLanes))
  }

  /// Where sending is now.
  package var status: Status {
    state.withLock { Status(lanes: $0.queue.laneCount, underWay: $0.queue.underWay) }
  }

  // MARK: Hints

  /// These devices may have pending entries. Cheap: whoever is not sent to is sorted out later.
  package func hint(_ devices: some Collection<DeviceKey>) {
    let bound = limits.deliveryLanes
    state.withLock { state in
      if state.hints.count + devices.count > bound {
        state.hints = []
        state.scanAt = .min
      } else {
        state.hints.formUnion(devices)
      }
    }
    wakeUp.signal()
  }

  /// The store may hold what no hint was given of.
  package func scan() {
    state.withLock { $0.scanAt = .min }
    wakeUp.signal()
  }

  /// Keys or webhooks were changed: what waited for them should not wait longer.
  package func configurationChanged() {
    state.withLock { state in
      state.scanAt = .min
      state.endsPauses = true
    }
    wakeUp.signal()
  }

  /// Sends now what waits after a failure, instead of when its pause ends.
  ///
  /// - Parameter isMeant: for whom.
  /// - Returns: to how many devices and webhooks.
  package func retry(_ isMeant: (Lane) -> Bool) -> Int {
    for channel in channels.values { channel.forgetRefusals() }
    let now = clock.now()
    let count = state.withLock { $0.queue.endPenalties(of: isMeant, now: now) }
    wakeUp.signal()
    return count
  }

  // MARK: The loop

  /// Sends until cancelled. It throws when the store fails; run again, it begins from what the store
  /// says.
  package func run() async throws {
    state.withLock { $0 = State(queue: DeliveryQueue(rules: .init(limits))) }
    let commits = store.commits()
    try await withThrowingDiscardingTaskGroup { group in
      group.addTask(operation: { await self.follow(commits) })
      while !Task.isCancelled {
        if let failure = state.withLock({ $0.failure }) { throw failure }
        try await takeHints()
        let action = begin()
        for start in action.start {
          group.addTask(operation: { await self.run(start.lane, start.attempt) })
        }
        await wait(until: action.wakeAt)
      }
      group.cancelAll()
    }
    try Task.checkCancellation()
  }

  private func follow(_ commits: CommitHints) async {
    for await _ in commits {
      let isOfInterest = state.withLock { state in
        state.webhooksHinted = state.hasWebhooks
        return state.hasWebhooks
      }
      if isOfInterest { wakeUp.signal() }
    }
  }

  private func begin() -> DeliveryQueue<Lane>.Action {
    let now = clock.now()
    return state.withLock { state in
      if state.endsPauses { state.queue.endPauses(now: now) }
      state.endsPauses = false
      var action = state.queue.next(now: now)
      if action.looksAgain { state.scanAt = .min }
      action.wakeAt = min(action.wakeAt ?? .max, state.scanAt)
      return action
    }
  }

  private func wait(until time: Milliseconds?) async {
    let (wakeUp, clock) = (wakeUp, clock)
    let time = min(time ?? .max, clock.now() + limits.deliveryScan)
    await withTaskGroup(of: Void.self) { group in
      group.addTask(operation: { await wakeUp.wait() })
      group.addTask(operation: { try? await clock.sleep(time) })
      await group.next()
      group.cancelAll()
    }
  }

  /// The loop throws what failed: the group would keep it until the loop ended by itself, and cancel
  /// all that is sent until then.
  private func run(_ lane: Lane, _ attempt: Int) async {
    do {
      try await serve(lane, attempt)
    } catch is CancellationError {
      // The run ends.
    } catch {
      state.withLock { $0.failure = $0.failure ?? error }
      wakeUp.signal()
    }
  }

  private func serve(_ lane: Lane, _ attempt: Int) async throws {
    let outcome = try await outcome(of: lane, attempt)
    let (now, jitter) = (clock.now(), chance())
    state.withLock { $0.queue.finished(lane, outcome, now: now, jitter: jitter) }
    wakeUp.signal()
  }

  private func outcome(
    of lane: Lane, _ attempt: Int
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    do {
      return switch lane {
      case .device(let key): try await sendNext(to: key, attempt)
      case .webhook(let id): try await callNext(webhook: id, attempt)
      }
    } catch is BrumeError {
      // What the store has of it is damaged, which the store has noted: the others go on.
      return .empty
    } catch let error as StoreError where error.code == .corrupt {
      // The same of a whole page, which may have been sent. It waits as after a failed send, ever longer.
      note(error, of: lane)
      return .retry(after: pause(afterDamage: attempt))
    }
  }

  private func note(_ damage: StoreError, of lane: Lane) {
    store.damagedRows?.note("what is sent", "\(lane.name): \(damage)")
  }

  /// How long a lane waits whose page is damaged: the page may be mended, though not soon.
  private func pause(afterDamage attempt: Int) -> Milliseconds {
    limits.deliveryBackoff << Int64(min(max(0, attempt - 1), 20))
  }

  /// - Parameter start: nil: it was reported before.
  func report(_ channel: String, _ verdict: PushLogEntry.Verdict, since start: Milliseconds?) {
    guard let start else { return }
    observe(Report(channel: channel, verdict: verdict, time: clock.now() - start))
  }
}

extension DeliveryWorker.Lane {
  fileprivate var name: String {
    switch self {
    case .device(let key): "device '\(key.device.name)' of \(key.user.name)"
    case .webhook(let id): "webhook \(id)"
    }
  }
}

// MARK: What there is to send

extension DeliveryWorker {
  private func takeHints() async throws {
    let now = clock.now()
    let scan = limits.deliveryScan
    let (hints, areWebhooksHinted, scans) = state.withLock { state in
      // Further away than it is ever put: the clock was set back.
      let isScanDue = state.scanAt <= now || state.scanAt > now + scan
      let taken = (state.hints, state.webhooksHinted, isScanDue)
      state.hints = []
      state.webhooksHinted = false
      if isScanDue { state.scanAt = now + scan }
      return taken
    }
    if scans { try await scanDevices() }
    if scans || areWebhooksHinted { try await offerWebhooks() }
    for some in Array(hints).pieces(of: limits.deliveryPage) {
      try await offer(hinted: Array(some))
    }
  }

  /// If a page of one is damaged each is looked up for itself, so that the others are found.
  private func offer(hinted keys: [DeviceKey]) async throws {
    do {
      let devices = try await store.read { store in
        try keys.compactMap { try store.devices.find($0) }
      }
      offer(devices)
    } catch let error as StoreError where error.code == .corrupt {
      guard keys.count > 1 else { return keys.forEach { note(error, of: .device($0)) } }
      for key in keys { try await offer(hinted: [key]) }
    }
  }

  /// Those on a damaged page are passed over: with SQLite they alone, with PostgreSQL the rest of their bucket.
  ///
  /// Those that failed would keep who is found behind them from ever being sent to. If all without a place took one they
  /// would take each other's with every look: each has its turn in one of so many looks.
  private func scanDevices() async throws {
    let number = state.withLock { state in
      state.looks += 1
      return state.looks % Self.looksPerTurn
    }
    var look = LookThrough(pagesOf: limits.deliveryPage)
    var next: PendingCursor?
    while !look.hasEnded {
      try Task.checkCancellation()
      let (cursor, place, limit) = (next, look.after, look.limit)
      do {
        let page = try await store.read { store in
          try store.devices.withPendingEntries(after: cursor, limit: limit)
        }
        store.damagedRows?.goesOn(Self.looking)
        let counts = look.read(next: page.next?.numbers.first)
        if counts, !offer(page.devices, inLook: number) { return }
        next = counts ? page.next : PendingCursor([look.after])
      } catch let error as StoreError where error.code == .corrupt {
        if look.failed() { store.damagedRows?.note("devices", "after number \(place): \(error)") }
        if look.after != place { next = PendingCursor([look.after]) }
      }
    }
    if !look.hasRead { store.damagedRows?.waits(Self.looking) }
  }

  private static let looking = "the look for pushes that nobody has been sent"

  /// They belong to no bucket: whoever has the first one calls them.
  private func offerWebhooks() async throws {
    guard store.leases.owns(.only) else { return }
    let active: [Webhook]
    do {
      active = try await store.read { try $0.webhooks.all().filter(\.isActive) }
    } catch let error as StoreError where error.code == .corrupt {
      store.damagedRows?.note("webhooks", "the list of them: \(error)")
      return
    }
    let (now, ids) = (clock.now(), Set(active.map(\.id)))
    lastBuckets.withLock { last in last = last.filter { ids.contains($0.key) } }
    state.withLock { state in
      state.hasWebhooks = !active.isEmpty
      for webhook in active {
        let peer = webhooks.peer(of: webhook)
        _ = state.queue.offer(.webhook(webhook.id), to: peer, takesPlace: true, now: now)
      }
    }
  }

  /// Answers whether there was room for all.
  ///
  /// - Parameter look: which of the looks of a turn found them; nil: hints did, and each takes the place of one that failed.
  @discardableResult
  private func offer(_ devices: [Device], inLook look: Int? = nil) -> Bool {
    let now = clock.now()
    return state.withLock { state in
      for device in devices {
        guard let channel = channels[device.channel.kind] else { continue }
        let hasTurn = look.map { $0 == abs(device.key.hashValue % Self.looksPerTurn) } ?? true
        let mayGoOn = state.queue.offer(
          .device(device.key), to: channel.peer(of: device), takesPlace: hasTurn, now: now)
        if !mayGoOn { return false }
      }
      return true
    }
  }
}
