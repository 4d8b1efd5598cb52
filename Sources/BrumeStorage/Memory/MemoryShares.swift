// Share memberships and short names in memory.

import BrumeModel

final class MemoryShares: MemoryFeature, ShareWriting {
  func memberships(
    of user: UserID, in containerEnvironment: ContainerEnvironment
  ) throws -> [Membership] {
    sorted {
      $0.user == user && $0.share.zone.database.containerEnvironment == containerEnvironment
    }
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    sorted { $0.share.zone == zone }
  }

  func put(_ membership: Membership) throws {
    draft.requireScope(.database(membership.share.zone.database))
    draft.state.memberships.insert(membership)
  }

  func remove(_ membership: Membership) throws {
    draft.requireScope(.database(membership.share.zone.database))
    draft.state.memberships.remove(membership)
  }

  func record(shortGUID: String) throws -> RecordKey? {
    draft.state.shortGUIDs[ByteText(shortGUID)]
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    draft.requireScope(.database(record.zone.database))
    draft.state.shortGUIDs[ByteText(shortGUID)] = record
  }

  /// By zone name, owner, share and user.
  private func sorted(_ condition: (Membership) -> Bool) -> [Membership] {
    func order(_ membership: Membership) -> [ByteText] {
      let zone = membership.share.zone
      return [
        ByteText(zone.name), ByteText(zone.database.ownerColumn),
        ByteText(membership.share.name),
        ByteText(membership.user.name),
      ]
    }
    return draft.state.memberships.filter(condition)
      .sorted { order($0).lexicographicallyPrecedes(order($1)) }
  }
}
