// A share that somebody has the address of: their place in it, what they may know of it, and joining it.

package import BrumeModel
import BrumeStorage

/// A share found by its address.
struct AddressedShare {
  let request: ShortGUIDRequest
  /// What a one-time URL has beside the address.
  let oneTimeToken: String?
  let key: RecordKey
  let record: Record
  let share: Share

  var owner: UserID? { key.zone.database.owner }

  /// The caller's place in the share: a participant, or somebody who may become one.
  ///
  /// - Throws: `notFound` also for who may see nothing of it: leaving is all that is left to them (case SHR-17).
  func participant(for user: User) throws(BrumeError) -> Participant {
    let place = try self.place(of: user)
    let invited = invitation(of: user.identity)?.permission ?? .none
    guard place.role == .owner || max(place.permission, share.publicPermission, invited) != .none
    else { throw .shareNotFound }
    return place
  }

  private func place(of user: User) throws(BrumeError) -> Participant {
    let identity = user.identity
    let known = share.participants.filter { $0.identity.isSamePerson(as: identity) }
    if let joined = known.first(where: { $0.acceptance == .accepted }) { return joined }
    // An invitation under an address does not say whose it is, so who was blocked may have one.
    if share.blocked.contains(where: { $0.isSamePerson(as: identity) }) { throw .shareNotFound }
    if let invited = known.first { return invited }
    if let oneTimeToken,
      let open = share.participants.first(where: { $0.oneTimeToken == oneTimeToken })
    {
      return open
    }
    if share.publicPermission != .none {
      return Participant(
        id: "", role: .publicUser, permission: share.publicPermission, acceptance: .invited,
        identity: identity.withoutAddresses)
    }
    let isWaitingForSomebody = share.participants.contains {
      $0.acceptance == .invited && $0.identity.user == nil && $0.oneTimeToken == nil
    }
    if isWaitingForSomebody {
      throw BrumeError(
        .participantMayNeedVerification,
        "the share waits for participants under addresses that are not this account's; add the "
          + "invited address to the account")
    }
    throw .shareNotFound
  }

  /// The share's root, if the request asks for it.
  func root(_ transaction: any ReadTransaction) throws -> Record? {
    guard request.shouldFetchRootRecord, let name = share.rootRecordName else { return nil }
    return try transaction.records.find(RecordKey(zone: key.zone, name: name))?.record()
  }

  func metadata(
    for user: UserID, root: @autoclosure () throws -> Record?, _ transaction: any ReadTransaction
  ) throws -> ShareMetadata {
    guard let account = try transaction.users.find(user) else { throw BrumeError.shareNotFound }
    let me = try participant(for: account)
    let permission = max(me.permission, share.publicPermission)
    return ShareMetadata(
      shortGUID: request, in: key.zone.database.containerEnvironment,
      scope: owner == user ? .private : .shared,
      zone: key.zone.id, share: record, rootRecordName: share.rootRecordName,
      rootRecord: try root(),
      owner: share.owner?.identity ?? UserIdentity(user: owner), role: me.role,
      acceptance: me.acceptance, permission: permission)
  }

  /// The share with this user in it, or nil if they are in it already.
  func accepted(
    by user: UserID, id: String, limits: Limits, _ transaction: any ReadTransaction
  ) throws -> Record? {
    guard let account = try transaction.users.find(user) else { throw BrumeError.shareNotFound }
    var me = try participant(for: account)
    if me.role == .owner { return nil }
    if me.acceptance == .accepted {
      guard let invitation = invitation(of: account.identity) else { return nil }
      (me.role, me.permission) = (invitation.role, invitation.permission)
    }
    var next = record
    let place = share.participants.firstIndex {
      $0.id == me.id && $0.role != .owner && $0.oneTimeToken == me.oneTimeToken
    }
    if let index = place {
      next.shareDetails?.participants.remove(at: index)
    } else {
      me.id = id
    }
    me.acceptance = .accepted
    me.oneTimeToken = nil
    me.identity.user = user
    me.identity.givenName = account.givenName
    me.identity.familyName = account.familyName
    next.shareDetails?.requesters.removeAll { $0.user == user }
    // Under another address this was somebody else, as long as nobody knew whose it is.
    next.shareDetails?.participants.removeAll {
      $0.role != .owner && $0.oneTimeToken == nil
        && $0.identity.isSamePerson(as: account.identity)
    }
    next.shareDetails?.participants.append(me)
    if let count = next.shareDetails?.participants.count, count > limits.participants {
      throw BrumeError(
        .tooManyParticipants,
        "the share has \(limits.participants) participants, the maximum; its owner has to remove one"
      )
    }
    return next
  }
}

