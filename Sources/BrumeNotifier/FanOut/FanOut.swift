// One step of the notifier inside its transaction: from matches to mailboxes.
//
// Everything that may have changed since the match is asked again here, by `Gates`: whether the subscription
// is still the one that matched, whether its user may read the record, which devices there are.

import BrumeCore
import BrumeModel
import BrumeStorage

struct FanOut {
  /// A subscription to serve.
  struct Target: Equatable, Sendable {
    /// Distinguishes a subscription from a later one with the same ID.
    let startPosition: Int64
    let key: SubscriptionKey
  }
  /// A log entry with the subscriptions that fire for it, as many as a transaction has room for.
  struct Job: Sendable {
    let entry: LogEntry
    let image: Record?
    /// In the order of serving.
    let targets: [Target]
    /// Subscriptions after these, which a later transaction serves.
    let later: Int
    var concernsNobody: Bool { targets.isEmpty && later == 0 }
    var first: Caution.Service? {
      targets.first.map { Caution.Service(position: entry.position, target: $0) }
    }
  }
  /// All that a fan-out knows beside what it reads in its transaction.
  struct Input: Sendable {
    let bucket: Bucket
    let jobs: [Job]
    let cursor: NotifierCursor
    let now: Milliseconds
    /// A later time was shown before.
    var wasSetBack = false
    let pace: Pace
    var caution = Caution()
    let coalescers: [UserID: Coalescer]
    let connected: [UserID: Set<DeviceKey>]
    /// Whether devices may be connected to other processes.
    var othersConnect = false
    var history = HistoryPlace()
  }
  /// What is the same for every fan-out of a server.
  struct Rules: Sendable {
    let permission: ReadPermission
    let generation: Int64
    let limits: Limits
    /// The push in the wire's form.
    let encode: @Sendable (Notification) -> [UInt8]
  }
  /// What the notifier does with the transaction once it is durable.
  struct Outcome: Sendable {
    var cursor: NotifierCursor
    /// Whether the cursor is in the store.
    var isSaved = true
    /// Whether the history was kept, and what is old dropped.
    var keptUp = true
    /// The position of an entry that a later transaction goes on with.
    var unfinished: Int64?
    var new = NewEntries()
    /// Subscriptions that fired the only time they do.
    var firedOnce: [SubscriptionKey] = []
    var notifications = 0
    var mailboxEntries = 0
    var overflows = 0
    /// Matches of the unfinished entry that are left.
    var unserved = 0
    var coalescers: [UserID: Coalescer] = [:]
    /// The number of the newest delivery in the history.
    var lastDelivery: Int64 = 0
  }
  private let input: Input
  private let rules: Rules
  private let transaction: any WriteTransaction
  private var mailbox: MailboxWriter
  private var outcome: Outcome
  private var deliveriesLeft: Int
  private var subscriptionsServed = 0
  private var gates: Gates
  private var history: HistoryKeeper

  init(_ input: Input, _ rules: Rules, _ transaction: any WriteTransaction) {
    self.input = input
    self.rules = rules
    self.transaction = transaction
    mailbox = MailboxWriter(
      mailboxes: transaction.mailboxes, limits: rules.limits, now: input.now,
      wasSetBack: input.wasSetBack, connected: input.connected,
      othersConnect: input.othersConnect, coalescers: input.coalescers)
    gates = Gates(of: input.bucket, rules.permission, transaction)
    history = HistoryKeeper(
      input.history, of: input.bucket, rules.limits, generation: rules.generation, now: input.now)
    outcome = Outcome(cursor: input.cursor)
    deliveriesLeft = input.pace.deliveries
  }

  /// Serves the jobs, as far as there is room, saves the cursor and drops what of the log is done.
  mutating func run() throws -> Outcome {
    for job in input.jobs {
      let isDone = try serve(job)
      history.ended(job.entry)
      if !isDone { break }
    }
    try transaction.settings.set(.notifierCursor(input.bucket), to: outcome.cursor.bytes)
    outcome.keptUp = input.caution.keepsUp
    if outcome.keptUp { try keepUp() }
    outcome.lastDelivery = history.lastDelivery
    outcome.coalescers = mailbox.coalescers
    return outcome
  }

