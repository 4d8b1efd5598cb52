// This counts the exchanges of roles, shares and settings.

import BrumeModel
import BrumeStorage

final class CountedRoles<Inner: RoleReading>: Counted<Inner>, RoleReading {
  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [String]
  {
    exchanges.asks()
    return try inner.names(of: user, in: containerEnvironment)
  }

  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember] {
    exchanges.asks()
    return try inner.members(in: containerEnvironment)
  }
}

extension CountedRoles: RoleWriting where Inner: RoleWriting {
  func put(_ member: RoleMember) throws {
    exchanges.writes()
    return try inner.put(member)
  }

  func remove(_ member: RoleMember) throws {
    exchanges.writes()
    return try inner.remove(member)
  }
}

final class CountedShares<Inner: ShareReading>: Counted<Inner>, ShareReading {
  func memberships(of user: UserID, in containerEnvironment: ContainerEnvironment) throws
    -> [Membership]
  {
    exchanges.asks(.memberships(user, containerEnvironment))
    return try inner.memberships(of: user, in: containerEnvironment)
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    exchanges.asks(.members(zone))
    return try inner.memberships(in: zone)
  }

  func record(shortGUID: String) throws -> RecordKey? {
    exchanges.asks()
    return try inner.record(shortGUID: shortGUID)
  }
}

extension CountedShares: ShareWriting where Inner: ShareWriting {
  func put(_ membership: Membership) throws {
    exchanges.writes()
    return try inner.put(membership)
  }

  func remove(_ membership: Membership) throws {
    exchanges.writes()
    return try inner.remove(membership)
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    exchanges.writes()
    return try inner.setShortGUID(shortGUID, record: record)
  }
}

final class CountedSettings<Inner: SettingReading>: Counted<Inner>, SettingReading {
  func value(_ key: SettingKey) throws -> [UInt8]? {
    exchanges.asks(.setting(key))
    return try inner.value(key)
  }
}

extension CountedSettings: SettingWriting where Inner: SettingWriting {
  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    exchanges.writes(.setting(key))
    return try inner.set(key, to: value)
  }
}
