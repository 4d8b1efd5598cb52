// The shared database as a view: which shares of somebody's zone a participant accepted, and which
// records they cover. A share covers its root and everything below it by `parent`; a zone-wide share
// covers the whole zone. Storage engines know nothing of this (ARCHITECTURE.md).

package import BrumeModel
package import BrumeStorage

/// The shares of one zone that one participant accepted.
package struct ShareScope: Equatable, Sendable {
  /// What the participant may do, by the share's record name.
  package let permissions: [String: SharePermission]
  /// Raised when records moved between shares.
  package let epoch: Int64

  package init(permissions: [String: SharePermission], epoch: Int64 = 0) {
    self.permissions = permissions
    self.epoch = epoch
  }

  /// Whether the participant has no share of the zone.
  package var isEmpty: Bool { permissions.isEmpty }

  /// The best that the covering shares grant; nil if the record is none of the participant's
  /// business.
  package func permission(through covering: [String]) -> SharePermission? {
    let granted = covering.compactMap { permissions[$0] }
    return granted.contains(.readWrite) ? .readWrite : granted.first
  }

  /// The most that any of the shares grants: who may write nowhere in the zone makes nothing there.
  package var best: SharePermission? { permission(through: Array(permissions.keys)) }

  /// Another number whenever other records may be visible.
  package var digest: UInt64 {
    var digest = StableHash()
    digest.add(String(epoch))
    for name in permissions.keys.sorted() { digest.add(name) }
    // Zero is the owner's view.
    return max(1, digest.value)
  }
}

/// Which shares cover which records of one zone, remembering what it found on the way.
package struct Coverage: Sendable {
  private var known: [String: [String]] = [:]
  private let zoneShare: [String]
  private let chainLimit: Int

  /// - Parameter hasZoneShare: a zone-wide share covers everything beside the records' own shares.
  package init(hasZoneShare: Bool, chainLimit: Int) {
    zoneShare = hasZoneShare ? [Record.zoneShareName] : []
    self.chainLimit = chainLimit
  }

  /// Whether it was found what covers a record, or others through it.
  func knows(_ name: String) -> Bool { known[name] != nil }

  /// Names of the shares that cover a record. Ancestors are asked of `find`.
  package mutating func shares(
    of record: Record, find: (String) throws -> Record?
  ) rethrows -> [String] {
    if record.isShare { return record.isZoneShare ? zoneShare : zoneShare + [record.name] }
    var path: [Record] = []
    var next: Record? = record
    var found = zoneShare
    var isWhole = true
    while let current = next {
      if !path.isEmpty, let covering = known[current.name] {
        found = covering
        break
      }
      path.append(current)
      if path.count > chainLimit {
        isWhole = current.parent == nil
        break
      }
      next = try current.parent.flatMap { try find($0) }
    }
    for current in path.reversed() {
      if let share = current.share, !found.contains(share) { found.append(share) }
      // What is above the limit was not seen, and may cover these: nothing is remembered of them.
      if isWhole { known[current.name] = found }
    }
    return found
  }
}

// MARK: From what is stored

extension ShareScope {
  /// What `user` accepted in a zone of somebody else, as the shares themselves say it now.
  ///
  /// - Throws: the `BrumeError` for damage if a share cannot be read.
  package init(of user: UserID, in zone: ZoneKey, from transaction: any ReadTransaction) throws {
    let database = zone.database
    let memberships = try transaction.shares.memberships(
      of: user, in: database.containerEnvironment)
    try self.init(of: user, in: zone, among: memberships, from: transaction)
  }

  /// The same, when the user's memberships are at hand.
  init(
    of user: UserID, in zone: ZoneKey, among memberships: [Membership],
    from transaction: any ReadTransaction
  ) throws {
    var permissions: [String: SharePermission] = [:]
    for membership in memberships where membership.share.zone == zone {
      guard let share = try transaction.records.find(membership.share)?.record().shareDetails,
        let permission = share.permission(of: user)
      else { continue }
      permissions[membership.share.name] = permission
    }
    self.init(permissions: permissions, epoch: try transaction.settings.sharingEpoch(of: zone))
  }

  /// The records that the shares cover, by name, at most `limit` and one more; nil if it is the whole
  /// zone. What `Coverage` finds from a record upwards, found from the shares downwards.
  func names(
    in zone: ZoneKey, limit: Int, from transaction: any ReadTransaction
  ) throws -> Set<ByteText>? {
    if permissions[Record.zoneShareName] != nil { return nil }
    let records = transaction.records
    let roots = try permissions.keys.sorted().compactMap { name in
      try records.find(RecordKey(zone: zone, name: name))?.record().shareDetails?.rootRecordName
    }
    let below = try records.descendants(of: roots, in: zone, limit: limit + 1)
    return Set((permissions.keys + roots + below).map { ByteText($0) })
  }
}

extension Coverage {
  /// A fresh memory of what covers the records of a zone.
  init(of zone: ZoneKey, _ limits: Limits, from transaction: any ReadTransaction) throws {
    let zoneShare = try transaction.records.find(
      RecordKey(zone: zone, name: Record.zoneShareName))
    self.init(hasZoneShare: zoneShare != nil, chainLimit: limits.parentChain)
  }
}

extension SettingReading {
  /// How often records of a zone moved between shares.
  fileprivate func sharingEpoch(of zone: ZoneKey) throws -> Int64 {
    try number(.sharingEpoch(zone)) ?? 0
  }
}

extension SettingWriting {
  /// Makes participants of a zone start over: other records are shared now.
  func raiseSharingEpoch(of zone: ZoneKey) throws {
    try set(.sharingEpoch(zone), toNumber: try sharingEpoch(of: zone) + 1)
  }
}

extension Share {
  /// What an accepted participant may do; nil for everybody else.
  package func permission(of user: UserID) -> SharePermission? {
    guard let participant = participant(user), participant.acceptance == .accepted else {
      return nil
    }
    if participant.permission == .readWrite || publicPermission == .readWrite { return .readWrite }
    if participant.permission == .readOnly || publicPermission == .readOnly { return .readOnly }
    return nil
  }
}
