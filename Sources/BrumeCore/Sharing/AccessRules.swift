// Asking to take part in a share, and what its owner answers. Who asks learns nothing: the answer is
// the same whether or not there is such a share, and whether or not it takes requests (Apple:
// CKShare.allowsAccessRequests).

import BrumeModel

/// What requests and answers do to a share.
enum AccessRules {
  /// The share with one more who asks; nil if nothing changes.
  static func asked(_ identity: UserIdentity, of share: Share, _ limits: Limits) -> Share? {
    let known = share.participants.map(\.identity) + share.blocked + share.requesters
    guard share.allowsAccessRequests, !known.contains(where: { $0.isSamePerson(as: identity) }),
      share.requesters.count < limits.accessRequests
    else { return nil }
    var share = share
    share.requesters.append(identity)
    return share
  }

  /// Lays the owner's opinion over a share: who is blocked goes, who is in no list was denied.
  ///
  /// - Throws: `limitExceeded` if the draft names more people than a share may have.
  static func apply(
    _ access: AccessDraft, to share: inout Share, _ limits: Limits
  ) throws(BrumeError) {
    try checkCount(of: access.waiting, "requesters", limits.accessRequests)
    try checkCount(of: access.blocked, "blocked", limits.blockedPeople)
    let people = share.blocked + share.requesters + share.participants.map(\.identity)
    let known = Dictionary(people.compactMap { person in person.user.map { ($0, person) } }) {
      first, _ in first
    }
    share.allowsAccessRequests = access.allowsRequests
    let owner = share.owner?.identity.user
    var blocked: Set<UserID> = []
    share.blocked = access.blocked.compactMap {
      blocked.insert($0).inserted && $0 != owner ? known[$0] : nil
    }
    share.participants.removeAll { participant in
      guard participant.role != .owner, let user = participant.identity.user else { return false }
      return blocked.contains(user)
    }
    let waiting = Set(access.waiting).subtracting(blocked)
    share.requesters.removeAll { identity in !(identity.user.map(waiting.contains) ?? false) }
  }

  private static func checkCount(
    of people: [UserID], _ list: String, _ limit: Int
  ) throws(BrumeError) {
    guard people.count > limit else { return }
    throw BrumeError(
      .limitExceeded,
      "'brume.\(list)' of the share names \(people.count) people; the maximum is \(limit); name fewer"
    )
  }

  /// Who asked and is a participant now was let in.
  static func approve(_ share: inout Share) {
    for requester in share.requesters {
      for index in share.participants.indices
      where share.participants[index].identity.isSamePerson(as: requester) {
        share.participants[index].isApprovedRequester = true
      }
    }
    let participants = share.participants.map(\.identity)
    share.requesters.removeAll { requester in
      participants.contains { $0.isSamePerson(as: requester) }
    }
  }
}
