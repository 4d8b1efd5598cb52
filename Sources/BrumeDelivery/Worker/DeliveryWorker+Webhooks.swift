// Serving one webhook: the next entries of the log, as one call. The end of the call is stored before it
// is sent, so that every attempt has the same changes under the same ID.

import BrumeCore
package import BrumeModel
import BrumeStorage
import BrumeWire
import Synchronization

extension DeliveryWorker {
  private struct Batch: Sendable {
    let webhook: Webhook
    /// Where the call brings the webhook to.
    let end: Webhook.BatchEnd
    let changes: [WebhookCall.Change]
    var id: String {
      let bucket = end.bucket == .only ? "" : "_\(end.bucket)"
      return "msg_\(webhook.id)\(bucket)_\(webhook.cursor[end.bucket])_\(end.position)"
    }
    /// The first that caused a change in it.
    var requestID: String { changes.first?.entry.origin.requestID ?? "" }
    var isEmpty: Bool { changes.isEmpty && !webhook.missed }
  }

  func callNext(
    webhook id: String, _ attempt: Int
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    guard let batch = try await store.read({ store in try self.batch(id, in: store) }) else {
      return .empty
    }
    lastBuckets.withLock { $0[id] = batch.end.bucket }
    if batch.isEmpty {
      try await change(batch) { $0.arrived(at: batch.end, saidMissed: batch.webhook.missed) }
      return .delivered
    }
    if batch.webhook.batchEnd == nil { try await change(batch) { $0.batchEnd = batch.end } }
    let now = clock.now()
    let messageID = "\(batch.id)_\(generation)"
    let body = Wire.webhookCall(
      WebhookCall(id: messageID, webhook: batch.webhook, changes: batch.changes))
    return try await sendOnce(to: .webhook(id), messageID, since: now) {
      try await webhooks.send(
        body, id: messageID, causedBy: batch.requestID, to: batch.webhook, now: now)
    } note: { answer, start in
      try await settle(answer, batch, messageID, attempt, since: start)
    }
  }

  /// Calls a webhook once without changes, beside what it is called with, and notes the answer.
  ///
  /// - Throws: what the store throws, if the answer cannot be noted; `CancellationError`. A failed call is an
  ///   answer.
  package func test(
    _ webhook: Webhook, messageID: String, requestID: String
  ) async throws -> PushLogEntry {
    let body = Wire.webhookCall(WebhookCall(id: messageID, webhook: webhook, changes: []))
    let answer = try await webhooks.send(
      body, id: messageID, causedBy: requestID, to: webhook, now: clock.now())
    let batch = Batch(webhook: webhook, end: webhook.reached(in: .only), changes: [])
    let verdict: PushLogEntry.Verdict = answer.verdict == .done ? .sent : .refused
    var line = line(batch, messageID, verdict, answer, 1)
    (line.requestID, line.subject) = (requestID, "a test")
    let rows = limits.pushLogRows
    try await store.write(in: .server) { [line] in try $0.pushLog.append(line, limit: rows) }
    return line
  }

  // MARK: What to send

  /// They belong to no bucket: whoever has the first one calls them, and another server may have taken it over.
  private func batch(_ id: String, in store: any ReadTransaction) throws -> Batch? {
    guard self.store.leases.owns(.only), let webhook = try store.webhooks.find(id),
      webhook.isActive
    else { return nil }
    let newest = try store.log.lastPositions()
    let open = webhook.batchEnd.map { [$0.bucket] } ?? turns(of: webhook, among: newest.buckets)
    for bucket in open where webhook.cursor[bucket] < newest[bucket] {
      if let batch = try batch(webhook, of: bucket, in: store) { return batch }
    }
    return webhook.missed
      ? Batch(webhook: webhook, end: webhook.reached(in: .only), changes: []) : nil
  }

  /// From the bucket behind that of the last call on: one in which something is saved all the time keeps no other waiting.
  private func turns(of webhook: Webhook, among buckets: [Bucket]) -> [Bucket] {
    guard let last = lastBuckets.withLock({ $0[webhook.id] }),
      let next = buckets.firstIndex(where: { last < $0 })
    else { return buckets }
    return Array(buckets[next...] + buckets[..<next])
  }

  private func batch(
    _ webhook: Webhook, of bucket: Bucket, in store: any ReadTransaction
  ) throws -> Batch? {
    let entries = try entries(for: webhook, of: bucket, in: store)
    // A call that was begun ends where it was to, also when nothing of its entries can be read any more.
    guard var end = webhook.batchEnd?.position ?? entries.last?.position else { return nil }
    var changes: [WebhookCall.Change] = []
    var bytes = 0
    for entry in entries where concerns(entry, webhook) {
      var record = try record(of: entry, in: store)
      if bytes + Wire.webhookBytes(record) > limits.webhookBytes, !changes.isEmpty {
        // A new call ends where it gets too large. A repeated one must hold all changes that it held, and records
        // may have grown since: it goes without those for which there is no room.
        if webhook.batchEnd == nil {
          end = entry.position - 1
          break
        }
        record = nil
      }
      bytes += Wire.webhookBytes(record)
      let id = NotificationID.text(generation: generation, entry: entry)
      changes.append(.init(id: id, entry: entry, record: record))
    }
    return Batch(webhook: webhook, end: .init(bucket: bucket, position: end), changes: changes)
  }

