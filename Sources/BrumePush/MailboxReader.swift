// Reading a mailbox as far as it may be delivered, and waiting for more.
//
// Entries that wait to be merged with a later one carry the time when they are due; the notifier
// keeps them at the end. A reader stops at the first of them and comes back when it is due.

import BrumeModel
import BrumeStorage

struct MailboxReader: Sendable {
  let store: any Store
  let signals: MailboxSignals
  let limits: Limits
  let clock: PushClock

  /// What may be delivered now, and when the next entry is due.
  struct Front: Sendable {
    var entries: [MailboxEntry] = []
    var nextDue: Milliseconds?
  }

  func front(of device: DeviceKey, after position: Int64, limit: Int) async throws -> Front {
    let waiting = try await store.read {
      try $0.mailbox(device, after: position, limit: limit)
    }
    let now = clock.now()
    let entries = waiting.prefix { $0.isDue(at: now, window: limits.coalescingWindow) }
    return Front(
      entries: Array(entries),
      nextDue: entries.count < waiting.count ? waiting[entries.count].time : nil)
  }

  /// Asks `look` until it finds something, again at each signal and when something gets due.
  ///
  /// - Returns: nil when the time has passed.
  func poll<Found: Sendable>(
    _ devices: [DeviceKey], waiting: Duration,
    look: () async throws -> (found: Found?, nextDue: Milliseconds?)
  ) async throws -> Found? {
    let end = clock.now() + waiting.milliseconds
    let listeners = devices.map { signals.listen(to: $0) }
    defer { for listener in listeners { listener.stop() } }
    while true {
      let (found, nextDue) = try await look()
      if let found { return found }
      let now = clock.now()
      if now >= end { return nil }
      try await wait(listeners, until: min(end, max(nextDue ?? end, now + 1)))
    }
  }

  private func wait(_ listeners: [MailboxSignals.Listener], until time: Milliseconds) async throws {
    let clock = clock
    try await withThrowingTaskGroup(of: Void.self) { group in
      for listener in listeners { group.addTask(operation: { await listener.wait() }) }
      group.addTask(operation: { try await clock.sleep(time) })
      try await group.next()
      group.cancelAll()
    }
  }
}
