// One step of the notifier inside its transaction: from matches to mailboxes.
//
// Everything that may have changed since the match is asked again here: whether the subscription is
// still the one that matched, whether its user may read the record, which devices there are.

import BrumeModel
import BrumeStorage

struct FanOut {
  /// A log entry with what fires for it in its own database.
  struct Job: Sendable {
    let entry: LogEntry
    let image: Record?
    let matches: SubscriptionIndex.Found
  }
  /// The index, as far as a fan-out asks it.
  struct Matches {
    /// What fires for an entry, with the shared databases of these users, in the order of serving.
    let ordered: (Job, Set<UserID>) -> [SubscriptionIndex.Match]
    /// The subscription behind a match; nil if it was removed since.
    let key: (SubscriptionIndex.Match) -> SubscriptionKey?
  }
  /// What the notifier does with the transaction once it is durable.
  struct Outcome: Sendable {
    var cursor: NotifierCursor
    var woken = Notifier.Woken()
    var fresh: [Notifier.FreshEntry] = []
    /// Subscriptions that fired the only time they do.
    var spent: [SubscriptionKey] = []
    var notifications = 0
    var mailboxEntries = 0
    var overflows = 0
    /// Matches of the entry after the cursor that a later transaction serves.
    var unserved = 0
  }
  private struct World: Hashable {
    let container: ContainerID
    let environment: Environment
    let user: UserID
  }

  private struct PublicType: Hashable {
    let database: DatabaseKey
    let type: String
  }

  let transaction: any WriteTransaction
  let engine: Engine
  let encode: @Sendable (Notification) -> [UInt8]
  let now: Milliseconds
  let mailbox: MailboxWriter
  let matches: Matches
  private var outcome: Outcome
  private var deliveriesLeft: Int
  /// With so many left it gives way to whoever waits.
  private let leastLeft: Int
  private var devices: [World: [Device]] = [:]
  private var publicPlaces: [PublicType: Permissions.Place] = [:]

  init(
    transaction: any WriteTransaction, engine: Engine,
    encode: @escaping @Sendable (Notification) -> [UInt8], now: Milliseconds,
    cursor: NotifierCursor, pace: Pace, coalescer: @escaping MailboxWriter.Decide,
    isHeard: @escaping (DeviceKey) -> Bool = { _ in true },
    matches: Matches
  ) {
    self.transaction = transaction
    self.engine = engine
    self.encode = encode
    self.now = now
    self.matches = matches
    mailbox = MailboxWriter(
      transaction: transaction, limits: engine.limits, now: now, coalescer: coalescer,
      isHeard: isHeard)
    outcome = Outcome(cursor: cursor)
    deliveriesLeft = pace.deliveries
    leastLeft = pace.deliveries - engine.limits.notifierAwaitedDeliveries
  }

  // MARK: One entry

  /// Serves an entry's matches, as many as fit. Answers whether the entry is done.
  mutating func serve(_ job: Job) throws -> Bool {
    let builder = NotificationBuilder(
      id: NotificationID.text(generation: engine.generation, entry: job.entry), entry: job.entry,
      image: job.image, limits: engine.limits)
    let all = matches.ordered(job, try readers(of: job.entry))
    let left = unserved(all)
    for (number, match) in left.enumerated() {
      if isFull {
        outcome.unserved = left.count - number
        return false
      }
      let before = outcome.mailboxEntries
      // A subscription that reaches nobody is work too.
      defer { deliveriesLeft -= max(1, outcome.mailboxEntries - before) }
      guard let key = matches.key(match) else { continue }
      try deliver(key, birth: match.birth, builder)
      outcome.cursor.served = NotifierCursor.Served(birth: match.birth, key: key)
    }
    outcome.cursor = NotifierCursor(position: job.entry.position)
    return true
  }

  /// Whether the rest is for later transactions: sooner if somebody waits for this one.
  private var isFull: Bool {
    deliveriesLeft <= 0 || deliveriesLeft <= leastLeft && transaction.isAwaited
  }

  /// What comes after the last match that an earlier transaction served.
  private func unserved(
    _ all: [SubscriptionIndex.Match]
  ) -> ArraySlice<SubscriptionIndex.Match> {
    guard let served = outcome.cursor.served else { return all[...] }
    return all[all.start(afterBirths: served.birth)...].drop { match in
      match.birth == served.birth && matches.key(match).map { $0 <= served.key } ?? true
    }
  }

  /// Saves the cursor and drops what of the log is done.
  func finish() throws -> Outcome {
    try transaction.set(.notifierCursor, to: outcome.cursor.bytes)
    try transaction.trimLog(
      through: transaction.trimmable(through: outcome.cursor.position, limits: engine.limits))
    return outcome
  }

  private func readers(of entry: LogEntry) throws -> Set<UserID> {
    switch entry.event {
    case .record(let change):
      if change.coveringShares.isEmpty { return [] }
      return Audience.readers(
        of: entry, among: try transaction.memberships(in: change.record.zone))
    case .zoneDeleted(let zone):
      return Audience.readers(of: entry, among: try transaction.memberships(in: zone))
    case .membership: return Audience.readers(of: entry, among: [])
    case .zoneCreated, .subscription: return []
    }
  }

  // MARK: One subscription

