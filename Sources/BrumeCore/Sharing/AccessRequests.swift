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
  static func apply(_ access: AccessDraft, to share: inout Share) {
    let known = share.blocked + share.requesters + share.participants.map(\.identity)
    share.allowsAccessRequests = access.allowsRequests
    let owner = share.owner?.identity.user
    share.blocked = access.blocked.filter { $0 != owner }
      .compactMap { user in known.first { $0.user == user } }
    let blocked = Set(access.blocked)
    share.participants.removeAll { participant in
      guard participant.role != .owner, let user = participant.identity.user else { return false }
      return blocked.contains(user)
    }
    let waiting = Set(access.waiting).subtracting(blocked)
    share.requesters.removeAll { identity in !(identity.user.map(waiting.contains) ?? false) }
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
