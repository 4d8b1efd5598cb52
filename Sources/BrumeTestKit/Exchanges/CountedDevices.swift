// This counts the exchanges of devices, mailboxes and kept notifications.

import BrumeModel
import BrumeStorage

final class CountedDevices<Inner: DeviceReading>: DeviceReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func find(_ key: DeviceKey) throws -> Device? {
    count.asks(.device(key))
    return try inner.find(key)
  }

  func all(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [Device]
  {
    count.asks()
    return try inner.all(of: user, in: containerEnvironment)
  }

  func all(of user: UserID) throws -> [Device] {
    count.asks()
    return try inner.all(of: user)
  }

  func all(courierToken: String) throws -> [Device] {
    count.asks()
    return try inner.all(courierToken: courierToken)
  }

  func withPendingEntries(after cursor: PendingCursor?, limit: Int) throws -> (
    devices: [Device], next: PendingCursor?
  ) {
    count.asks()
    return try inner.withPendingEntries(after: cursor, limit: limit)
  }

  func all(address: String) throws -> [Device] {
    count.asks()
    return try inner.all(address: address)
  }
}

extension CountedDevices: DeviceWriting where Inner: DeviceWriting {
  func put(_ device: Device) throws {
    count.writes(.device(device.key))
    return try inner.put(device)
  }

  func remove(_ key: DeviceKey) throws {
    count.writes()
    return try inner.remove(key)
  }
}

final class CountedMailboxes<Inner: MailboxReading>: MailboxReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func entries(of device: DeviceKey, after position: Int64, limit: Int) throws
    -> [MailboxEntry]
  {
    count.asks()
    return try inner.entries(of: device, after: position, limit: limit)
  }

  func lastPosition() throws -> Int64 {
    count.asks()
    return try inner.lastPosition()
  }

  func count(of device: DeviceKey) throws -> Int {
    count.asks()
    return try inner.count(of: device)
  }
}

extension CountedMailboxes: MailboxWriting where Inner: MailboxWriting {
  func enqueue(_ entry: MailboxEntry, to device: DeviceKey) throws -> Int64 {
    count.asks()
    count.writes()
    return try inner.enqueue(entry, to: device)
  }

  func acknowledge(through position: Int64, by device: DeviceKey) throws {
    count.writes()
    return try inner.acknowledge(through: position, by: device)
  }

  func remove(at position: Int64, of device: DeviceKey) throws {
    count.writes()
    return try inner.remove(at: position, of: device)
  }
}

final class CountedNotifications<Inner: NotificationReading>: NotificationReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func kept(
    for user: UserID, in containerEnvironment: ContainerEnvironment, after position: Int64,
    limit: Int
  ) throws -> [KeptNotification] {
    count.asks()
    return try inner.kept(for: user, in: containerEnvironment, after: position, limit: limit)
  }

  func badge(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> Int
  {
    count.asks()
    return try inner.badge(of: user, in: containerEnvironment)
  }
}

extension CountedNotifications: NotificationWriting where Inner: NotificationWriting {
  func keep(
    _ notification: KeptNotification, for user: UserID,
    in containerEnvironment: ContainerEnvironment, limit: Int
  ) throws {
    count.writes()
    return try inner.keep(notification, for: user, in: containerEnvironment, limit: limit)
  }

  func markRead(
    _ ids: [String], of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [String] {
    count.asks()
    count.writes()
    return try inner.markRead(ids, of: user, in: containerEnvironment)
  }

  func setBadge(
    _ value: Int, of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws {
    count.writes()
    return try inner.setBadge(value, of: user, in: containerEnvironment)
  }

  func removeAll(of user: UserID, in containerEnvironment: ContainerEnvironment) throws {
    count.writes()
    return try inner.removeAll(of: user, in: containerEnvironment)
  }
}
