// Somebody who takes part in a share, or is invited to. The class has its Objective-C name because
// Foundation on Linux cannot archive nested classes (see CKRecordZone+ID.swift).

import BrumeModel
public import Foundation

extension CKShare {
  /// Somebody who takes part in a share, or is invited to.
  public typealias Participant = CKShareParticipant
}

/// Somebody who takes part in a share, or is invited to.
///
/// Source: Apple's `CKShare.Participant` page.
open class CKShareParticipant: NSObject, NSSecureCoding, NSCopying {
  /// Identifies a participant in a share.
  public typealias ID = String

  /// Identifies the participant in the share.
  public let participantID: ID
  /// Who it is.
  public let userIdentity: CKUserIdentity
  /// What the participant is in the share. Of an invitation: `privateUser`, unless set.
  open var role: CKShare.ParticipantRole
  /// What the participant may do. Of an invitation: read, unless set.
  open var permission: CKShare.ParticipantPermission
  /// Where the participant stands.
  public let acceptanceStatus: CKShare.ParticipantAcceptanceStatus

  init(
    id: ID, identity: CKUserIdentity, role: CKShare.ParticipantRole,
    permission: CKShare.ParticipantPermission, acceptance: CKShare.ParticipantAcceptanceStatus
  ) {
    self.participantID = id
    self.userIdentity = identity
    self.role = role
    self.permission = permission
    self.acceptanceStatus = acceptance
  }

  /// Participants come from ``CKFetchShareParticipantsOperation`` and from shares.
  @available(*, unavailable, message: "Fetch participants by address, number or user record.")
  public override convenience init() {
    self.init(inviting: CKUserIdentity(lookupInfo: nil, userRecordID: nil))
  }

  // MARK: Copying and coding

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores a participant from an archive.
  public required init?(coder: NSCoder) {
    guard
      let id = coder.text("participantID"),
      let identity = coder.object(CKUserIdentity.self, "userIdentity")
    else { return nil }
    participantID = id
    userIdentity = identity
    role = .init(rawValue: coder.decodeInteger(forKey: "role")) ?? .unknown
    permission = .init(rawValue: coder.decodeInteger(forKey: "permission")) ?? .unknown
    acceptanceStatus = .init(rawValue: coder.decodeInteger(forKey: "acceptance")) ?? .unknown
  }

  /// Archives the participant.
  open func encode(with coder: NSCoder) {
    coder.encodeText(participantID, "participantID")
    coder.encode(userIdentity, forKey: "userIdentity")
    coder.encode(role.rawValue, forKey: "role")
    coder.encode(permission.rawValue, forKey: "permission")
    coder.encode(acceptanceStatus.rawValue, forKey: "acceptance")
  }

  /// Makes an independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    CKShareParticipant(
      id: participantID, identity: userIdentity, role: role, permission: permission,
      acceptance: acceptanceStatus)
  }
}

extension CKShareParticipant {
  /// An invitation for somebody.
  convenience init(inviting identity: CKUserIdentity) {
    self.init(
      id: UUID().uuidString, identity: identity, role: .privateUser, permission: .readOnly,
      acceptance: .pending)
  }

  /// A participant as the server tells it, seen by somebody.
  convenience init(_ participant: Participant, in zone: ZoneID, from viewpoint: Viewpoint) {
    let name = participant.identity.user.map { viewpoint.userName($0, in: zone) }
    self.init(
      id: participant.id, identity: CKUserIdentity(participant.identity, recordName: name),
      role: .init(participant.role), permission: .init(participant.permission),
      acceptance: .init(participant.acceptance))
  }

  /// The participant in the model's words.
  var model: Participant {
    Participant(
      id: participantID, role: role.model, permission: permission.model,
      acceptance: acceptanceStatus.model, identity: userIdentity.model)
  }

  /// Whether this is the current user.
  var isCurrentUser: Bool { userIdentity.userRecordID?.recordName == CKCurrentUserDefaultName }

  /// Whether two stand for the same person.
  func isSamePerson(as other: CKShareParticipant) -> Bool {
    if participantID == other.participantID { return true }
    if let mine = userIdentity.userRecordID, let theirs = other.userIdentity.userRecordID {
      return mine == theirs
    }
    guard let mine = userIdentity.lookupInfo else { return false }
    return mine == other.userIdentity.lookupInfo
  }
}