  private mutating func keepUp() throws {
    try history.save(
      to: transaction, cursor: outcome.cursor.position,
      free: transaction.webhooks.trimmable(
        in: input.bucket, through: outcome.cursor.position, limits: rules.limits))
  }

  // MARK: One entry

  /// Serves an entry's subscriptions, as many as fit. Answers whether the entry is done.
  private mutating func serve(_ job: Job) throws -> Bool {
    let builder = NotificationBuilder(
      id: NotificationID.text(generation: rules.generation, entry: job.entry), entry: job.entry,
      image: job.image, limits: rules.limits)
    for (number, target) in job.targets.enumerated() {
      let left = job.targets.count - number + job.later
      if isFull(left) { return leave(job, unserved: left) }
      let before = outcome.mailboxEntries
      try deliver(target, builder)
      subscriptionsServed += 1
      // A subscription that reaches nobody is work too.
      deliveriesLeft -= max(1, outcome.mailboxEntries - before)
      outcome.cursor.served = NotifierCursor.Served(
        startPosition: target.startPosition, key: target.key)
    }
    if job.later > 0 { return leave(job, unserved: job.later) }
    outcome.cursor = NotifierCursor(position: job.entry.position)
    return true
  }

  private mutating func leave(_ job: Job, unserved: Int) -> Bool {
    outcome.unserved = unserved
    outcome.unfinished = job.entry.position
    return false
  }

  /// Whether the rest is for later transactions: sooner if somebody waits for this one.
  ///
  /// - Parameter left: subscriptions of the entry that are not served.
  private func isFull(_ left: Int) -> Bool {
    if deliveriesLeft <= 0 { return true }
    let done = input.pace.deliveries - deliveriesLeft
    guard done >= rules.limits.notifierAwaitedDeliveries, transaction.isAwaited
    else { return false }
    // What is nearly done is finished: another transaction would keep the store for longer than the rest.
    return left * done > subscriptionsServed * rules.limits.notifierRest
  }

  // MARK: One subscription

  /// What is damaged of one subscriber keeps no push from the others: whoever read it has noted the row.
  private mutating func deliver(_ target: Target, _ builder: NotificationBuilder) throws {
    let isPassedOver = subscriptionsServed == 0 && input.caution.passesOverFirst
    if !isPassedOver, try BrumeError.unlessDamaged({ try ask(target, builder) }) != nil { return }
    history.note(ServedDelivery(target.key, .damaged))
  }

  private mutating func ask(_ target: Target, _ builder: NotificationBuilder) throws {
    let key = target.key
    switch try gates.ask(
      key, from: target.startPosition, about: builder.entry,
      creator: builder.image?.created?.user)
    {
    case .withheld(let reason): history.note(ServedDelivery(key, reason))
    case .notify(let stored, let all, let recipients):
      try notify(stored, builder, all, recipients)
    }
  }

  private mutating func notify(
    _ stored: StoredSubscription, _ builder: NotificationBuilder, _ all: [Device],
    _ recipients: [Device]
  ) throws {
    var isOnce = false
    if case .query(_, _, _, firesOnce: true) = stored.subscription.kind { isOnce = true }
    // CloudKit: it goes after its push (case SUB-20), and where its user has no device there is none. Nothing is kept of it
    // either: one that fires once would leave a notification for each such change.
    if isOnce, recipients.isEmpty {
      history.note(ServedDelivery(stored.key, all, recipients, []))
      return
    }
    let badge = try nextBadge(stored, recipients)
    let outcomes = try send(builder, stored, badge, recipients)
    history.note(ServedDelivery(stored.key, all, recipients, outcomes))
    outcome.notifications += 1
    if isOnce {
      try transaction.subscriptions.remove(stored.key.id, in: stored.scope)
      outcome.firedOnce.append(stored.key)
    }
  }

