// Serving one device: the first of its entries that is due, once.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

extension DeliveryWorker {
  /// What a look into the mailbox decides.
  private enum Step: Sendable {
    case nothing
    case notDue(Milliseconds)
    case send(Device, MailboxEntry, Notification)
    /// Its user may not read it any more.
    case withdraw(Device, MailboxEntry)
    /// The first of them waited too long.
    case expire(Device)
  }

  func sendNext(
    to key: DeviceKey, _ attempt: Int
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    let now = clock.now()
    let step = try await store.read { store in try self.step(key, now, in: store) }
    switch step {
    case .nothing: return .empty
    case .notDue(let time): return .notDue(time)
    case .withdraw(let device, let entry):
      let line = PushLogEntry.withdrawn(
        entry, of: key, by: device.channel.kind, now: clock.now(), attempt: attempt)
      try await drop(entry, of: device, line)
      return .delivered
    case .expire(let device):
      try await expire(device, attempt, since: now)
      return .delivered
    case .send(let device, let entry, let notification):
      guard let channel = channels[device.channel.kind] else { return .empty }
      // A position is given once; after a move to another store the process is another.
      return try await sendOnce(
        to: .device(key), "\(entry.position) \(entry.notificationID)", since: now
      ) {
        try await send(entry, notification, to: device, through: channel, now)
      } note: { answer, start in
        try await settle(answer, entry, notification, device, attempt, since: start)
      }
    }
  }

  private func step(
    _ key: DeviceKey, _ now: Milliseconds, in store: any ReadTransaction
  ) throws -> Step {
    // Whoever notifies for a bucket sends for it: another server may have taken it over.
    guard self.store.leases.owns(store.log.bucket(of: key.database)),
      let device = try store.devices.find(key), channels[device.channel.kind] != nil,
      let entry = try store.mailboxes.entries(of: key, after: 0, limit: 1).first
    else { return .nothing }
    guard entry.isDue(at: now, window: limits.coalescingWindow) else { return .notDue(entry.time) }
    guard let allowed = try maySend.allowed(entry, key, store) else {
      return .withdraw(device, entry)
    }
    if hasExpired(entry, allowed.notification, now) { return .expire(device) }
    return .send(device, allowed.entry, allowed.notification)
  }

  // MARK: Sending

  /// A push that is too large for the other side is cut and sent once more, a few times.
  private func send(
    _ entry: MailboxEntry, _ notification: Notification, to device: Device,
    through channel: any Channel, _ now: Milliseconds
  ) async throws -> ChannelAnswer {
    var maximum = channel.payloadBytes
    var answer = ChannelAnswer(.tooLarge)
    for _ in 0..<4 {
      let payload = fitted(entry.payload, notification, to: maximum)
      answer = try await channel.send(
        OutgoingPush(
          id: NotificationID.push(
            entry.notificationID, subscription: entry.subscriptionID, to: device.key),
          requestID: entry.requestID, device: device, notification: notification, payload: payload,
          collapseID: entry.collapseID, now: now, expires: expiry(of: entry, notification, now)))
      guard answer.verdict == .tooLarge else { return answer }
      maximum = min(payload.count, maximum) / 2
    }
    answer.verdict = .refused
    return answer
  }

  /// What waited here has less time left at the other side. "Fetch everything" is always news.
  private func expiry(
    of entry: MailboxEntry, _ notification: Notification, _ now: Milliseconds
  ) -> Milliseconds {
    let made = notification.subject == .fetchEverything ? now : min(now, entry.time)
    return made + limits.pushLifetime
  }

  private func fitted(
    _ payload: [UInt8], _ notification: Notification, to maximum: Int
  ) -> [UInt8] {
    if payload.count <= maximum { return payload }
    let budget = PayloadBudget(
      maximum: maximum, textLength: limits.payloadStringLength,
      encode: { PushPayload.encode($0) })
    return budget.fit(notification).payload
  }

  // MARK: Noting the answer

  private func settle(
    _ answer: ChannelAnswer, _ entry: MailboxEntry, _ notification: Notification,
    _ device: Device, _ attempt: Int, since start: Milliseconds?
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    func line(_ verdict: PushLogEntry.Verdict) -> PushLogEntry {
      report(device.channel.kind.rawValue, verdict, since: start)
      return self.line(device, entry, notification, verdict, answer, attempt)
    }
    switch answer.verdict {
    case .done:
      try await drop(entry, of: device, line(.sent))
      return .delivered
    case .refused, .tooLarge:
      try await drop(entry, of: device, line(.refused))
      return .delivered
    case .retry(let after):
      try await note(line(.retry), of: device, attempt)
      return .retry(after: after)
    case .busy(let after):
      try await note(line(.retry), of: device, attempt)
      return .busy(after: after)
    case .gone(let time):
      let gone = self.line(device, entry, notification, .gone, answer, attempt)
      if try await isForgotten(device, goneAt: time, gone) {
        report(device.channel.kind.rawValue, .gone, since: start)
        return .empty
      }
      try await note(line(.retry), of: device, attempt)
      return .retry(after: nil)
    }
  }

