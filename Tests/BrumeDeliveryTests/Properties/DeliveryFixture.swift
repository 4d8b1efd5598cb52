// The whole path of a push in memory, from a save to what a device reads: the real rules, notifier,
// stream, courier and worker, without HTTP. Time stands still, every step is made by hand, and the
// server crashes where a test wants it.
//
// Faults can be planted, to see that a property's check notices them.

import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Crypto

@testable import BrumeCore
@testable import BrumeDelivery
@testable import BrumePush

final class DeliveryFixture {
  /// What is done wrong on purpose.
  enum Fault: Sendable {
    /// The notifier saves its cursor before it puts anything into a mailbox.
    case cursorFirst
    /// A push leaves its mailbox before it was delivered.
    case removedFirst
    /// Mailboxes are read from the end.
    case backwards
    /// Nobody asks for the permission when a push leaves.
    case rightsForgotten
    /// Signing out leaves addresses as they are, and streams do not ask for a session.
    case signOutForgotten
    /// A save does not say which device made it.
    case originForgotten
    /// A push gets its ID when it is sent, another one in each run of the server.
    case newIDs
  }
  /// A change of a record, as it stands in the log.
  struct Change: Equatable, Sendable {
    let nid: String
    let name: String
    let position: Int64
  }
  private struct Receiver {
    let pushChannel: PushChannel
    let key: DeviceKey
    let session: String
    var position: Int64 = 0
    var received: [ReceivedPush] = []
  }

  static let container = ContainerID("iCloud.org.example.lab")
  static let containerEnvironment = ContainerEnvironment(container, .development)
  static let zone = ZoneID(name: "Notes")
  private static let serverKey = Array(P256.Signing.PrivateKey().rawRepresentation)
  private static let sender = APNsSender(
    container: container, topic: "org.example.lab", team: "TEAM", keyID: "KEY",
    privateKey: P256.Signing.PrivateKey().pemRepresentation)
  let clock = ManualClock()
  let ends = OtherEnds()
  let memory = MemoryStore(coders: .wireForms)
  let store: CrashingStore
  let fault: Fault?
  let limits: Limits
  private(set) var alice = UserID("")
  private(set) var bob = UserID("")
  private(set) var engine: Engine
  private(set) var notifier: Notifier
  private(set) var worker: DeliveryWorker
  private(set) var changes: [Change] = []
  private var inFlight = InFlightEntries(capacity: 100)
  private var receivers: [String: Receiver] = [:]
  private var logRead: Int64 = 0
  private var webhook = ""
  private var restarts = 0

  init(_ fault: Fault? = nil, limits: Limits = Limits()) async throws {
    (self.fault, self.limits) = (fault, limits)
    store = CrashingStore(memory)
    let parts = try await Self.started(store, limits, clock, ends, fault)
    (engine, notifier, worker) = parts
    alice = try await engine.accounts.create(name: "alice").id
    bob = try await engine.accounts.create(name: "bob").id
    try await engine.schemas.replace(by: Self.schema(), in: Self.containerEnvironment)
    for user in [alice, bob] {
      _ = try await engine.zones.modify(
        [ZoneOperation(.create, Self.zone)], in: .private, as: caller(user, nil))
    }
    try await notifier.drain()
    try await follow()
    changes = []
  }

  /// - Parameter readers: who may read reports beside those who made them.
  static func schema(readers: String = "GRANT READ TO reader,") -> String {
    """
    DEFINE SCHEMA
    CREATE ROLE reader;
    RECORD TYPE Note (
      ___recordID REFERENCE QUERYABLE, title STRING QUERYABLE, priority INT64 QUERYABLE,
      tags LIST<STRING>, data BYTES, secret ENCRYPTED STRING,
      GRANT READ TO "_world", GRANT CREATE TO "_icloud", GRANT WRITE TO "_icloud"
    );
    RECORD TYPE Report (
      ___recordID REFERENCE QUERYABLE, title STRING QUERYABLE,
      \(readers) GRANT READ, WRITE TO "_creator", GRANT CREATE TO "_icloud"
    );
    """
  }

  // MARK: The server

