// From where an answer is looked at. The server names users and zone owners by record name; the
// framework shows the current user as `__defaultOwner__` and hides the owners of zones everywhere
// but in the shared database.

import BrumeModel

struct Viewpoint: Sendable {
  let scope: DatabaseScope
  /// The current user's record name, where it is known.
  var me: String?
  /// The server's address, which begins the URLs of shares.
  var server: String?

  /// The owner name to show for a zone.
  func ownerName(_ zone: ZoneID) -> String {
    guard scope == .shared, let owner = zone.ownerName, owner != me else {
      return CKCurrentUserDefaultName
    }
    return UserID.aliases.contains(owner) ? CKCurrentUserDefaultName : owner
  }

  /// The current user's own record name: the owner of a private zone, if nothing else names it.
  func me(in zone: ZoneID) -> String? {
    let owner = scope == .private ? zone.ownerName : nil
    return me ?? owner.flatMap { UserID.aliases.contains($0) ? nil : $0 }
  }

  /// The name to show for a user who touched a record of a zone.
  func userName(_ user: UserID, in zone: ZoneID) -> String {
    let isMe = user.name == me || (scope == .private && user.name == zone.ownerName)
    return isMe || UserID.aliases.contains(user.name) ? CKCurrentUserDefaultName : user.name
  }
}

extension ZoneID {
  /// The zone as the server wants it named: no owner means the caller.
  init(_ id: CKRecordZone.ID) {
    self.init(
      name: id.zoneName, ownerName: UserID.aliases.contains(id.ownerName) ? nil : id.ownerName)
  }
}

extension RecordID {
  init(_ id: CKRecord.ID) { self.init(name: id.recordName, zone: ZoneID(id.zoneID)) }
}

extension CKRecordZone.ID {
  convenience init(_ zone: ZoneID, from viewpoint: Viewpoint) {
    self.init(zoneName: zone.name, ownerName: viewpoint.ownerName(zone))
  }
}

extension CKRecord.ID {
  convenience init(_ id: RecordID, from viewpoint: Viewpoint) {
    self.init(recordName: id.name, zoneID: CKRecordZone.ID(id.zone, from: viewpoint))
  }

  /// The ID of a user's own record, which is in the default zone.
  convenience init(user: UserID, in zone: ZoneID, from viewpoint: Viewpoint) {
    self.init(recordName: viewpoint.userName(user, in: zone))
  }
}

extension CKDatabase.Scope {
  var model: DatabaseScope {
    switch self {
    case .public: .public
    case .private: .private
    case .shared: .shared
    }
  }
}
