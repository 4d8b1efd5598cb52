// Who takes part in a share after a save: what the caller asks for, laid over what is true. Nobody
// can accept for somebody else, and nobody removes the owner.

import BrumeModel

enum ParticipantRules {
  /// - Parameters:
  ///   - ids: fresh identifiers, one more than twice the draft's participants.
  ///   - now: when new participants came in.
  ///   - find: completes an identity from the accounts of this server.
  static func applied(
    _ draft: RecordDraft, to share: Share, owner: UserIdentity, ids: [String], now: Milliseconds,
    limits: Limits, find: (UserIdentity) throws -> UserIdentity
  ) throws -> Share {
    try checkCount(draft.participants?.count ?? 0, limits)
    for participant in draft.participants ?? [] {
      try NameRules.identity(participant.identity, limits: limits)
    }
    var ids = ids[...]
    var result = share
    if result.owner == nil {
      var first = Participant(
        id: ids.popFirst() ?? "owner", role: .owner, permission: .readWrite, acceptance: .accepted,
        identity: owner)
      first.added = now
      result.participants.insert(first, at: 0)
    }
    if let wanted = draft.participants {
      let isClosing =
        draft.publicPermission == SharePermission.none && share.publicPermission != .none
      result.participants =
        result.participants.filter { $0.role == .owner }
        + (try merged(
          wanted, with: share, owner: owner, isClosing: isClosing, ids: &ids, now: now, find: find))
    }
    if let access = draft.access { try AccessRules.apply(access, to: &result, limits) }
    AccessRules.approve(&result)
    if let permission = draft.publicPermission, permission != share.publicPermission {
      open(&result, permission)
    }
    try checkCount(result.participants.count, limits)
    return result
  }

  private static func checkCount(_ count: Int, _ limits: Limits) throws(BrumeError) {
    if count > limits.participants {
      throw BrumeError(
        .tooManyParticipants,
        "the share would have \(count) participants; the maximum is \(limits.participants); "
          + "remove somebody first")
    }
  }

  private static func merged(
    _ wanted: [Participant], with share: Share, owner: UserIdentity, isClosing: Bool,
    ids: inout ArraySlice<String>, now: Milliseconds, find: (UserIdentity) throws -> UserIdentity
  ) throws -> [Participant] {
    var known = KnownParticipants(share.participants.filter { $0.role != .owner })
    var merged: [String: (place: Int, participant: Participant)] = [:]
    for (place, participant) in wanted.enumerated()
    where participant.role != .owner && participant.acceptance != .removed {
      let identity = try find(participant.identity)
      if identity.isSamePerson(as: owner) { continue }
      // Who is invited already is not invited again, in this request neither (case SHR-28).
      let old = known.first(named: participant.id, or: identity)
      var next = old ?? participant
      if old == nil {
        next.id = ids.popFirst() ?? participant.id
        next.identity = identity
        next.acceptance = .invited
        next.added = now
        next.isApprovedRequester = false
        if next.oneTimeToken != nil {
          let isTaken = share.participants.contains { $0.id == participant.id }
          makeOneTime(&next, named: isTaken ? "" : participant.id, ids: &ids)
        }
      }
      next.permission = participant.permission
      // Who came by the address is invited with the save that closes it, or goes then.
      if next.role != .publicUser || isClosing { next.role = participant.role }
      if old == nil { known.add(next) }
      merged[next.id] = (place, next)
    }
    return merged.values.sorted { $0.place < $1.place }.map(\.participant)
  }

  /// Nobody in particular is invited: who has the URL first. The participant keeps the ID that the
  /// client gave it, because the client asks for the URL by that ID, unless it is somebody else's.
  private static func makeOneTime(
    _ participant: inout Participant, named id: String, ids: inout ArraySlice<String>
  ) {
    participant.identity = UserIdentity()
    participant.oneTimeToken = ids.popFirst().map { $0.lowercased().filter { $0 != "-" } }
    let isPlain = id.utf8.allSatisfy { $0 == 0x2d || Hex.value(of: $0) != nil }
    if isPlain, id.utf8.count == 36 { participant.id = id }
  }

  /// Opening a share to everybody with its address drops open invitations; closing it drops those
  /// who came by the address (Apple: CKShare.publicPermission). Who came by it may do what it gives
  /// now.
  private static func open(_ share: inout Share, _ permission: SharePermission) {
    share.publicPermission = permission
    share.participants.removeAll { participant in
      permission == .none
        ? participant.role == .publicUser
        : participant.role != .owner && participant.role != .publicUser
          && participant.acceptance == .invited
    }
    for index in share.participants.indices where share.participants[index].role == .publicUser {
      share.participants[index].permission = permission
    }
  }
}

/// Participants, found by what may say that somebody is one of them, however many there are.
private struct KnownParticipants {
  private var all: [Participant] = []
  private var places: [String: [Int]] = [:]

  init(_ participants: [Participant]) {
    for participant in participants { add(participant) }
  }

  mutating func add(_ participant: Participant) {
    for key in Self.keys(participant.id, participant.identity) {
      places[key, default: []].append(all.count)
    }
    all.append(participant)
  }

  /// The first with this ID, or who is this person.
  func first(named id: String, or identity: UserIdentity) -> Participant? {
    Set(Self.keys(id, identity).flatMap { places[$0] ?? [] }).sorted().lazy.map { all[$0] }
      .first { $0.id == id || $0.identity.isSamePerson(as: identity) }
  }

  private static func keys(_ id: String, _ identity: UserIdentity) -> [String] {
    ["id \(id)"] + (identity.user.map { ["user \($0.name)"] } ?? [])
      + (identity.emailAddress.map { ["email \(EmailAddress.key($0))"] } ?? [])
      + (identity.phoneNumber.map { ["phone \($0)"] } ?? [])
  }
}

extension UserIdentity {
  /// By account if both are known; an address may have passed from one account to another since.
  func isSamePerson(as other: UserIdentity) -> Bool {
    if let user, let other = other.user { return user == other }
    if let emailAddress, let other = other.emailAddress,
      EmailAddress.isSame(emailAddress, other)
    {
      return true
    }
    return phoneNumber != nil && phoneNumber == other.phoneNumber
  }
}
