// This counts the exchanges of what leads outside.

import BrumeModel
import BrumeStorage

final class CountedAPNsSenders<Inner: APNsSenderReading>: APNsSenderReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func all(of container: ContainerID) throws -> [APNsSender] {
    count.asks()
    return try inner.all(of: container)
  }
}

extension CountedAPNsSenders: APNsSenderWriting where Inner: APNsSenderWriting {
  func put(_ sender: APNsSender) throws {
    count.writes()
    return try inner.put(sender)
  }

  func remove(_ topic: String, of container: ContainerID) throws -> Bool {
    count.asks()
    count.writes()
    return try inner.remove(topic, of: container)
  }
}

final class CountedWebhooks<Inner: WebhookReading>: WebhookReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func all() throws -> [Webhook] {
    count.asks()
    return try inner.all()
  }

  func find(_ id: String) throws -> Webhook? {
    count.asks()
    return try inner.find(id)
  }
}

extension CountedWebhooks: WebhookWriting where Inner: WebhookWriting {
  func put(_ webhook: Webhook) throws {
    count.writes()
    return try inner.put(webhook)
  }

  func remove(_ id: String) throws -> Bool {
    count.asks()
    count.writes()
    return try inner.remove(id)
  }
}

final class CountedPushLog<Inner: PushLogReading>: PushLogReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func entries(_ filter: PushLogFilter, after position: Int64, limit: Int) throws
    -> [PushLogEntry]
  {
    count.asks()
    return try inner.entries(filter, after: position, limit: limit)
  }
}

extension CountedPushLog: PushLogWriting where Inner: PushLogWriting {
  func append(_ entries: [PushLogEntry], limit: Int) throws {
    count.writes()
    return try inner.append(entries, limit: limit)
  }
}