  /// The notification as its user may see it: whoever left a share is notified, without the zone. Whether a record may
  /// be read, `Gates` has asked already.
  private func readable(
    _ notification: Notification, _ stored: StoredSubscription, _ builder: NotificationBuilder
  ) throws -> Notification {
    if case .record = builder.entry.event { return notification }
    let scope = stored.scope
    return try rules.permission.withoutLeftZone(
      notification, of: scope.user, in: scope.containerEnvironment, from: transaction)
  }

  private mutating func send(
    _ builder: NotificationBuilder, _ stored: StoredSubscription, _ badge: Int?,
    _ recipients: [Device]
  ) throws -> [ServedDelivery.Outcome] {
    var outcomes: [ServedDelivery.Outcome] = []
    let notification = try readable(
      builder.notification(for: stored, badge: badge), stored, builder)
    let (payload, sent) = budget(rules.limits.payloadBytes).fit(notification)
    let delivery = MailboxWriter.Delivery(
      notification: sent, payload: payload, subscription: stored,
      requestID: builder.entry.origin.requestID, change: builder.entry.position)
    let fetchEverything = { [encode = rules.encode] in
      encode(.fetchEverything(id: builder.id, of: stored.scope))
    }
    for device in recipients {
      let result = try mailbox.put(delivery, to: device, orFetchEverything: fetchEverything)
      outcome.mailboxEntries += 1
      outcomes.append(result.outcome)
      if result.overflowed {
        outcome.overflows += 1
        if input.caution.keepsUp {
          try transaction.pushLog.append(
            overflow(result.entry, device), limit: rules.limits.pushLogRows)
        }
      }
      outcome.new.entries.append((device.key, result.entry))
      if result.signalsReader { outcome.new.note(device.key, reachedBy: device.channel.kind) }
    }
    // What was not cut for the push is not cut for keeping either, and is the same bytes.
    let isWhole = sent == notification && payload.count <= rules.limits.keptPayloadBytes
    try keep(notification, stored, encoded: isWhole ? payload : nil)
    return outcomes
  }

  /// For the push log: what waited is not sent one by one any more.
  private func overflow(_ entry: MailboxEntry, _ device: Device) -> PushLogEntry {
    PushLogEntry(
      entry, of: device.key, by: device.channel.kind, .expired, subject: "fetch everything",
      now: input.now, reason: "the mailbox was full; one 'fetch everything' took the place of all")
  }

  /// CloudKit: notifications fetched later hold all desired keys, unlike the push (case PSH-20).
  ///
  /// - Parameter encoded: the notification in the wire's form, if it is known.
  private func keep(
    _ notification: Notification, _ stored: StoredSubscription, encoded: [UInt8]?
  ) throws {
    let payload = encoded ?? budget(rules.limits.keptPayloadBytes).fit(notification).payload
    let kept = KeptNotification(
      position: 0, id: notification.id, subscriptionID: stored.subscription.id, payload: payload,
      isRead: false)
    try transaction.notifications.keep(
      kept, for: stored.scope.user, in: stored.scope.containerEnvironment,
      limit: rules.limits.keptNotifications)
  }

  private func budget(_ maximum: Int) -> PayloadBudget {
    PayloadBudget(
      maximum: maximum, textLength: rules.limits.payloadStringLength, encode: rules.encode)
  }

  /// The counter is the user's: each visible push that asks for it counts one (case PSH-16).
  private func nextBadge(_ stored: StoredSubscription, _ recipients: [Device]) throws -> Int? {
    guard stored.subscription.info?.shouldBadge == true else { return nil }
    let scope = stored.scope
    guard let badge = try badge(of: scope) else { return nil }
    guard !recipients.isEmpty, badge < Int(Int32.max) else { return badge }
    try transaction.notifications.setBadge(
      badge + 1, of: scope.user, in: scope.containerEnvironment)
    return badge + 1
  }

  /// Nil: it is damaged. Pushes come without a number until an app of the user sets it.
  private func badge(of scope: SubscriptionScope) throws -> Int? {
    try BrumeError.unlessDamaged {
      try transaction.notifications.badge(of: scope.user, in: scope.containerEnvironment)
    }
  }
}
