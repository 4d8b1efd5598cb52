// A mailbox, a worker that empties it, another side that answers as configured, and time that stands still.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Synchronization

/// What a scripted channel saw.
struct Sent: Equatable, Sendable {
  let device: String
  let id: String
  let notification: String
  let size: Int
  let expires: Milliseconds
}

/// Answers from a script by device, then accepts.
final class ScriptedChannel: Channel {
  private struct State {
    var script: [String: [ChannelAnswer]] = [:]
    var sent: [Sent] = []
    var holding: Set<String> = []
    var held: [String: CheckedContinuation<Void, Never>] = [:]
    var watchers: [(count: Int, wake: CheckedContinuation<Void, Never>)] = []
  }
  let kind: Device.Channel.Kind
  let payloadBytes: Int
  private let state = Mutex(State())

  init(_ kind: Device.Channel.Kind = .apns, payloadBytes: Int = 4096) {
    self.kind = kind
    self.payloadBytes = payloadBytes
  }

  /// Devices whose names share a letter in front share a host.
  func peer(of device: Device) -> DeliveryPeer {
    DeliveryPeer(name: String(device.key.device.name.prefix(1)), limit: 2)
  }

  func answer(_ device: String, _ verdicts: ChannelAnswer.Verdict...) { answer(device, verdicts) }
  func answer(_ device: String, _ verdicts: [ChannelAnswer.Verdict]) {
    state.withLock { $0.script[device] = verdicts.map { ChannelAnswer($0) } }
  }
  func answer(_ device: String, goneFor count: Int, at time: Milliseconds) {
    state.withLock {
      $0.script[device] = Array(repeating: ChannelAnswer(.gone(at: time)), count: count)
    }
  }
  var sent: [Sent] { state.withLock { $0.sent } }
  /// Pushes to this device get no answer until `release`.
  func hold(_ device: String) { state.withLock { _ = $0.holding.insert(device) } }
  func release(_ device: String) {
    let held = state.withLock { state in
      state.holding.remove(device)
      return state.held.removeValue(forKey: device)
    }
    held?.resume()
  }
  /// Returns when so many pushes have arrived.
  func arrived(_ count: Int) async {
    await withCheckedContinuation { continuation in
      let isThere = state.withLock { state in
        if state.sent.count >= count { return true }
        state.watchers.append((count, continuation))
        return false
      }
      if isThere { continuation.resume() }
    }
  }

  func send(_ push: OutgoingPush) async throws(CancellationError) -> ChannelAnswer {
    let name = push.device.key.device.name
    let (answer, woken) = state.withLock { state in
      state.sent.append(
        Sent(
          device: name, id: push.id, notification: push.notification.id,
          size: push.payload.count, expires: push.expires))
      let woken = state.watchers.filter { $0.count <= state.sent.count }.map(\.wake)
      state.watchers.removeAll { $0.count <= state.sent.count }
      let answer = state.script[name]?.first ?? ChannelAnswer(.done, status: 200)
      state.script[name] = state.script[name].map { Array($0.dropFirst()) }
      return (answer, woken)
    }
    for wake in woken { wake.resume() }
    await withCheckedContinuation { continuation in
      let goesOn = state.withLock { state in
        guard state.holding.contains(name) else { return true }
        state.held[name] = continuation
        return false
      }
      if goesOn { continuation.resume() }
    }
    if Task.isCancelled { throw CancellationError() }
    return answer
  }
}

struct DeliveryWorkerFixture: Sendable {
  static let container = ContainerID("iCloud.org.example.trailbook")
  static let containerEnvironment = ContainerEnvironment(container, .development)
  let clock = ManualClock()
  let store: MemoryStore
  let engine: Engine
  let channel: ScriptedChannel
  let hook = Recorder()
  let hookAnswers = Mutexed<[OutsideReply]>([])
  let worker: DeliveryWorker
  private let webhooks: WebhookChannel