  /// Takes an entry out of the mailbox and notes why, in one transaction.
  private func drop(
    _ entry: MailboxEntry, of device: Device, _ line: PushLogEntry
  ) async throws {
    try await store.writeLogging(in: .account(device.key), limit: limits.pushLogRows) {
      store, log in
      try store.mailboxes.remove(at: entry.position, of: device.key)
      try log.append(line)
    }
  }

  /// "Fetch everything" is always news.
  private func hasExpired(
    _ entry: MailboxEntry, _ notification: Notification?, _ now: Milliseconds
  ) -> Bool {
    entry.time + limits.pushLifetime < now && notification?.subject != .fetchEverything
  }

  /// One "fetch everything" takes the place of all that waited too long.
  private func expire(_ device: Device, _ attempt: Int, since now: Milliseconds) async throws {
    let rows = limits.mailboxRows
    try await store.writeLogging(in: .account(device.key), limit: limits.pushLogRows) {
      store, log in
      let waiting = try store.mailboxes.entries(of: device.key, after: 0, limit: rows)
        .map { (entry: $0, notification: try? PushPayload.decode($0.payload)) }
      let expired = waiting.filter { self.hasExpired($0.entry, $0.notification, now) }
      for (entry, notification) in expired {
        try store.mailboxes.remove(at: entry.position, of: device.key)
        let answer = ChannelAnswer(.refused, reason: "waited too long")
        try log.append(self.line(device, entry, notification, .expired, answer, attempt))
      }
      let isDeliveredAnyway = waiting.contains { $0.notification?.subject == .fetchEverything }
      guard let last = expired.last?.entry, !isDeliveredAnyway else { return }
      try store.mailboxes.enqueue(last.expired(of: device.key, now), to: device.key)
    }
  }

  /// Notes an attempt that failed: the first ones, then ever fewer, so that one dead host does not
  /// push everything else out of the log.
  private func note(_ line: PushLogEntry, of device: Device, _ attempt: Int) async throws {
    guard attempt & (attempt - 1) == 0 else { return }
    try await store.writeLogging(in: .account(device.key), limit: limits.pushLogRows) {
      try $1.append(line)
    }
  }

  /// Forgets a device that is gone. If it registered after it was gone, then only its address, and not
  /// before many attempts. Answers false if it is to be tried again.
  ///
  /// Apple: after a 410, pushes stop until the device registers a token at a later time. Here it did, so
  /// the answer may be old, or one of the clocks wrong.
  private func isForgotten(
    _ device: Device, goneAt time: Milliseconds, _ line: PushLogEntry
  ) async throws -> Bool {
    let limits = limits
    let isForgotten = try await store.writeLogging(
      in: .account(device.key).and(.server), limit: limits.pushLogRows
    ) { store, log in
      guard var known = try store.devices.find(device.key), known.channel == device.channel else {
        return false
      }
      if known.registered <= time {
        try store.devices.remove(device.key)
        try log.append(line)
        return true
      }
      guard line.attempt >= limits.goneAttempts else { return false }
      // The entries stay until the device registers again, or opens a stream.
      known.channel = .stream
      try store.devices.put(known)
      var line = line
      line.reason += "; it registered later, but nothing is sent until it registers again"
      try log.append(line)
      return true
    }
    if isForgotten { removals.note([device.key]) }
    return isForgotten
  }

  private func line(
    _ device: Device, _ entry: MailboxEntry, _ notification: Notification?,
    _ verdict: PushLogEntry.Verdict, _ answer: ChannelAnswer, _ attempt: Int
  ) -> PushLogEntry {
    PushLogEntry(
      entry, of: device.key, by: device.channel.kind, verdict,
      subject: notification?.subject.words ?? "", now: clock.now(), status: answer.status,
      reason: answer.reason, attempt: attempt)
  }
}

extension MailboxEntry {
  /// What takes this entry's place when it waited too long: silence is never the answer.
  fileprivate func expired(of device: DeviceKey, _ now: Milliseconds) -> MailboxEntry {
    MailboxEntry(
      position: 0, notificationID: notificationID, subscriptionID: "", collapseID: nil,
      payload: PushPayload.encode(fetchEverything(for: device)), time: now, requestID: requestID)
  }
}

extension Notification.Subject {
  /// For the operator: names, never contents.
  package var words: String {
    switch self {
    case .query(let zone, let record, let reason, _):
      "record \(record) in zone \(zone.name) \(reason.words)"
    case .zone(let zone): "zone \(zone.name) changed"
    case .database(let zone): zone.map { "database changed: zone \($0.name)" } ?? "database changed"
    case .fetchEverything: "fetch everything"
    }
  }
}

extension Notification.Reason {
  fileprivate var words: String {
    switch self {
    case .created: "created"
    case .updated: "updated"
    case .deleted: "deleted"
    }
  }
}