  /// A new call ends where the images of its entries get too large; a repeated one has those that it had.
  private func entries(
    for webhook: Webhook, of bucket: Bucket, in store: any ReadTransaction
  ) throws -> [LogEntry] {
    let start = webhook.cursor[bucket]
    guard let end = webhook.batchEnd?.position else {
      return try store.log.entries(
        in: bucket, after: start, limit: limits.webhookChanges, imageBytes: limits.webhookBytes)
    }
    let most = min(limits.webhookChanges, Int(clamping: end - start))
    return try store.log.entries(in: bucket, after: start, limit: max(0, most))
      .filter { $0.position <= end }
  }

  private func concerns(_ entry: LogEntry, _ webhook: Webhook) -> Bool {
    guard entry.database.containerEnvironment == webhook.containerEnvironment
    else { return false }
    switch entry.event {
    case .record, .zoneCreated, .zoneDeleted: return true
    case .membership, .subscription: return false
    }
  }

  private func record(
    of entry: LogEntry, in store: any ReadTransaction
  ) throws -> StoredRecord? {
    guard case .record(let change) = entry.event, change.kind != .deleted else { return nil }
    return try store.records.find(change.record)
  }

  // MARK: Noting the answer

  private func settle(
    _ answer: ChannelAnswer, _ batch: Batch, _ messageID: String, _ attempt: Int,
    since start: Milliseconds?
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    switch answer.verdict {
    case .done:
      let line = line(batch, messageID, .sent, answer, attempt)
      report(Webhook.channel, .sent, since: start)
      try await change(batch, line) { $0.arrived(at: batch.end, saidMissed: batch.webhook.missed) }
      return .delivered
    case .gone:
      let line = line(batch, messageID, .gone, answer, attempt)
      report(Webhook.channel, .gone, since: start)
      try await change(batch, line) { $0.disabledBecause = "answered 410" }
      return .empty
    case .retry(let after), .busy(let after):
      return try await failed(answer, batch, messageID, attempt, start, after)
    case .refused, .tooLarge:
      return try await failed(answer, batch, messageID, attempt, start, nil)
    }
  }

  private func failed(
    _ answer: ChannelAnswer, _ batch: Batch, _ messageID: String, _ attempt: Int,
    _ start: Milliseconds?, _ after: Milliseconds?
  ) async throws -> DeliveryQueue<Lane>.Outcome {
    let maximum = limits.webhookFailures
    report(Webhook.channel, .retry, since: start)
    let line = line(batch, messageID, .retry, answer, attempt)
    let isOff = try await change(batch, line) { webhook in
      webhook.failures += 1
      if webhook.failures >= maximum {
        let status = answer.status.map { "status \($0)" } ?? answer.reason
        webhook.disabledBecause = "failed \(webhook.failures) times in a row, last: \(status)"
      }
    }
    return isOff ? .empty : .retry(after: after)
  }

  /// Changes the stored webhook if it is still there and on, with a line in the log. Answers whether
  /// it is off or gone now.
  @discardableResult
  private func change(
    _ batch: Batch, _ line: PushLogEntry? = nil,
    _ change: @escaping @Sendable (inout Webhook) -> Void
  ) async throws -> Bool {
    let bucket = batch.end.bucket
    let before = batch.webhook.cursor[bucket]
    return try await store.writeLogging(in: .server, limit: limits.pushLogRows) { store, log in
      if let line { try log.append(line) }
      guard var webhook = try store.webhooks.find(batch.webhook.id), webhook.isActive else {
        return true
      }
      // The notifier may have moved it on meanwhile because it is too far behind.
      if webhook.cursor[bucket] == before { change(&webhook) }
      try store.webhooks.put(webhook)
      return !webhook.isActive
    }
  }

  private func line(
    _ batch: Batch, _ messageID: String, _ verdict: PushLogEntry.Verdict,
    _ answer: ChannelAnswer, _ attempt: Int
  ) -> PushLogEntry {
    let count = batch.changes.count
    return PushLogEntry(
      time: clock.now(), in: batch.webhook.containerEnvironment, user: nil,
      device: batch.webhook.id,
      channel: Webhook.channel, notificationID: messageID, subscriptionID: "",
      requestID: batch.requestID,
      subject: "\(count) change\(count == 1 ? "" : "s")", verdict: verdict, status: answer.status,
      reason: answer.reason, attempt: attempt)
  }
}

extension Webhook {
  fileprivate func reached(in bucket: Bucket) -> BatchEnd {
    BatchEnd(bucket: bucket, position: cursor[bucket])
  }

  /// - Parameter saidMissed: whether the call said that changes were missed; another bucket may have lost some since.
  fileprivate mutating func arrived(at end: BatchEnd, saidMissed: Bool) {
    cursor[end.bucket] = end.position
    batchEnd = nil
    failures = 0
    if saidMissed { missed = false }
  }
}
