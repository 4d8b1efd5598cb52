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

  package var isEmpty: Bool { permissions.isEmpty }

  /// The best that the covering shares grant; nil if the record is none of the participant's
  /// business.
  package func permission(through covering: [String]) -> SharePermission? {
    let granted = covering.compactMap { permissions[$0] }
    return granted.contains(.readWrite) ? .readWrite : granted.first
  }

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

  /// Names of the shares that cover a record. Ancestors are asked of `find`.
  package mutating func shares(
    of record: Record, find: (String) throws -> Record?
  ) rethrows -> [String] {
    if record.isShare { return record.isZoneShare ? zoneShare : zoneShare + [record.name] }
    var path: [Record] = []
    var next: Record? = record
    var found = zoneShare
    while let current = next {
      if !path.isEmpty, let covering = known[current.name] {
        found = covering
        break
      }
      path.append(current)
      if path.count > chainLimit { break }
      next = try current.parent.flatMap { try find($0) }
    }
    for current in path.reversed() {
      if let share = current.share, !found.contains(share) { found.append(share) }
      known[current.name] = found
    }
    return found
  }
}

extension ReadTransaction {
  /// What `user` accepted in a zone of somebody else, as the shares themselves say it now.
  package func shareScope(of user: UserID, in zone: ZoneKey) throws -> ShareScope {
    let database = zone.database
    return try shareScope(
      of: user, in: zone,
      among: memberships(
        of: user, container: database.container, environment: database.environment))
  }

  /// The same, when the user's memberships are at hand.
  func shareScope(
    of user: UserID, in zone: ZoneKey, among memberships: [Membership]
  ) throws -> ShareScope {
    var permissions: [String: SharePermission] = [:]
    for membership in memberships where membership.share.zone == zone {
      guard let share = try record(membership.share)?.record().shareDetails,
        let permission = share.permission(of: user)
      else { continue }
      permissions[membership.share.name] = permission
    }
    let epoch = try setting(.sharingEpoch(zone)).flatMap {
      Int64(String(decoding: $0, as: UTF8.self))
    }
    return ShareScope(permissions: permissions, epoch: epoch ?? 0)
  }

  /// The records that a participant's shares cover, by name, at most `limit` and one more; nil if it is
  /// the whole zone. What `Coverage` finds from a record upwards, found from the shares downwards.
  func names(
    shownBy shares: ShareScope, in zone: ZoneKey, limit: Int
  ) throws -> Set<ByteText>? {
    if shares.permissions[Record.zoneShareName] != nil { return nil }
    let roots = try shares.permissions.keys.sorted().compactMap { name in
      try record(RecordKey(zone: zone, name: name))?.record().shareDetails?.rootRecordName
    }
    let below = try descendants(of: roots, in: zone, limit: limit + 1)
    return Set((shares.permissions.keys + roots + below).map { ByteText($0) })
  }

  /// A fresh memory of what covers the records of a zone.
  func coverage(in zone: ZoneKey, limits: Limits) throws -> Coverage {
    let zoneShare = try record(RecordKey(zone: zone, name: Record.zoneShareName))
    return Coverage(hasZoneShare: zoneShare != nil, chainLimit: limits.parentChain)
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
