// Devices, mailboxes and kept notifications in memory.

import BrumeModel

extension MemoryTransaction {
  func device(_ key: DeviceKey) throws -> Device? { state.devices[key.byteText] }

  func devices(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [Device] {
    state.devices.values.filter {
      $0.key.user == user && $0.key.container == container && $0.key.environment == environment
    }
    .sorted { $0.key.byteText < $1.key.byteText }
  }

  func devices(of user: UserID) throws -> [Device] {
    state.devices.values.filter { $0.key.user == user }.sorted { $0.key.byteText < $1.key.byteText }
  }

  func devices(courierToken: String) throws -> [Device] {
    state.devices.values.filter {
      if case .courier(let token) = $0.channel { token == courierToken } else { false }
    }
    .sorted {
      $0.registered == $1.registered
        ? $0.key.byteText < $1.key.byteText : $0.registered < $1.registered
    }
  }

  func put(_ device: Device) throws {
    requireScope(device.key)
    state.devices[device.key.byteText] = device
  }

  func removeDevice(_ key: DeviceKey) throws {
    requireScope(key)
    state.devices[key.byteText] = nil
    state.mailboxes[key.byteText] = nil
  }

  private func requireScope(_ device: DeviceKey) {
    requireScope(.account(device.user, device.container, device.environment))
  }
}

// MARK: Mailboxes

extension MemoryTransaction {
  func mailbox(
    _ device: DeviceKey, after position: Int64, limit: Int
  ) throws -> [MailboxEntry] {
    let entries = state.mailboxes[device.byteText] ?? []
    return Array(entries.filter { $0.position > position }.prefix(limit))
  }

  func lastMailboxPosition() throws -> Int64 { state.lastMailboxPosition }

  func mailboxCount(_ device: DeviceKey) throws -> Int {
    state.mailboxes[device.byteText]?.count ?? 0
  }

  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    requireScope(device)
    let name = ByteText(parts: entry.notificationID, entry.subscriptionID)
    let waiting = state.mailboxes[device.byteText]?.first {
      ByteText(parts: $0.notificationID, $0.subscriptionID) == name
    }
    if let waiting { return waiting.position }
    state.lastMailboxPosition += 1
    state.mailboxes[device.byteText, default: []].append(
      MailboxEntry(
        position: state.lastMailboxPosition, notificationID: entry.notificationID,
        subscriptionID: entry.subscriptionID, collapseID: entry.collapseID,
        payload: entry.payload, time: entry.time, requestID: entry.requestID))
    return state.lastMailboxPosition
  }

  func acknowledge(through position: Int64, by device: DeviceKey) throws {
    requireScope(device)
    state.mailboxes[device.byteText]?.removeAll { $0.position <= position }
  }

  func removeMailboxEntry(at position: Int64, of device: DeviceKey) throws {
    requireScope(device)
    state.mailboxes[device.byteText]?.removeAll { $0.position == position }
  }
}

// MARK: Kept notifications

extension MemoryTransaction {
  func keptNotifications(
    of user: UserID, container: ContainerID, environment: Environment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    let kept = state.kept[place(user, container, environment)] ?? []
    return Array(kept.filter { $0.position > position }.prefix(limit))
  }

  func keep(
    _ notification: KeptNotification, for user: UserID, container: ContainerID,
    environment: Environment, limit: Int
  ) throws {
    requireScope(.account(user, container, environment))
    let place = place(user, container, environment)
    let name = ByteText(parts: notification.id, notification.subscriptionID)
    var kept = state.kept[place] ?? []
    guard !kept.contains(where: { ByteText(parts: $0.id, $0.subscriptionID) == name }) else {
      return
    }
    kept.append(moved(notification, isRead: notification.isRead))
    state.kept[place] = Array(kept.suffix(max(0, limit)))
  }

  func markRead(
    _ ids: [String], of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String] {
    requireScope(.account(user, container, environment))
    let place = place(user, container, environment)
    var found: [String] = []
    for id in ids where !found.contains(where: { ByteText($0) == ByteText(id) }) {
      let (hit, rest) = (state.kept[place] ?? []).split { ByteText($0.id) == ByteText(id) }
      guard !hit.isEmpty else { continue }
      state.kept[place] = rest + hit.map { moved($0, isRead: true) }
      found.append(id)
    }
    return found
  }

  func badge(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> Int {
    state.badges[place(user, container, environment)] ?? 0
  }

  func setBadge(
    _ value: Int, of user: UserID, container: ContainerID, environment: Environment
  ) throws {
    requireScope(.account(user, container, environment))
    state.badges[place(user, container, environment)] = value
  }

  private func place(
    _ user: UserID, _ container: ContainerID, _ environment: Environment
  ) -> ByteText {
    ByteText(parts: container.name, environment.rawValue, user.name)
  }

  /// The notification at the end of the feed.
  private func moved(_ notification: KeptNotification, isRead: Bool) -> KeptNotification {
    state.lastKeptPosition += 1
    return KeptNotification(
      position: state.lastKeptPosition, id: notification.id,
      subscriptionID: notification.subscriptionID, payload: notification.payload, isRead: isRead)
  }
}

extension Array {
  fileprivate func split(_ condition: (Element) -> Bool) -> (hit: [Element], rest: [Element]) {
    (filter(condition), filter { !condition($0) })
  }
}
