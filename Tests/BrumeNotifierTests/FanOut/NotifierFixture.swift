// A server's notification path without HTTP: a memory store, the rules, a notifier that is stepped by
// hand, and a clock that stands still.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization

@testable import BrumeCore
@testable import BrumeNotifier

extension StoreCoders {
  /// The wire's forms, as the server stores them.
  static let wireForms = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try Wire.subscription($0) })
}

final class HandClock: Sendable {
  private let time = Mutex<Milliseconds>(1_000_000)
  private let count = Mutex<Int>(0)
  var now: Milliseconds { time.withLock { $0 } }
  func advance(_ by: Milliseconds) { time.withLock { $0 += by } }
  func next() -> Int {
    count.withLock {
      $0 += 1
      return $0
    }
  }
  var host: Host {
    Host(
      now: { self.now }, uuid: { "UUID-\(self.next())" },
      randomBytes: { count in
        let seed = UInt8(truncatingIfNeeded: self.next())
        return (0..<count).map { UInt8(truncatingIfNeeded: $0) ^ seed }
      })
  }
}

/// A store whose writes fail on demand: before anything is kept, or after everything is; and reads, on a damaged page.
final class FlakyStore: WrappingStore {
  enum Fault { case beforeCommit, afterCommit, damage }
  struct Failure: Error {}
  let inner: any Store
  let damagedRows: DamagedRows? = DamagedRows()
  private let faults = Mutex<[Fault?]>([])
  private let damagedReads = Mutex<[Bool]>([])
  private let damagedPlans = Mutex<Set<ReadPlan.Read>>([])
  private let overtaker = Mutex<(@Sendable () async throws -> Void)?>(nil)
  private let awaited: Flag

  /// A flag that the store's transactions look at.
  private final class Flag: Sendable {
    let isSet = Mutex(false)
  }

  init() {
    let awaited = Flag()
    self.awaited = awaited
    inner = MemoryStore(coders: .wireForms, runsTwice: true) { awaited.isSet.withLock { $0 } }
  }

  /// Whether somebody waits for each write from now on.
  func setAwaited(_ isAwaited: Bool) { awaited.isSet.withLock { $0 = isAwaited } }

  /// Something else happens before the next write.
  func overtake(by something: @escaping @Sendable () async throws -> Void) {
    overtaker.withLock { $0 = something }
  }

  /// What becomes of the next writes.
  func plan(_ next: [Fault?]) { faults.withLock { $0 = next } }

  /// Which of the next reads meet damage.
  func planReads(_ next: [Bool]) { damagedReads.withLock { $0 = next } }

  /// What is damaged from now on wherever a plan names it, as in an engine that reads it before the body runs.
  func damage(_ reads: Set<ReadPlan.Read>) { damagedPlans.withLock { $0 = reads } }

  private func ask(_ plan: ReadPlan) throws {
    if damagedPlans.withLock({ !$0.isDisjoint(with: plan.reads) }) { throw Self.damage }
  }

  func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    if damagedReads.withLock({ $0.isEmpty ? false : $0.removeFirst() }) { throw Self.damage }
    try ask(plan)
    return try await inner.read(plan, body)
  }

  private static let damage = StoreError(.corrupt, "invalid page in block 0")

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let overtaker = overtaker.withLock { overtaker in
      defer { overtaker = nil }
      return overtaker
    }
    try await overtaker?()
    let fault = faults.withLock { $0.isEmpty ? nil : $0.removeFirst() }
    if fault == .damage { throw Self.damage }
    try ask(plan)
    let value = try await inner.write(in: scope, reading: plan) { transaction in
      let value = try body(transaction)
      if fault == .beforeCommit { throw Failure() }
      return value
    }
    if fault == .afterCommit { throw Failure() }
    return value
  }

  /// Who has the bucket, as a store says that several processes share.
  final class TestLeases: Leases {
    private let present = Mutex<Int64?>(AlwaysOwned.epoch)
    func epoch(of bucket: Bucket) -> Int64? { present.withLock { $0 } }
    let processes = 1
    func set(_ epoch: Int64?) { present.withLock { $0 = epoch } }
  }
  let testLeases = TestLeases()
  var leases: any Leases { testLeases }
}

