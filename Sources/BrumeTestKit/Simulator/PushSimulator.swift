// Users with devices who save, subscribe and read in any order, while the notifier crashes again and
// again: a whole run of pushes from one seed, in memory, on a clock of its own. What every device
// received is compared with what it should have received (`PushOracle`).
//
// Faults can be planted, to see that the comparison notices them.

import BrumeCore
package import BrumeModel
import BrumeNotifier
package import BrumeStorage

/// One run of one seed.
package final class PushSimulator {
  /// What is done wrong on purpose.
  package enum Fault: String, CaseIterable, Sendable {
    case `a crash forgets what waits`, `saves do not say their device`, `a crash changes the nid`,
      `devices read backwards`, `a subscription that fired once comes back`,
      `another user is subscribed`,
      `acknowledging without reading`
  }
  /// How a push becomes bytes and comes back.
  package struct Form: Sendable {
    let encode: @Sendable (Notification) -> [UInt8]
    let decode: @Sendable ([UInt8]) throws -> Notification
    package init(
      encode: @escaping @Sendable (Notification) -> [UInt8],
      decode: @escaping @Sendable ([UInt8]) throws -> Notification
    ) {
      self.encode = encode
      self.decode = decode
    }
  }
  /// What a run found.
  package struct Outcome: Sendable {
    /// Sentences; empty if all is well.
    package var failures: [String] = []
    package var changes = 0
    package var pushes = 0
    package var crashes = 0
  }

  static let containerEnvironment = ContainerEnvironment(
    ContainerID("iCloud.org.example.simulator"), .development)
  private let store: MemoryStore
  private let crashing: CrashingStore
  private let form: Form
  private let fault: Fault?
  private let clock = ManualClock(1_000_000)
  private var random: SeededRandom
  private var engine: Engine
  private var notifier: Notifier
  private var oracle = PushOracle()
  private var outcome = Outcome()
  private var logRead: Int64 = 0
  private var step = 0
  private var once: [SubscriptionKey: StoredSubscription] = [:]

  /// Runs one seed.
  ///
  /// - Throws: what the rules throw where nothing planned it.
  package static func run(
    seed: UInt64, steps: Int, fault: Fault? = nil, coders: StoreCoders, form: Form
  ) async throws -> Outcome {
    let simulator = try await PushSimulator(seed, fault, coders, form)
    try await simulator.live(steps)
    return simulator.outcome
  }

  private init(
    _ seed: UInt64, _ fault: Fault?, _ coders: StoreCoders, _ form: Form
  ) async throws {
    random = SeededRandom(seed: seed)
    store = MemoryStore(coders: coders)
    crashing = CrashingStore(store)
    (self.fault, self.form) = (fault, form)
    let host = Self.host { 1_000_000 }
    engine = try await Self.engine(store, host)
    notifier = Notifier(
      engine: engine, store: store, host: host, encode: form.encode, delivery: TestDelivery())
  }

  private static func host(_ clock: @escaping @Sendable () -> Milliseconds) -> Host {
    Host(now: clock, uuid: { "UUID" }, randomBytes: { Array(repeating: 7, count: $0) })
  }

  private static func engine(_ store: any Store, _ host: Host) async throws -> Engine {
    var limits = Limits()
    // Small enough for overflows and for fan-outs of several transactions.
    limits.mailboxRows = 12
    limits.notifierDeliveries = 3
    limits.notifierEntries = 4
    return try await Engine(store: store, limits: limits, host: host)
  }

  // MARK: A run

  private func live(_ steps: Int) async throws {
    try await restart()
    try await prepare()
    for number in 1...steps {
      step = number
      clock.advance(by: Milliseconds(random.next(below: 400)))
      switch random.next(below: 10) {
      case 0...3: try await save()
      case 4: try await subscribe()
      case 5 where random.one(in: 3): try await unsubscribe()
      case 5...7: try await notify(mayCrash: true)
      default: try await read(random.pick(PushOracle.devices), atMost: 1 + random.next(below: 5))
      }
    }
    step = steps + 1
    try await notify(mayCrash: false)
    clock.advance(by: 5_000)
    for device in PushOracle.devices { try await read(device, atMost: .max) }
    outcome.failures += oracle.failures()
  }

  /// As after the start of a process: nothing but the store is known.
  private func restart() async throws {
    let clock = clock
    let host = Self.host { clock.now }
    engine = try await Self.engine(crashing, host)
    notifier = Notifier(
      engine: engine, store: crashing, host: host, encode: form.encode, delivery: TestDelivery())
  }

  private func prepare() async throws {
    try await engine.schemas.replace(
      by: """
        DEFINE SCHEMA
        RECORD TYPE Note (
          ___recordID REFERENCE QUERYABLE, a INT64 QUERYABLE,
          GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud"
        );
        """, in: Self.containerEnvironment)
    for device in PushOracle.devices {
      try await engine.devices.register(as: caller(device))
      _ = try await engine.zones.modify(
        [ZoneOperation(.create, ZoneID(name: "Z"))], in: .private, as: caller(device))
    }
    try await follow(nil)
  }

  private func caller(_ device: DeviceKey, isNamed: Bool = true) -> Caller {
    Caller(
      in: Self.containerEnvironment, user: device.user,
      device: isNamed ? device.device : nil, kind: .user, requestID: "step \(step)")
  }

  // MARK: Clients

  private func save() async throws {
    let device = random.pick(PushOracle.devices)
    let scope: DatabaseScope = random.one(in: 2) ? .public : .private
    let draft = RecordDraft(
      name: "r\(step)", type: "Note",
      fields: ["a": DraftField(.int64(Int64(random.next(below: 3))))])
    let request = ModifyRecordsRequest(
      zone: scope == .private ? ZoneID(name: "Z") : nil,
      operations: [RecordOperation(.create, draft)])
    let isNamed = fault != .`saves do not say their device`
    _ = try await engine.records.modify(request, in: scope, as: caller(device, isNamed: isNamed))
    outcome.changes += 1
    try await follow(device)
  }

  private func subscribe() async throws {
    let device = random.pick(PushOracle.devices)
    let scope: DatabaseScope = random.one(in: 2) ? .public : .private
    let kind: Subscription.Kind
    switch random.next(below: scope == .public ? 3 : 5) {
    case 3: kind = .zone(ZoneID(name: "Z"), recordType: nil)
    case 4: kind = .database(recordType: nil)
    case let choice:
      let filter = Filter(.equals, .field("a"), .int64(Int64(random.next(below: 3))))
      kind = .query(
        Query(recordType: "Note", filters: choice == 0 ? [] : [filter]), zone: nil,
        firesOn: [.create], firesOnce: random.one(in: 3))
    }
    let info = NotificationInfo()
    let subscription = Subscription(id: "s\(random.next(below: 6))", kind: kind, info: info)
    _ = try await engine.subscriptions.modify(
      [.save(subscription)], in: scope, as: caller(device))
    if fault == .`another user is subscribed` { try await plantStranger(subscription, device) }
    try await follow(device)
  }

  private func plantStranger(_ subscription: Subscription, _ device: DeviceKey) async throws {
    let other = PushOracle.devices.first { $0.user != device.user }?.user ?? device.user
    let key = DatabaseKey(in: Self.containerEnvironment, owner: nil)
    let scope = SubscriptionScope(in: Self.containerEnvironment, scope: .public, user: other)
    guard case .query = subscription.kind else { return }
    try await store.write(in: .database(key)) { transaction in
      let origin = Origin(user: nil, device: nil, requestID: "", time: 0)
      let position = try transaction.log.append(
        .subscription(scope, id: "planted"), in: key, origin: origin)
      try transaction.subscriptions.put(
        StoredSubscription(
          scope: scope,
          subscription: Subscription(id: "planted", kind: subscription.kind, info: nil),
          starts: LogPositions(position, in: .only)))
    }
  }

  private func unsubscribe() async throws {
    let device = random.pick(PushOracle.devices)
    let scope: DatabaseScope = random.one(in: 2) ? .public : .private
    _ = try await engine.subscriptions.modify(
      [.delete(id: "s\(random.next(below: 6))")], in: scope, as: caller(device))
    try await follow(device)
  }

  /// Takes what may be delivered from the front of a mailbox, and acknowledges it, mostly.
  private func read(_ device: DeviceKey, atMost limit: Int) async throws {
    let now = clock.now
    let all = try await store.read { try $0.mailboxes.entries(of: device, after: 0, limit: 10_000) }
    var entries = Array(all.prefix { $0.time <= now }.prefix(limit))
    if fault == .`devices read backwards` { entries.reverse() }
    let skipsReading = fault == .`acknowledging without reading` && random.one(in: 4)
    for entry in entries where !skipsReading {
      oracle.delivered(try form.decode(entry.payload), entry, to: device, step: step)
      outcome.pushes += 1
    }
    guard let last = entries.map(\.position).max(), limit == .max || !random.one(in: 4) else {
      return
    }
    try await store.write(in: .all) { try $0.mailboxes.acknowledge(through: last, by: device) }
  }

  // MARK: The server

  /// Works until the log is read, or until a crash, after which a new process goes on.
  private func notify(mayCrash: Bool) async throws {
    if mayCrash {
      crashing.crash(
        afterCalls: random.next(below: 8), at: random.pick(CrashingStore.Point.allCases))
    }
    do {
      try await notifier.drain()
    } catch is CrashingStore.Crash {
      outcome.crashes += 1
      try await plantAtCrash()
    }
    crashing.crash(afterCalls: .max, at: .beforeCall)
    try await restart()
    if !mayCrash { try await notifier.drain() }
  }

  private func plantAtCrash() async throws {
    let again = once
    switch fault {
    case .`a crash forgets what waits`:
      try await store.write(in: .all) { transaction in
        let newest = try transaction.log.lastPosition(in: .only)
        try transaction.settings.set(
          .notifierCursor(.only), to: NotifierCursor(position: newest).bytes)
      }
    case .`a crash changes the nid`:
      let next = Array(String(engine.generation + 1).utf8)
      try await store.write(in: .all) { try $0.settings.set(.generation, to: next) }
    case .`a subscription that fired once comes back`:
      try await store.write(in: .all) { transaction in
        for stored in again.values { try transaction.subscriptions.put(stored) }
      }
    default: break
    }
  }

  /// Notes what the log holds of the client's deed, as the definition of firing sees it.
  private func follow(_ device: DeviceKey?) async throws {
    let after = logRead
    let (entries, subscriptions) = try await store.read { transaction in
      (
        try transaction.log.entries(in: .only, after: after, limit: 1000),
        try transaction.subscriptions.page(
          watching: .only, withShared: true, after: nil, limit: 1000
        ).subscriptions
      )
    }
    for stored in subscriptions {
      if case .query(_, _, _, firesOnce: true) = stored.subscription.kind {
        once[stored.key] = stored
      }
    }
    let wanted = subscriptions.filter { $0.subscription.id != "planted" }
    for entry in entries {
      logRead = max(logRead, entry.position)
      try oracle.happened(entry, by: device, wanted, generation: engine.generation, step: step)
    }
  }
}