  private mutating func deliver(
    _ key: SubscriptionKey, birth: Int64, _ builder: NotificationBuilder
  ) throws {
    let scope = key.scope
    // Another birth means that other conditions were saved since: this one is gone.
    guard let stored = try transaction.subscription(key.id, in: scope),
      stored.birth == birth, try mayRead(scope, builder)
    else { return }
    let all = try devices(of: scope)
    let origin = builder.entry.origin
    if Audience.isOwnEcho(all, subscriber: scope.user, origin: origin) { return }
    let told = Audience.devices(all, except: origin)
    let badge = try nextBadge(stored, told)
    try send(builder, stored, badge, told)
    outcome.notifications += 1
    if case .query(_, _, _, firesOnce: true) = stored.subscription.kind {
      try transaction.removeSubscription(key.id, in: scope)
      outcome.spent.append(key)
    }
  }

  /// Asked when the push is made: whoever lost the right since the save hears nothing.
  private mutating func mayRead(
    _ scope: SubscriptionScope, _ builder: NotificationBuilder
  ) throws -> Bool {
    guard case .record(let change) = builder.entry.event else { return true }
    let (database, creator) = (change.record.zone.database, builder.image?.created?.user)
    if database.owner == nil {
      return try engine.mayRead(
        scope.user, at: try publicPlace(of: change.recordType, in: database), in: database,
        creator: creator, transaction: transaction)
    }
    return try engine.mayRead(
      scope.user, change.record, type: change.recordType, creator: creator,
      coveringShares: change.coveringShares, in: transaction)
  }

  /// Looked up once a transaction, not once a subscriber.
  private mutating func publicPlace(
    of type: String, in database: DatabaseKey
  ) throws -> Permissions.Place {
    let key = PublicType(database: database, type: type)
    if let known = publicPlaces[key] { return known }
    let place = try engine.publicPlace(of: type, in: database, transaction)
    publicPlaces[key] = place
    return place
  }

  /// Whoever left a share is told so, but not of which zone. Of records `mayRead` has asked.
  private func readable(
    _ notification: Notification, _ stored: StoredSubscription, _ builder: NotificationBuilder
  ) throws -> Notification {
    if case .record = builder.entry.event { return notification }
    let scope = stored.scope
    return try engine.withoutLeftZone(
      notification, of: scope.user, container: scope.container, environment: scope.environment,
      in: transaction)
  }

  private mutating func send(
    _ builder: NotificationBuilder, _ stored: StoredSubscription, _ badge: Int?, _ told: [Device]
  ) throws {
    let notification = try readable(
      builder.notification(for: stored, badge: badge), stored, builder)
    let (payload, sent) = budget(engine.limits.payloadBytes).fit(notification)
    let delivery = MailboxWriter.Delivery(
      notification: sent, payload: payload, subscription: stored,
      requestID: builder.entry.origin.requestID)
    let fetchEverything = { [encode] in encode(builder.fetchEverything(for: stored)) }
    for device in told {
      let result = try mailbox.put(delivery, to: device.key, orFetchEverything: fetchEverything)
      outcome.mailboxEntries += 1
      if result.overflowed {
        outcome.overflows += 1
        try transaction.append(overflow(result.entry, device), limit: engine.limits.pushLogRows)
      }
      outcome.fresh.append((device.key, result.entry))
      if result.wakes { wake(device) }
    }
    try keep(notification, stored)
  }

  private mutating func wake(_ device: Device) {
    switch device.channel {
    case .stream, .courier: outcome.woken.listening.append(device.key)
    case .apns, .webPush: outcome.woken.reached.append(device.key)
    }
  }

  /// For the push log: what waited is not sent one by one any more.
  private func overflow(_ entry: MailboxEntry, _ device: Device) -> PushLogEntry {
    PushLogEntry(
      entry, of: device.key, by: device.channel.kind, .expired, subject: "fetch everything",
      now: now, reason: "the mailbox was full; one 'fetch everything' took the place of all")
  }

  /// CloudKit: notifications fetched later hold all desired keys, unlike the push (case PSH-20).
  private func keep(_ notification: Notification, _ stored: StoredSubscription) throws {
    let (payload, _) = budget(engine.limits.keptPayloadBytes).fit(notification)
    let kept = KeptNotification(
      position: 0, id: notification.id, subscriptionID: stored.subscription.id, payload: payload,
      isRead: false)
    try transaction.keep(
      kept, for: stored.scope.user, container: stored.scope.container,
      environment: stored.scope.environment, limit: engine.limits.keptNotifications)
  }

  private func budget(_ maximum: Int) -> PayloadBudget {
    PayloadBudget(
      maximum: maximum, textLength: engine.limits.payloadStringLength, encode: encode)
  }

  /// The counter is the user's: each visible push that asks for it counts one (case PSH-16).
  private func nextBadge(_ stored: StoredSubscription, _ told: [Device]) throws -> Int? {
    guard stored.subscription.info?.shouldBadge == true else { return nil }
    let scope = stored.scope
    let badge = try transaction.badge(
      of: scope.user, container: scope.container, environment: scope.environment)
    guard !told.isEmpty, badge < Int(Int32.max) else { return badge }
    try transaction.setBadge(
      badge + 1, of: scope.user, container: scope.container, environment: scope.environment)
    return badge + 1
  }

  private mutating func devices(of scope: SubscriptionScope) throws -> [Device] {
    let world = World(
      container: scope.container, environment: scope.environment, user: scope.user)
    if let known = devices[world] { return known }
    let found = try transaction.devices(
      of: scope.user, container: scope.container, environment: scope.environment)
    devices[world] = found
    return found
  }
}

extension [SubscriptionIndex.Match] {
  /// Where those not born before `birth` begin.
  fileprivate func start(afterBirths birth: Int64) -> Int {
    var low = 0
    var high = count
    while low < high {
      let middle = (low + high) / 2
      if self[middle].birth < birth { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
