// Which notifications merge, and when a merged one is due.
//
// Silent pushes of zone and database subscriptions only say "something changed", so one per device
// and subscription is enough: the first goes at once, then at most one per window, never later than
// one window after the change. A push that nobody has taken yet is replaced in its place and does not
// wait anew. Visible pushes merge only if they share a collapse ID, and do not
// wait. Query pushes describe one record each and do not merge (case PSH-05, and N5 in
// docs/internals/notifications.md).
//
// This file only decides. The entry that waits is already in the durable mailbox: a newer one
// replaces it there, so forgetting everything here (a restart) loses nothing and merges less.

package import BrumeModel

/// The last push of each device and subscription.
package struct Coalescer: Sendable {
  /// What merges with each other.
  package struct Key: Hashable, Sendable {
    package let device: DeviceKey
    package let subscription: SubscriptionKey
    /// Set for visible pushes that ask to collapse.
    package let collapseID: String?
  }
  /// What to do with a new entry. Times are in milliseconds.
  package struct Action: Equatable, Sendable {
    /// When a reader may deliver the new entry.
    package var due: Milliseconds
    /// The waiting entry that the new one replaces.
    package var replaces: Int64?
    /// Entries that are not due yet. They move behind the new one, so that entries that may be
    /// delivered are the mailbox's first. Oldest first; none while a clock is set back, for one that was taken and not
    /// acknowledged would come again under its new position.
    package var moves: [Int64] = []
    /// False if the reader knows of the due time already.
    package var signalsReader = true
  }
  private struct Last: Sendable {
    var position: Int64
    var due: Milliseconds
    /// Where the change is in the log.
    var change: Int64
  }

  private let window: Milliseconds
  private let capacity: Int
  private var last: [Key: Last] = [:]
  /// Keys whose entry is not due yet, by device.
  private var waiting: [DeviceKey: Set<Key>] = [:]

  /// - Parameter capacity: how many keys are remembered; beyond it the longest past are forgotten.
  package init(window: Milliseconds, capacity: Int) {
    precondition(window >= 0, "a window cannot be negative")
    precondition(capacity > 0, "a coalescer that may remember nothing is not a coalescer")
    self.window = window
    self.capacity = capacity
  }

  /// Devices with their subscriptions that are remembered.
  package var rememberedKeys: Int { last.count }

  /// When the last entry was, or is, due.
  var lastDue: Milliseconds { last.values.map(\.due).max() ?? .min }

  /// The key under which a notification merges; nil if it does not.
  package static func key(
    for notification: Notification, of subscription: StoredSubscription, to device: DeviceKey
  ) -> Key? {
    let isSilent = subscription.subscription.info?.isSilent ?? true
    if !isSilent {
      return notification.collapseID.map {
        Key(device: device, subscription: subscription.key, collapseID: $0)
      }
    }
    switch subscription.subscription.kind {
    case .query: return nil
    case .zone, .database:
      return Key(device: device, subscription: subscription.key, collapseID: nil)
    }
  }

  // MARK: Events, in the order they happen

  /// Where the last entry under a key is, if it was due by now.
  package func last(_ key: Key, dueBy now: Milliseconds) -> Int64? {
    last[key].flatMap { $0.due <= now ? $0.position : nil }
  }

  /// The log position of the change that the last entry under a key is of.
  func lastChange(_ key: Key) -> Int64? { last[key]?.change }

  /// A notification is about to be put into a mailbox.
  ///
  /// - Parameters:
  ///   - wasSetBack: the clock has shown a later time, so what is due later may have been taken already.
  ///   - isUndelivered: the last one under the key was due and was not taken.
  package mutating func changed(
    _ device: DeviceKey, _ key: Key?, now: Milliseconds, wasSetBack: Bool = false,
    isUndelivered: Bool = false
  ) -> Action {
    expire(device, now)
    func moves() -> [Int64] { wasSetBack ? [] : self.moves(device, except: key) }
    guard let key else { return Action(due: now, moves: moves()) }
    let previous = last[key]
    var due = key.collapseID == nil ? silentDue(after: previous, now) : now
    if isUndelivered, let previous, previous.due <= now { due = previous.due }
    let isKnown = !wasSetBack && previous.map { $0.due == due && due > now } ?? false
    // An entry that has to wait goes to the end itself; what waits already keeps its place.
    return Action(
      due: due, replaces: previous?.position,
      moves: due > now ? [] : moves(), signalsReader: !isKnown)
  }

  /// The notification of a change at a log position is in the mailbox at `position`.
  package mutating func enqueued(
    _ device: DeviceKey, _ key: Key, at position: Int64, of change: Int64 = 0, due: Milliseconds,
    now: Milliseconds
  ) {
    if last[key] == nil, last.count >= capacity { forget(now) }
    last[key] = Last(position: position, due: due, change: change)
    if due > now {
      waiting[device, default: []].insert(key)
    } else {
      stopWaiting(key)
    }
  }

  /// A waiting entry was moved to the end; nil if it had been read meanwhile.
  package mutating func moved(_ device: DeviceKey, from old: Int64, to new: Int64?) {
    for key in waiting[device] ?? [] where last[key]?.position == old {
      if let new { last[key]?.position = new } else { stopWaiting(key) }
    }
  }

  /// The mailbox was emptied, because it overflowed or the device is gone.
  package mutating func emptied(_ device: DeviceKey) { waiting[device] = nil }

  // MARK: Parts

  private func silentDue(after previous: Last?, _ now: Milliseconds) -> Milliseconds {
    guard let previous else { return now }
    // A clock that was set back must not make anything wait for longer than the window.
    let (last, next) = (previous.due, previous.due + window)
    if last > now { return last <= now + window ? last : now }
    return next > now ? next : now
  }

  private func moves(_ device: DeviceKey, except key: Key?) -> [Int64] {
    guard let keys = waiting[device] else { return [] }
    return keys.filter { $0 != key }.compactMap { last[$0]?.position }.sorted()
  }

  private mutating func expire(_ device: DeviceKey, _ now: Milliseconds) {
    for key in waiting[device] ?? [] where (last[key]?.due ?? now) <= now { stopWaiting(key) }
  }

  private mutating func stopWaiting(_ key: Key) {
    waiting[key.device]?.remove(key)
    if waiting[key.device]?.isEmpty == true { waiting[key.device] = nil }
  }

  /// Makes room: keys that are not waiting go, the longest past half of them first. If all of them
  /// wait, all are forgotten: then they merge less, but nothing is lost.
  private mutating func forget(_ now: Milliseconds) {
    let past = last.filter { $0.value.due <= now }.sorted { $0.value.due < $1.value.due }
    guard !past.isEmpty else {
      last = [:]
      waiting = [:]
      return
    }
    for (key, _) in past.prefix(max(1, past.count / 2)) {
      last[key] = nil
      stopWaiting(key)
    }
  }
}
