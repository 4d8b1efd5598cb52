// Sharing: what a `cloudkit.share` record carries beside its fields.

/// What somebody may do with shared records. Raw values are the spelling on the wire.
package enum SharePermission: String, Hashable, Sendable {
  case none = "NONE"
  case readOnly = "READ_ONLY"
  case readWrite = "READ_WRITE"
}

/// Somebody who takes part in a share, or is invited to.
package struct Participant: Hashable, Sendable {
  /// Raw values are the spelling that the server emits.
  package enum Role: String, Hashable, Sendable {
    case owner = "OWNER"
    case administrator = "ADMINISTRATOR"
    case privateUser = "USER"
    case publicUser = "PUBLIC_USER"
  }
  /// Whether somebody takes part. Raw values are the spelling on the wire.
  package enum Acceptance: String, Hashable, Sendable {
    case invited = "INVITED"
    case accepted = "ACCEPTED"
    case removed = "REMOVED"
  }
  /// Unique in the share.
  package var id: String
  package var role: Role
  package var permission: SharePermission
  package var acceptance: Acceptance
  package var identity: UserIdentity
  /// When the participant came into the share; nil in drafts and in shares of older servers.
  package var added: Milliseconds?
  /// Asked for access and was let in.
  package var isApprovedRequester = false
  /// Of an invitation that whoever has its URL first may claim: the secret part of that URL. Empty
  /// in a draft that asks for one; nil once claimed.
  package var oneTimeToken: String?

  package init(
    id: String, role: Role, permission: SharePermission, acceptance: Acceptance,
    identity: UserIdentity
  ) {
    self.id = id
    self.role = role
    self.permission = permission
    self.acceptance = acceptance
    self.identity = identity
  }
}

/// A user as others may see them. Everything is optional: an invitee may be only an address.
package struct UserIdentity: Hashable, Sendable {
  package var user: UserID?
  package var givenName: String?
  package var familyName: String?
  /// How the identity was looked up or invited.
  package var emailAddress: String?
  package var phoneNumber: String?
  /// Whether the user does not want to be found. Shown to himself only.
  package var isHidden = false

  package init(
    user: UserID? = nil, givenName: String? = nil, familyName: String? = nil,
    emailAddress: String? = nil, phoneNumber: String? = nil
  ) {
    self.user = user
    self.givenName = givenName
    self.familyName = familyName
    self.emailAddress = emailAddress
    self.phoneNumber = phoneNumber
  }

  /// Who it is, not where they can be reached.
  package var withoutAddresses: UserIdentity {
    UserIdentity(user: user, givenName: givenName, familyName: familyName)
  }
}

/// The share itself. The owner is the participant whose role is `.owner`.
package struct Share: Equatable, Sendable {
  /// What everybody who has the URL may do.
  package var publicPermission: SharePermission
  package var participants: [Participant]
  /// Nil for a zone-wide share.
  package var rootRecordName: String?
  /// Whether somebody with the URL who may not join can ask to.
  package var allowsAccessRequests = false
  /// Who asked and waits for an answer.
  package var requesters: [UserIdentity] = []
  /// Who may neither join nor ask.
  package var blocked: [UserIdentity] = []

  package init(
    publicPermission: SharePermission = .none, participants: [Participant] = [],
    rootRecordName: String? = nil
  ) {
    self.publicPermission = publicPermission
    self.participants = participants
    self.rootRecordName = rootRecordName
  }

  package var owner: Participant? { participants.first { $0.role == .owner } }
  /// The participant who is this user; nil: the user is none.
  package func participant(_ user: UserID) -> Participant? {
    participants.first { $0.identity.user == user }
  }
}

/// What a save says about access requests: the owner's whole opinion. Who is in neither list is
/// denied, or no longer blocked.
package struct AccessDraft: Hashable, Sendable {
  package var allowsRequests: Bool
  /// Those who asked and still wait.
  package var waiting: [UserID]
  package var blocked: [UserID]

  package init(allowsRequests: Bool, waiting: [UserID] = [], blocked: [UserID] = []) {
    self.allowsRequests = allowsRequests
    self.waiting = waiting
    self.blocked = blocked
  }
}

/// That a user accepted a share: the link from a participant to a zone of somebody else.
package struct Membership: Hashable, Sendable {
  package let user: UserID
  package let share: RecordKey
  package init(user: UserID, share: RecordKey) {
    self.user = user
    self.share = share
  }
}
