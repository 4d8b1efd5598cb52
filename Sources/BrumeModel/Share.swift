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
  package enum Acceptance: String, Hashable, Sendable {
    case invited = "INVITED"
    case accepted = "ACCEPTED"
    case removed = "REMOVED"
  }
  package var id: String
  package var role: Role
  package var permission: SharePermission
  package var acceptance: Acceptance
  package var identity: UserIdentity

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
}

/// The share itself. The owner is the participant whose role is `.owner`.
package struct Share: Equatable, Sendable {
  package var publicPermission: SharePermission
  package var participants: [Participant]
  /// Nil for a zone-wide share.
  package var rootRecordName: String?

  package init(
    publicPermission: SharePermission = .none, participants: [Participant] = [],
    rootRecordName: String? = nil
  ) {
    self.publicPermission = publicPermission
    self.participants = participants
    self.rootRecordName = rootRecordName
  }

  package var owner: Participant? { participants.first { $0.role == .owner } }
  package func participant(_ user: UserID) -> Participant? {
    participants.first { $0.identity.user == user }
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
