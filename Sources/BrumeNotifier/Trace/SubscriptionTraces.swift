// This judges the subscriptions that a change may concern: those that the history knows by what it says, all
// others by asking again. The nearest miss comes first.

import BrumeCore
import BrumeModel
import BrumeStorage

struct SubscriptionTraces {
  private let entry: LogEntry
  private let bucket: Bucket
  private let question: TraceQuestion
  private let tracing: Tracing
  private let names: UserNames
  private let transaction: any ReadTransaction
  private let record: TracedRecord
  private let served: ServedPart
  private let later: LaterChanges
  private let attempts: [PushLogEntry]
  private let readers: Set<UserID>
  private var gates: Gates
  private var found: [(judgement: Trace.Judgement, nearness: Int)] = []
  private var notCandidates = 0
  private var isComplete = true

  init(
    of entry: LogEntry, _ question: TraceQuestion, _ tracing: Tracing, _ names: UserNames,
    _ transaction: any ReadTransaction
  ) throws {
    self.entry = entry
    self.question = question
    self.tracing = tracing
    self.names = names
    self.transaction = transaction
    bucket = transaction.log.bucket(of: entry.database)
    record = try TracedRecord(of: entry, tracing.permission.schemas, transaction)
    served = try ServedPart(of: entry, in: bucket, transaction)
    later = try served.laterChanges()
    var filter = PushLogFilter()
    filter.notificationID = NotificationID.text(generation: served.generation, entry: entry)
    filter.user = question.user
    attempts = try transaction.pushLog.entries(
      filter, after: 0, limit: tracing.limits.pushLogPage)
    readers = try Audience.readers(of: entry, in: transaction)
    gates = Gates(of: bucket, tracing.permission, transaction)
  }

  /// Puts what was found into a trace.
  func fill(_ trace: inout Trace) {
    let most = tracing.limits.describedSubscriptions
    let sorted = found.enumerated().sorted {
      ($0.element.nearness, -$0.offset) > ($1.element.nearness, -$1.offset)
    }
    trace.subscriptions = sorted.prefix(most).map(\.element.judgement)
    trace.notCandidates = notCandidates
    trace.isComplete = isComplete && found.count <= most
  }

  // MARK: Which there are

  mutating func judgeAll() throws {
    let asked = served.deliveries.filter { isAsked($0.user) }
    for delivery in asked.prefix(tracing.limits.describedSubscriptions) { try judge(delivery) }
    isComplete = asked.count <= tracing.limits.describedSubscriptions
    if let user = question.user { return try judgeAll(of: user) }
    var next: Int64?
    var looked = 0
    repeat {
      let page = try transaction.subscriptions.page(
        watching: bucket, withShared: true, after: next, limit: SubscriptionIndex.page)
      for stored in page.subscriptions { try judge(stored) }
      looked += page.subscriptions.count
      next = page.next
    } while next != nil && looked < tracing.limits.tracedSubscriptions
    if next != nil { isComplete = false }
  }

  private mutating func judgeAll(of user: UserID) throws {
    for scope in DatabaseScope.allCases {
      let place = SubscriptionScope(
        in: question.containerEnvironment, scope: scope, user: user)
      for stored in try transaction.subscriptions.all(in: place) { try judge(stored) }
    }
  }

  private func isAsked(_ user: UserID) -> Bool { question.user.map { $0 == user } ?? true }

  // MARK: By what is recorded

  private mutating func judge(_ delivery: ServedDelivery) throws {
    let name = try names.name(delivery.user)
    let verdict = delivery.withheld?.verdict ?? .fired
    var judgement = Trace.Judgement(
      user: name, subscription: delivery.subscriptionID, scope: delivery.scope, verdict: verdict,
      reason: "It fired for this change.", source: .recorded)
    let failed = delivery.withheld
    if let failed { judgement.reason = failed.sentence(name) }
    judgement.gates = Trace.Gate.ofSubscription(failed: failed?.gate, judgement.reason, .recorded)
    judgement.devices = try devices(of: delivery)
    if failed == nil, delivery.recipients.isEmpty {
      judgement.verdict = .noDevice
      judgement.reason = "\(name) had no device when the change was served: none is registered."
    }
    found.append((judgement, failed == nil ? 100 : 50))
  }

