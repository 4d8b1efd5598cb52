// The shared database as a view: which shares of somebody's zone a participant accepted, and which
// records they cover. A share covers its root and everything below it by `parent`; a zone-wide share
// covers the whole zone. Storage engines know nothing of this (ARCHITECTURE.md).

package import BrumeModel
import BrumeStorage

/// The shares of one zone that one participant accepted. What each of them grants is read when it is asked for, once: a share
/// has up to 1 MB, and somebody may take part in thousands. Of use only in its transaction.
final class ShareScope {
  /// What the share itself says now.
  private struct Granted {
    let permission: SharePermission?
    let root: String?
    let byteCount: Int
  }

  /// Ours: so many bytes of shares are read to find out whether any of them grants something. Beyond that, none does.
  static let mostBytes = 32 << 20

  private let user: UserID
  private let zone: ZoneKey
  private let transaction: any ReadTransaction
  /// Of the shares' records, in their order.
  private let names: [String]
  private let isJoined: Set<String>
  private let mostBytes: Int
  /// Of the shares that were read to find out.
  private var bytes = 0
  private var known: [String: Granted] = [:]

  /// What `user` accepted in a zone of somebody else.
  convenience init(
    of user: UserID, in zone: ZoneKey, from transaction: any ReadTransaction
  ) throws {
    let memberships = try transaction.shares.memberships(
      of: user, in: zone.database.containerEnvironment)
    self.init(of: user, in: zone, among: memberships, from: transaction)
  }

  /// The same, when the user's memberships are at hand.
  init(
    of user: UserID, in zone: ZoneKey, among memberships: [Membership],
    from transaction: any ReadTransaction, mostBytes: Int = ShareScope.mostBytes
  ) {
    self.user = user
    self.zone = zone
    self.transaction = transaction
    self.mostBytes = mostBytes
    names = memberships.map(\.share).filter { $0.zone == zone }.map(\.name).sorted()
    isJoined = Set(names)
  }

  /// Another number whenever other records may be visible: a share that begins to show something to somebody who takes part
  /// in it, or ends to, raises the epoch.
  func digest() throws -> UInt64 {
    var digest = StableHash()
    digest.add(String(try transaction.settings.sharingEpoch(of: zone)))
    for name in names { digest.add(name) }
    // Zero is the owner's view.
    return max(1, digest.value)
  }

  /// What one of the shares grants; nil if the participant is not in it, or may see nothing of it.
  ///
  /// - Throws: the `BrumeError` for damage if the share cannot be read.
  func permission(of share: String) throws -> SharePermission? {
    try isJoined.contains(share) ? granted(by: share).permission : nil
  }

  /// The best that the covering shares grant; nil if the record is none of the participant's
  /// business.
  func permission(through covering: [String]) throws -> SharePermission? {
    let granted = try covering.compactMap { try permission(of: $0) }
    return granted.contains(.readWrite) ? .readWrite : granted.first
  }

  /// Whether no share shows anything of the zone to the participant.
  func isEmpty() throws -> Bool { try !finds { $0.permission != nil } }

  /// The most that any of the shares grants: who may write nowhere in the zone makes nothing there.
  ///
  /// - Throws: `limitExceeded` if the shares have too many bytes, and those that were read do not allow to write.
  func best() throws -> SharePermission? {
    if try finds({ $0.permission == .readWrite }) { return .readWrite }
    try requireAll("to find one that allows to write; leave some of them")
    return known.values.lazy.compactMap(\.permission).first
  }

  /// The records that the shares cover, by name, at most `limit` and one more; nil if it is the whole
  /// zone. What `Coverage` finds from a record upwards, found from the shares downwards.
  ///
  /// - Throws: `limitExceeded` if the shares have too many bytes.
  func coveredNames(limit: Int) throws -> Set<ByteText>? {
    if try permission(of: Record.zoneShareName) != nil { return nil }
    _ = try finds { _ in false }
    try requireAll("for a query; fetch the zone's changes instead")
    let shown = known.filter { $0.value.permission != nil }
    let roots = shown.keys.sorted().compactMap { shown[$0]?.root }
    let below = try transaction.records.descendants(of: roots, in: zone, limit: limit + 1)
    return Set((shown.keys + roots + below).map { ByteText($0) })
  }

  /// Whether one of the shares is as wanted, of those that may be read to find out.
  private func finds(_ isWanted: (Granted) -> Bool) throws -> Bool {
    for name in names where known[name] != nil || bytes < mostBytes {
      let isNew = known[name] == nil
      let granted = try granted(by: name)
      if isNew { bytes += granted.byteCount }
      if isWanted(granted) { return true }
    }
    return false
  }

  private func granted(by share: String) throws -> Granted {
    if let granted = known[share] { return granted }
    let stored = try transaction.records.find(RecordKey(zone: zone, name: share))
    let details = try stored?.record().shareDetails
    let granted = Granted(
      permission: details?.permission(of: user), root: details?.rootRecordName,
      byteCount: stored?.byteCount ?? 0)
    known[share] = granted
    return granted
  }

  /// That no share was left unread for its bytes.
  private func requireAll(_ purpose: String) throws {
    if known.count == names.count { return }
    throw BrumeError(
      .limitExceeded,
      "the shares of zone '\(zone.name)' that you take part in have more than \(mostBytes) bytes, too many "
        + purpose)
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

  /// Whether somebody who takes part sees something of it that they did not see before, or no longer does.
  func showsOthers(than old: Share) -> Bool {
    usersWhoTookPart(in: old).contains {
      (permission(of: $0) == nil) != (old.permission(of: $0) == nil)
    }
  }

  /// Those who take part and see nothing of it any more.
  func usersWhoSeeNoMore(since old: Share) -> [UserID] {
    usersWhoTookPart(in: old).filter { permission(of: $0) == nil && old.permission(of: $0) != nil }
  }

  private func usersWhoTookPart(in old: Share) -> [UserID] {
    participants.compactMap { participant in
      guard let user = participant.identity.user, participant.acceptance == .accepted,
        old.participant(user)?.acceptance == .accepted
      else { return nil }
      return user
    }
  }
}
