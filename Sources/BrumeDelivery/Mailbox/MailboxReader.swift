// Reading a mailbox as far as it may be delivered, and waiting for more.
//
// Entries that wait to be merged with a later one carry the time when they are due; the notifier
// keeps them at the end. A reader stops at the first of them and comes back when it is due.

import BrumeCore
import BrumeModel
import BrumeStorage

struct MailboxReader: Sendable {
  let store: any Store
  let signals: MailboxSignals
  let limits: Limits
  let clock: PushClock
  let maySend: SendPermission

  /// What may be delivered now, and when the next entry is due.
  struct Front: Sendable {
    var entries: [MailboxEntry] = []
    var nextDue: Milliseconds?
    /// Nothing is behind what was looked at.
    var isAll = true
    /// What its user may not read any more.
    var withdrawn: [MailboxEntry] = []
  }

  /// Entries that were withdrawn since they were put there leave the mailbox with a line in the log.
  func front(
    of device: DeviceKey, after position: Int64, limit: Int, by channel: Device.Channel.Kind
  ) async throws -> Front {
    while true {
      let front = try await look(at: device, after: position, limit)
      if front.withdrawn.isEmpty { return front }
      try await drop(front.withdrawn, of: device, by: channel)
      if !front.entries.isEmpty { return front }
    }
  }

  private func look(
    at device: DeviceKey, after position: Int64, _ limit: Int
  ) async throws -> Front {
    let (now, window, maySend) = (clock.now(), limits.coalescingWindow, maySend)
    return try await store.read { store in
      let waiting = try store.mailboxes.entries(of: device, after: position, limit: limit)
      let due = waiting.prefix { $0.isDue(at: now, window: window) }
      var front = Front()
      front.isAll = due.count < limit
      front.nextDue = due.count < waiting.count ? waiting[due.count].time : nil
      for entry in due {
        if let allowed = try maySend.allowed(entry, device, store) {
          front.entries.append(allowed.entry)
        } else {
          front.withdrawn.append(entry)
        }
      }
      return front
    }
  }

  private func drop(
    _ entries: [MailboxEntry], of device: DeviceKey, by channel: Device.Channel.Kind
  ) async throws {
    let lines = entries.map {
      PushLogEntry.withdrawn($0, of: device, by: channel, now: clock.now())
    }
    try await store.writeLogging(in: .account(device), limit: limits.pushLogRows) { store, log in
      for entry in entries { try store.mailboxes.remove(at: entry.position, of: device) }
      try log.append(lines)
    }
  }

  /// Whether an entry of the device has this position.
  func holds(_ position: Int64, of device: DeviceKey) async throws -> Bool {
    try await store.read { try $0.mailboxes.entry(at: position, of: device) != nil }
  }

  /// The device has handled everything up to and including this position: the entries leave the
  /// mailbox and stand in the log, in one transaction.
  func acknowledge(
    through position: Int64, by device: DeviceKey, on channel: Device.Channel.Kind, _ reason: String
  ) async throws {
    let (limits, now) = (limits, clock.now())
    // What the lines say is put together before the write, which others wait for.
    let lines = try await store.read { store in
      try store.mailboxes.entries(of: device, after: 0, limit: limits.mailboxRows)
        .prefix { $0.position <= position }
        .map { entry in
          let line = PushLogEntry(
            entry, of: device, by: channel, .sent, subject: entry.subject, now: now, reason: reason)
          return (position: entry.position, line: line)
        }
    }
    try await store.writeLogging(in: .account(device), limit: limits.pushLogRows) { store, log in
      // Another acknowledgement may have been faster.
      let first =
        try store.mailboxes.entries(of: device, after: 0, limit: 1).first?.position ?? .max
      try store.mailboxes.acknowledge(through: position, by: device)
      try log.append(lines.filter { $0.position >= first }.map(\.line))
    }
  }

  /// Asks `look` until it finds something, again at each signal and when something gets due.
  ///
  /// - Returns: nil when the time has passed.
  func poll<Found: Sendable>(
    _ devices: [DeviceKey], waiting: Duration,
    look: () async throws -> (found: Found?, nextDue: Milliseconds?)
  ) async throws -> Found? {
    let start = clock.now()
    let end = start + waiting.milliseconds
    let listeners = devices.map { signals.listen(to: $0) }
    defer { for listener in listeners { listener.stop() } }
    while true {
      // Whoever is cancelled returns at once, each time.
      try Task.checkCancellation()
      let (found, nextDue) = try await look()
      if let found { return found }
      let now = clock.now()
      // How much time has passed is not known when the clock was set back; the client comes again.
      if now >= end || now < start { return nil }
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