struct NotifierFixture {
  let clock = HandClock()
  let store = FlakyStore()
  let engine: Engine
  let notifier: Notifier
  let pendingDevices = PendingDevices()
  let delivery: TestDelivery

  final class PendingDevices: Sendable {
    private let devices = Mutex<[String]>([])
    func add(_ keys: Set<DeviceKey>) {
      devices.withLock { $0 += keys.map(\.device.name).sorted() }
    }
    func take() -> [String] {
      devices.withLock { names in
        defer { names = [] }
        return names
      }
    }
  }

  init(_ change: (inout Limits) -> Void = { _ in }) async throws {
    var limits = Limits()
    change(&limits)
    engine = try await Engine(store: store, limits: limits, host: clock.host)
    delivery = TestDelivery { [pendingDevices] in pendingDevices.add(Set($0.fetching + $0.pushed)) }
    notifier = Notifier(
      engine: engine, store: store, host: clock.host, encode: PushPayload.encode, delivery: delivery
    )
    try await engine.schemas.replace(
      by: """
        DEFINE SCHEMA
        RECORD TYPE Note (
          ___recordID REFERENCE QUERYABLE,
          title STRING QUERYABLE SEARCHABLE SORTABLE,
          priority INT64 QUERYABLE,
          tags LIST<STRING> QUERYABLE,
          data BYTES,
          hidden STRING,
          secret ENCRYPTED STRING,
          GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_creator"
        );
        RECORD TYPE Diary (
          ___recordID REFERENCE QUERYABLE,
          title STRING QUERYABLE,
          GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
        );
        """, in: development)
  }

  /// As after a restart: nothing but the store is known.
  func restarted() -> Notifier {
    Notifier(
      engine: engine, store: store, host: clock.host, encode: PushPayload.encode, delivery: delivery
    )
  }

  // MARK: Doing

  func caller(
    _ user: UserID, _ device: String? = nil, environment: Environment = .development
  ) -> Caller {
    Caller(
      in: ContainerEnvironment(container, environment), user: user,
      device: device.map { DeviceID($0) }, kind: .user, requestID: "request")
  }

  /// Registers devices, which are connected from then on.
  func register(_ user: UserID, _ devices: String...) async throws {
    for name in devices {
      try await engine.devices.register(as: caller(user, name))
      delivery.connect(device(name, of: user))
    }
  }

  @discardableResult
  func subscribe(
    _ user: UserID, _ id: String, _ kind: Subscription.Kind, in scope: DatabaseScope = .private,
    info: NotificationInfo? = silent()
  ) async throws -> SubscriptionResult {
    let subscription = Subscription(id: id, kind: kind, info: info)
    let results = try await engine.subscriptions.modify(
      [.save(subscription)], in: scope, as: caller(user))
    return results[0]
  }

  func zone(_ name: String, of user: UserID) async throws -> ZoneKey {
    let key = BrumeNotifierTests.zone(name, of: user)
    try await store.write(in: .database(key.database)) { transaction in
      try transaction.zones.put(Zone(key: key, incarnation: 1, lastSequence: 1))
    }
    return key
  }

  /// Puts a change into the log as a save would.
  func log(
    _ kind: RecordChange.Kind, _ name: String, _ fields: [String: FieldValue] = [:],
    type: String = "Note", in zone: ZoneKey, by user: UserID? = nil, on device: String? = nil,
    shares: [String] = []
  ) async throws {
    var record = record(name, type, in: zone, fields)
    record.created = user.map { Stamp(time: 1, user: $0, device: "d") }
    let made = change(kind, record, in: zone, shares: shares)
    let from = origin(user, device)
    try await store.write(in: .database(zone.database)) { transaction in
      try transaction.log.append(made.event, in: zone.database, origin: from)
    }
  }

  // MARK: Looking

  func entries(_ device: DeviceKey) async throws -> [MailboxEntry] {
    try await store.read { try $0.mailboxes.entries(of: device, after: 0, limit: 10_000) }
  }

  func mailbox(_ user: UserID, _ name: String) async throws -> [Notification] {
    try await entries(device(name, of: user)).map { try PushPayload.decode($0.payload) }
  }

  /// The subscription IDs in a mailbox, in order.
  func pending(_ user: UserID, _ name: String) async throws -> [String] {
    try await entries(device(name, of: user)).map(\.subscriptionID)
  }
}