  init(
    limits: Limits = Limits(), channel: ScriptedChannel = ScriptedChannel()
  ) async throws {
    store = MemoryStore(coders: .wireForms)
    self.channel = channel
    let clock = clock
    let host = Host(
      now: { clock.now }, uuid: { "UUID" }, randomBytes: { Array(repeating: 7, count: $0) })
    engine = try await Engine(store: store, limits: limits, host: host)
    let (hook, answers) = (hook, hookAnswers)
    webhooks = WebhookChannel(
      concurrency: 1, outside: OutsideGuard(allowed: []) { _ in [.v4(0x0808_0808)] },
      exchange: { call in
        let script = answers.value
        return hook.answer(call, from: script.isEmpty ? [OutsideReply(status: 200)] : script)
      })
    worker = DeliveryWorker(
      engine: engine, store: store, channels: [channel], webhooks: webhooks, clock: clock.push,
      chance: { 1 })
  }

  /// Another one on the same store, as after a restart, or on one that wraps it.
  func makeWorker(
    on other: (any Store)? = nil,
    observe: @escaping @Sendable (DeliveryWorker.Report) -> Void = { _ in }
  ) -> DeliveryWorker {
    DeliveryWorker(
      engine: engine, store: other ?? store, channels: [channel], webhooks: webhooks,
      clock: clock.push, chance: { 1 }, observe: observe)
  }

  func key(_ device: String, user: String = "_alice") -> DeviceKey {
    DeviceKey(in: Self.containerEnvironment, user: UserID(user), device: DeviceID(device))
  }

  @discardableResult
  func register(_ device: String, token: String? = nil, user: String = "_alice") async throws
    -> DeviceKey
  {
    let key = key(device, user: user)
    let entry = Device(
      key: key,
      channel: .apns(token: token ?? "aa\(device)", environment: .production, topic: nil),
      registered: clock.now)
    try await store.write(in: .all) { try $0.devices.put(entry) }
    return key
  }

  func put(
    _ id: String, to device: DeviceKey, due: Milliseconds = 0, text: String = "",
    _ subject: Notification.Subject = .zone(ZoneID(name: "Notes")), scope: DatabaseScope = .private,
    hinting: Bool = true
  ) async throws {
    var note = Notification(
      id: id, in: device.containerEnvironment, scope: scope,
      subscriptionID: "s", user: device.user, subject: subject)
    note.alert.literal = text.isEmpty ? nil : text
    let entry = MailboxEntry(
      position: 0, notificationID: id, subscriptionID: "s", collapseID: nil,
      payload: PushPayload.encode(note), time: clock.now + due, requestID: "R-\(id)")
    try await store.write(in: .all) { _ = try $0.mailboxes.enqueue(entry, to: device) }
    if hinting { worker.hint([device]) }
  }

  func waiting(_ device: DeviceKey) async throws -> [String] {
    try await store.read {
      try $0.mailboxes.entries(of: device, after: 0, limit: 99).map(\.notificationID)
    }
  }

  func log() async throws -> [PushLogEntry] {
    try await store.read { try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 999) }
  }

  /// Runs the worker for as long as the body.
  func running(
    _ other: DeliveryWorker? = nil, _ body: @escaping @Sendable () async throws -> Void
  ) async throws {
    let worker = other ?? worker
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask(operation: {
        do { try await worker.run() } catch is CancellationError {}
      })
      try await body()
      group.cancelAll()
    }
  }

  /// Returns when nothing is under way and the worker sleeps.
  func quiet() async {
    repeat {
      await clock.sleepers(1)
      await Task.yield()
    } while worker.status.underWay > 0
  }

  /// Returns when the log has so many lines.
  func logged(_ count: Int) async throws -> [PushLogEntry] {
    while true {
      let lines = try await log()
      if lines.count >= count { return lines }
      await Task.yield()
    }
  }
}
