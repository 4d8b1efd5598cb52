// This counts the exchanges of roles, shares and settings.

import BrumeModel
import BrumeStorage

final class CountedRoles<Inner: RoleReading>: RoleReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [String]
  {
    count.asks()
    return try inner.names(of: user, in: containerEnvironment)
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    count.asks()
    return try inner.members(in: containerEnvironment)
  }
}

extension CountedRoles: RoleWriting where Inner: RoleWriting {
  func put(_ member: RoleMember) throws {
    count.writes()
    return try inner.put(member)
  }

  func remove(_ member: RoleMember) throws {
    count.writes()
    return try inner.remove(member)
  }
}

final class CountedShares<Inner: ShareReading>: ShareReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func memberships(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [Membership]
  {
    count.asks(.memberships(user, containerEnvironment))
    return try inner.memberships(of: user, in: containerEnvironment)
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    count.asks(.members(zone))
    return try inner.memberships(in: zone)
  }

  func record(shortGUID: String) throws -> RecordKey? {
    count.asks()
    return try inner.record(shortGUID: shortGUID)
  }
}

extension CountedShares: ShareWriting where Inner: ShareWriting {
  func put(_ membership: Membership) throws {
    count.writes()
    return try inner.put(membership)
  }

  func remove(_ membership: Membership) throws {
    count.writes()
    return try inner.remove(membership)
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    count.writes()
    return try inner.setShortGUID(shortGUID, record: record)
  }
}

final class CountedSettings<Inner: SettingReading>: SettingReading {
  private let inner: Inner
  private let count: ExchangeCount

  init(_ inner: Inner, _ count: ExchangeCount) {
    self.inner = inner
    self.count = count
  }

  func value(_ key: SettingKey) throws -> [UInt8]? {
    count.asks(.setting(key))
    return try inner.value(key)
  }
}

extension CountedSettings: SettingWriting where Inner: SettingWriting {
  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    count.writes(.setting(key))
    return try inner.set(key, to: value)
  }
}