  private func devices(of delivery: ServedDelivery) throws -> [Trace.Device] {
    var devices: [Trace.Device] = []
    for recipient in delivery.recipients
    where question.device.map({ ByteText($0.name) == ByteText(recipient.device.name) }) ?? true {
      devices.append(try device(recipient, of: delivery))
    }
    if let asked = question.device, devices.isEmpty, delivery.withheld == nil {
      devices.append(
        Trace.Device(
          device: asked.name, channel: nil, verdict: .signedOut,
          reason: "This device was not registered when the change was served.", source: .recorded))
    }
    return devices
  }

  private func device(
    _ recipient: ServedDelivery.Recipient, of delivery: ServedDelivery
  ) throws -> Trace.Device {
    if recipient.outcome == .wrote {
      var device = Trace.Device(
        device: recipient.device.name, channel: recipient.channel.rawValue, verdict: .ownWriter,
        reason: "This device made the change; no device is notified of its own.", source: .recorded)
      device.gates = [Trace.Gate(.writer, .failed, device.reason, .recorded)]
      return device
    }
    let key = DeviceKey(
      in: question.containerEnvironment, user: delivery.user, device: recipient.device)
    let id = recipient.outcome == .overflowed ? "" : delivery.subscriptionID
    return try tracing.judge(
      TracedPush(
        device: key, channel: recipient.channel,
        notificationID: NotificationID.text(generation: served.generation, entry: entry),
        subscriptionID: id,
        replacedBy: later.replacing(delivery, to: recipient.device),
        overflowedBy: later.overflowing(delivery, to: recipient.device),
        attempts: attempts.filter { $0.isOf(key, id) }),
      transaction)
  }

  // MARK: By asking again

  private mutating func judge(_ stored: StoredSubscription) throws {
    guard stored.scope.containerEnvironment == question.containerEnvironment,
      !served.deliveries.contains(where: { $0.isOf(stored.key) })
    else { return }
    let miss = FireRules.miss(
      stored, on: entry, in: bucket, image: record.image,
      searchable: { record.searchable.contains($0) })
    if let miss { return try judge(stored, missing: miss) }
    if stored.scope.scope == .shared, !readers.contains(stored.scope.user) {
      return try add(stored, .shareLeft, 40)
    }
    try judgeAsPending(stored)
  }

  private mutating func judge(
    _ stored: StoredSubscription, missing miss: FireMiss
  ) throws {
    if miss.isOfPlace, question.user == nil {
      notCandidates += 1
      return
    }
    let nearness = Trace.Gate.Name.ofSubscription.firstIndex(of: miss.gate) ?? 0
    try add(stored, miss.verdict, miss.sentence(stored, record), nearness, failed: miss.gate)
  }

  /// It fires, and the history has nothing of it: the notifier has not come so far, or it is forgotten.
  private mutating func judgeAsPending(_ stored: StoredSubscription) throws {
    let answer = try gates.ask(
      stored.key, from: stored.starts[bucket], about: entry, creator: record.image?.created?.user)
    if case .withheld(let reason) = answer { return try add(stored, reason, 45) }
    let isServed = try served.isBehindCursor()
    try add(
      stored, isServed ? .unknown : .pending,
      isServed
        ? "It would fire now, and no delivery is remembered: the history was off, or has dropped it."
        : "It fires; the notifier has not served this change yet.", 60, failed: nil)
  }

  private mutating func add(
    _ stored: StoredSubscription, _ withheld: Withheld, _ nearness: Int
  ) throws {
    let reason = withheld.sentence(try names.name(stored.scope.user))
    try add(stored, withheld.verdict, reason, nearness, failed: withheld.gate)
  }

  private mutating func add(
    _ stored: StoredSubscription, _ verdict: Trace.Verdict, _ reason: String, _ nearness: Int,
    failed: Trace.Gate.Name?
  ) throws {
    var judgement = Trace.Judgement(
      user: try names.name(stored.scope.user), subscription: stored.subscription.id,
      scope: stored.scope.scope, verdict: verdict, reason: reason, source: .judged)
    judgement.gates = Trace.Gate.ofSubscription(failed: failed, reason, .judged)
    found.append((judgement, nearness))
  }
}

extension PushLogEntry {
  fileprivate func isOf(_ key: DeviceKey, _ subscription: String) -> Bool {
    user == key.user && ByteText(device) == ByteText(key.device.name)
      && ByteText(subscriptionID) == ByteText(subscription)
      && containerEnvironment == key.containerEnvironment
  }
}