extension AddressedShare {
  /// What somebody was invited as who takes part already, by the address for all or by another invitation.
  private func invitation(of identity: UserIdentity) -> Participant? {
    share.participants.first {
      $0.role != .owner && $0.acceptance == .invited && $0.oneTimeToken == nil
        && $0.identity.isSamePerson(as: identity)
    }
  }
}

extension BrumeError {
  static let shareNotFound = BrumeError(
    .notFound, "Record not found: there is no such share, or it is not open to this user")
}

extension SharePermission: Comparable {
  private var rank: Int {
    switch self {
    case .none: 0
    case .readOnly: 1
    case .readWrite: 2
    }
  }
  package static func < (a: SharePermission, b: SharePermission) -> Bool { a.rank < b.rank }
}

// MARK: Finding one

extension AddressedShare {
  /// The share behind an address, with or without the cosmetic part after `#`.
  init(
    _ request: ShortGUIDRequest, of caller: Caller, from transaction: any ReadTransaction
  ) throws {
    let parts = request.value.prefix { $0 != "#" }.split(separator: ".", maxSplits: 1)
    guard let shortGUID = parts.first,
      let key = try transaction.shares.record(shortGUID: String(shortGUID)),
      key.zone.database.containerEnvironment == caller.containerEnvironment,
      try transaction.zones.find(key.zone)?.isLive ?? false,
      let record = try transaction.records.find(key)?.record(), let share = record.shareDetails,
      // The address of a share that ended leads to no other.
      record.shortGUID == String(shortGUID)
    else { throw BrumeError.shareNotFound }
    self.init(
      request: request, oneTimeToken: parts.count == 2 ? String(parts[1]) : nil, key: key,
      record: record, share: share)
  }

  /// The share behind an address if it takes requests for access.
  static func open(
    _ request: ShortGUIDRequest, of caller: Caller, from transaction: any ReadTransaction
  ) throws -> AddressedShare? {
    do {
      let addressed = try AddressedShare(request, of: caller, from: transaction)
      return addressed.share.allowsAccessRequests ? addressed : nil
    } catch let error as BrumeError where error.code == .notFound {
      return nil
    }
  }
}

// MARK: Joining it

extension ShareReading {
  /// How many shares a user has joined, if they may join one more.
  ///
  /// - Parameter counted: how many, as an earlier share of the same request has found: counting for each of them would
  ///   be the square of their number. What other requests join meanwhile comes on top.
  /// - Throws: `limitExceeded`.
  func joined(by user: UserID, counted: Int?, _ caller: Caller, _ limits: Limits) throws -> Int {
    let joined = try counted ?? memberships(of: user, in: caller.containerEnvironment).count
    guard joined >= limits.sharesJoinedPerUser else { return joined }
    throw BrumeError(
      .limitExceeded,
      "you take part in \(joined) shares, the maximum; leave one before you join another")
  }
}

extension AddressedShare {
  /// Writes the share with its new participant, and appends to the log.
  func join(
    as changed: Record, _ caller: Caller, _ now: Milliseconds, in transaction: any WriteTransaction
  ) throws {
    let user = try caller.requireUser()
    try transaction.shares.put(Membership(user: user, share: key))
    try rewrite(as: changed, caller, now, in: transaction)
    if changed.shareDetails?.showsOthers(than: share) ?? false {
      try transaction.settings.raiseSharingEpoch(of: key.zone)
    }
    try transaction.log.append(
      .membership(user, key.zone), in: key.zone.database, origin: caller.origin(at: now))
  }

  /// Writes the share that somebody who does not own it changed, and appends to the log.
  func rewrite(
    as changed: Record, _ caller: Caller, _ now: Milliseconds,
    in transaction: any WriteTransaction
  ) throws {
    let database = key.zone.database
    var zone = try transaction.zones.live(key.zone)
    var storedBytes = try StoredBytes(keptOf: zone, in: transaction)
    let sequence = try transaction.sequences.next(in: database)
    var changed = changed
    changed.changeTag = ChangeTag.text(sequence)
    let user = try caller.requireUser()
    changed.modified = Stamp(time: now, user: user, device: caller.device?.name ?? "1")
    try transaction.records.put(changed, in: key.zone, sequence: sequence)
    zone.lastSequence = sequence
    try transaction.zones.put(zone)
    // Else the owner's next save would look at every record of the zone.
    storedBytes?.grow(by: changed.quotaBytes - record.quotaBytes)
    try storedBytes?.keep(asOf: zone, in: transaction.settings)
    let change = RecordChange(
      record: key, recordType: changed.type, kind: .updated, image: nil,
      coveringShares: [key.name])
    try transaction.log.append(.record(change), in: database, origin: caller.origin(at: now))
  }
}