  /// As after the start of a process: nothing but the store is known.
  func restart() async throws {
    restarts += 1
    await Task.yield()
    (engine, notifier, worker) = try await Self.started(store, limits, clock, ends, fault)
    inFlight = InFlightEntries(capacity: 100)
  }

  private static func started(
    _ store: CrashingStore, _ limits: Limits, _ clock: ManualClock, _ ends: OtherEnds,
    _ fault: Fault?
  ) async throws -> (Engine, Notifier, DeliveryWorker) {
    let chance = Mutexed<UInt8>(0)
    let names = Mutexed(0)
    let host = Host(
      now: { clock.now },
      uuid: {
        names.value += 1
        return "UUID\(names.value)"
      },
      randomBytes: { count in
        chance.value &+= 1
        let first = chance.value
        return (0..<count).map { first ^ UInt8(truncatingIfNeeded: $0) }
      })
    let engine = try await Engine(store: store, limits: limits, host: host)
    let notifier = Notifier(
      engine: engine, store: store, host: host, encode: PushPayload.encode, delivery: TestDelivery()
    )
    let outside = OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] }
    let apns = APNsChannel(
      hosts: .init(), concurrency: 5, limits: limits,
      senders: { _ in [sender] }, exchange: { try ends.take($0, by: .apns) })
    let webPush = WebPushChannel(
      vapid: try VAPID(key: serverKey, contact: "mailto:a@example.org"),
      concurrency: 5, limits: limits, outside: outside,
      randomBytes: { count in (0..<count).map { _ in UInt8.random(in: 0...255) } },
      exchange: { try ends.take($0, by: .webPush) })
    let webhooks = WebhookChannel(
      concurrency: 1, outside: outside, exchange: { try ends.take($0, by: .webhook) })
    let worker = DeliveryWorker(
      engine: engine, store: store, channels: [apns, webPush], webhooks: webhooks,
      clock: clock.push, maySend: fault == .rightsForgotten ? .always : nil, chance: { 1 })
    return (engine, notifier, worker)
  }

  /// The notifier's turn, until it has read the log.
  func notify() async throws {
    if fault == .cursorFirst {
      try await store.write(in: .all) { store in
        let newest = NotifierCursor(position: try store.log.lastPosition(in: .only))
        try store.settings.set(.notifierCursor(.only), to: newest.bytes)
      }
    }
    try await notifier.drain()
  }

  // MARK: Clients

  func caller(_ user: UserID, _ device: String?, _ request: String = "request") -> Caller {
    Caller(
      in: Self.containerEnvironment, user: user,
      device: device.map { DeviceID($0) }, kind: .user, requestID: request)
  }

  func key(_ device: String, of user: UserID) -> DeviceKey {
    DeviceKey(in: Self.containerEnvironment, user: user, device: DeviceID(device))
  }

  /// A device of a user, who is signed in there from now on; for a webhook, a server that wants
  /// everything from now on.
  func register(
    _ name: String, _ pushChannel: PushChannel, of user: UserID? = nil, as device: String? = nil
  ) async throws {
    let key = key(device ?? name, of: user ?? alice)
    let session = try await engine.webAuthTokens.issue(
      for: key.user, in: Self.containerEnvironment, keep: true)
    receivers[name] = Receiver(
      pushChannel: pushChannel, key: key, session: session,
      received: receivers[name]?.received ?? [])
    let channel: Device.Channel
    switch pushChannel {
    case .stream: channel = .stream
    case .poll: channel = .courier(token: name)
    case .apns: channel = .apns(token: name, environment: .production, topic: nil)
    case .webPush:
      let browser = Array(ends.browser.publicKey.x963Representation)
      channel = .webPush(
        WebPushTarget(endpoint: "https://push.example/\(name)", key: browser, secret: ends.secret))
    case .webhook:
      webhook = try await engine.webhooks.add(
        url: "https://hook.example/\(name)", in: Self.containerEnvironment
      ).id
      return
    }
    let device = Device(key: key, channel: channel, registered: clock.now)
    try await memory.write(in: .all) { try $0.devices.put(device) }
  }

  func signOut(_ user: UserID) async throws {
    let devices = try await memory.read { try $0.devices.all(of: user) }
    try await engine.accounts.signOutEverywhere(user)
    guard fault == .signOutForgotten else { return }
    try await memory.write(in: .all) { store in
      for device in devices { try store.devices.put(device) }
    }
  }

  func subscribe(
    _ id: String, _ kind: Subscription.Kind, in scope: DatabaseScope = .private,
    info: NotificationInfo?, by user: UserID? = nil
  ) async throws {
    let results = try await engine.subscriptions.modify(
      [.save(Subscription(id: id, kind: kind, info: info))], in: scope,
      as: caller(user ?? alice, nil))
    guard case .success? = results.first else { throw Unexpected("not subscribed: \(results)") }
  }

  /// Saves a record, once: a repetition after a crash finds it there.
  func save(
    _ name: String, _ title: String = "", type: String = "Note", in scope: DatabaseScope = .private,
    by device: String? = "laptop", of user: UserID? = nil
  ) async throws {
    let user = user ?? alice
    let draft = RecordDraft(
      name: name, type: type, fields: ["title": DraftField(.string(title))])
    let request = ModifyRecordsRequest(
      zone: scope == .private ? Self.zone : nil, operations: [RecordOperation(.create, draft)])
    let origin = fault == .originForgotten ? nil : device
    let results = try await engine.records.modify(
      request, in: scope, as: caller(user, origin, "save \(name)"))
    guard case .success? = results.first else { throw Unexpected("not saved: \(results)") }
    try await follow()
  }

  func delete(_ name: String, in scope: DatabaseScope, of user: UserID) async throws {
    let request = ModifyRecordsRequest(
      zone: scope == .private ? Self.zone : nil,
      operations: [RecordOperation(.forceDelete, RecordDraft(name: name))])
    _ = try await engine.records.modify(request, in: scope, as: caller(user, "laptop"))
    try await follow()
  }

  /// Notes what the log holds.
  func follow() async throws {
    let after = logRead
    for entry in try await memory.read({
      try $0.log.entries(in: .only, after: after, limit: 10_000)
    }) {
      logRead = max(logRead, entry.position)
      guard case .record(let change) = entry.event else { continue }
      let nid = NotificationID.text(generation: engine.generation, entry: entry)
      changes.append(Change(nid: nid, name: change.record.name, position: entry.position))
    }
  }

  // MARK: Devices

  /// What the notifications kept for Alice name, as she may fetch them.
  func keptNames() async throws -> [String] {
    let page = try await engine.notifications.kept(
      token: nil, limit: nil, as: caller(alice, "phone"), decode: PushPayload.decode)
    return try page.items.map { try ReceivedPush(push: $0.payload).name }
  }

  /// What arrived at a device, in the order in which it did.
  func received(_ name: String) -> [ReceivedPush] {
    guard let receiver = receivers[name] else { return [] }
    return receiver.received + ends.received(at: name)
  }

  /// A device's program, or the worker's part for it: takes everything that may be delivered.
  func receive(_ name: String) async throws {
    guard let receiver = receivers[name] else { return }
    // Nothing here waits for anything: others that run beside this test get their turn.
    await Task.yield()
    switch (fault, receiver.pushChannel) {
    case (_, .webhook):
      while try await worker.callNext(webhook: webhook, 1) == .delivered {}
    case (.removedFirst, _): try await takeAndForget(name, receiver.key)
    case (.backwards, _): try await takeBackwards(name, receiver.key)
    case (_, .stream): try await readStream(name, receiver)
    case (_, .poll): try await poll(name)
    case (_, .apns), (_, .webPush):
      while try await worker.sendNext(to: receiver.key, 1) == .delivered {}
    }
  }

  private var permission: SendPermission {
    fault == .rightsForgotten ? .always : SendPermission(engine.permission)
  }

  private func readStream(_ name: String, _ receiver: Receiver) async throws {
    if fault != .signOutForgotten,
      try await !engine.webAuthTokens.isSignedIn(by: receiver.session, with: nil)
    {
      return
    }
    let stream = EventStream(
      store: store, signals: MailboxSignals(), device: receiver.key, limits: limits,
      clock: clock.push,
      maySend: permission)
    var position = receiver.position
    while true {
      try await stream.acknowledge(through: position)
      let entries = try await stream.entries(after: position).entries
      guard let last = entries.last else { return }
      for entry in entries { try note(entry.payload, at: name) }
      position = last.position
      // It forgets how far it came if the server crashes before the acknowledgement.
      try await stream.acknowledge(through: position)
      receivers[name]?.position = position
    }
  }

  private func poll(_ token: String) async throws {
    let courier = Courier(
      store: store, signals: MailboxSignals(), inFlight: inFlight, limits: limits,
      clock: clock.push,
      maySend: permission)
    do {
      while let answer = try await courier.next(token: token, waiting: .zero) {
        try note(answer.payload, at: token)
      }
    } catch let error as BrumeError where error.code == .authenticationFailed {
      // The session ended: so does the poll.
    }
  }

  private func note(_ payload: [UInt8], at name: String) throws {
    var push = try ReceivedPush(push: payload)
    if fault == .newIDs { push.nid += " in life \(restarts)" }
    receivers[name]?.received.append(push)
  }

  private func takeAndForget(_ name: String, _ key: DeviceKey) async throws {
    while let entry = try await store.read({
      try $0.mailboxes.entries(of: key, after: 0, limit: 1).first
    }) {
      try await store.write(in: .all) { try $0.mailboxes.remove(at: entry.position, of: key) }
      try note(entry.payload, at: name)
    }
  }

  private func takeBackwards(_ name: String, _ key: DeviceKey) async throws {
    let entries = try await store.read { try $0.mailboxes.entries(of: key, after: 0, limit: 100) }
    for entry in entries.reversed() {
      try note(entry.payload, at: name)
    }
    try await store.write(in: .all) { try $0.mailboxes.acknowledge(through: .max, by: key) }
  }
}

