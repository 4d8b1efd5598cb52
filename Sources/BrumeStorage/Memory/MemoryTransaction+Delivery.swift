// Delivery to the outside, in memory.

import BrumeModel

extension MemoryTransaction {
  func devicesWithPendingEntries(
    after cursor: Int64?, limit: Int
  ) throws -> (devices: [Device], next: Int64?) {
    let all = state.devices.filter { name, device in
      device.channel.kind.isPushed && !(state.mailboxes[name]?.isEmpty ?? true)
    }
    .sorted { $0.key < $1.key }.map(\.value)
    let start = Int(cursor ?? 0)
    let page = Array(all.dropFirst(start).prefix(limit))
    let end = start + page.count
    return (page, end < all.count ? Int64(end) : nil)
  }

  func devices(address: String) throws -> [Device] {
    state.devices.filter { $0.value.channel.address.map { ByteText($0) } == ByteText(address) }
      .sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: APNs

  func apnsSenders(of container: ContainerID) throws -> [APNsSender] {
    state.apnsSenders.filter { $0.container == container }
  }

  func put(_ sender: APNsSender) throws {
    requireScope(.server)
    if let index = index(sender.topic, sender.container) {
      state.apnsSenders[index] = sender
    } else {
      state.apnsSenders.append(sender)
    }
  }

  func removeAPNsSender(_ topic: String, of container: ContainerID) throws -> Bool {
    requireScope(.server)
    guard let index = index(topic, container) else { return false }
    state.apnsSenders.remove(at: index)
    return true
  }

  private func index(_ topic: String, _ container: ContainerID) -> Int? {
    state.apnsSenders.firstIndex {
      ByteText($0.topic) == ByteText(topic) && $0.container == container
    }
  }

  // MARK: Webhooks

  func webhooks() throws -> [Webhook] {
    state.webhooks.sorted { ByteText($0.id) < ByteText($1.id) }
  }

  func webhook(_ id: String) throws -> Webhook? {
    state.webhooks.first { ByteText($0.id) == ByteText(id) }
  }

  func put(_ webhook: Webhook) throws {
    requireScope(.server)
    try removeWebhook(webhook.id)
    state.webhooks.append(webhook)
  }

  @discardableResult
  func removeWebhook(_ id: String) throws -> Bool {
    requireScope(.server)
    let index = state.webhooks.firstIndex { ByteText($0.id) == ByteText(id) }
    if let index { state.webhooks.remove(at: index) }
    return index != nil
  }

  // MARK: The log

  func pushLog(
    _ filter: PushLogFilter, after position: Int64, limit: Int
  ) throws -> [PushLogEntry] {
    Array(
      state.pushLog.filter { $0.position > position && filter.admits($0) }.suffix(max(0, limit)))
  }

  func append(_ entries: [PushLogEntry], limit: Int) throws {
    for var entry in entries {
      state.lastPushLogPosition += 1
      entry.position = state.lastPushLogPosition
      state.pushLog.append(entry)
    }
    if state.pushLog.count > limit {
      state.pushLog.removeFirst(state.pushLog.count - max(0, limit))
    }
  }
}

extension Device.Channel {
  /// Where the server sends to, if it sends.
  fileprivate var address: String? {
    switch self {
    case .stream, .courier: nil
    case .apns(let token, _, _): token
    case .webPush(let target): target.endpoint
    }
  }
}