struct Unexpected: Error {
  let what: String
  init(_ what: String) { self.what = what }
}

extension NotificationInfo {
  static func alert(_ text: String = "Something happened") -> NotificationInfo {
    var info = NotificationInfo()
    info.alert.literal = text
    return info
  }
  static var silent: NotificationInfo {
    var info = NotificationInfo()
    info.shouldSendContentAvailable = true
    return info
  }
}

extension Subscription.Kind {
  /// Creations of records of a type.
  /// - Parameter more: what else it fires on, so that several of one type are not the same.
  static func created(
    _ type: String = "Note", or more: Set<Subscription.Event> = [], once: Bool = false
  ) -> Self {
    .query(Query(recordType: type), zone: nil, firesOn: more.union([.create]), firesOnce: once)
  }
}

extension DeliveryFixture {
  /// Saves records from another device, all at the same time.
  func saveAtOnce(_ names: [String]) async throws {
    let (engine, caller) = (engine, caller(alice, "laptop", "saves"))
    try await withThrowingTaskGroup(of: Void.self) { group in
      for name in names {
        group.addTask {
          let draft = RecordDraft(
            name: name, type: "Note", fields: ["title": DraftField(.string("t"))])
          let request = ModifyRecordsRequest(
            zone: Self.zone, operations: [RecordOperation(.create, draft)])
          let results = try await engine.records.modify(request, in: .private, as: caller)
          guard case .success? = results.first else { throw Unexpected("not saved: \(results)") }
        }
      }
      try await group.waitForAll()
    }
    try await follow()
  }

  /// What a server that mixes up databases would do: the last change, in another user's.
  func logAgain(in user: UserID) async throws {
    let last = try await memory.read { try $0.log.entries(in: .only, after: 0, limit: 1000).last }
    guard let last, case .record(let change) = last.event else { return }
    let database = DatabaseKey(in: Self.containerEnvironment, owner: user)
    let moved = RecordChange(
      record: RecordKey(
        zone: ZoneKey(database: database, name: change.record.zone.name), name: change.record.name),
      recordType: change.recordType, kind: change.kind, image: change.image)
    try await memory.write(in: .all) { store in
      try store.log.append(.record(moved), in: database, origin: last.origin)
    }
  }
}
