// The older form of participants' roles.

extension CKShare {
  /// What somebody is in a share: the form before roles.
  @available(*, deprecated, renamed: "CKShare.ParticipantRole")
  public enum ParticipantType: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Whose records are shared.
    case owner = 1
    /// Was invited.
    case privateUser = 3
    /// Came by the share's URL.
    case publicUser = 4
  }
}

@available(*, deprecated)
extension CKShare.ParticipantType {
  /// CloudKit: older systems see an administrator as a private user (CKShareParticipant page).
  init(_ role: CKShare.ParticipantRole) {
    self =
      switch role {
      case .unknown: .unknown
      case .owner: .owner
      case .administrator, .privateUser: .privateUser
      case .publicUser: .publicUser
      }
  }

  var role: CKShare.ParticipantRole { CKShare.ParticipantRole(rawValue: rawValue) ?? .unknown }
}

extension CKShare.Participant {
  /// The older name of ``CKShare/ParticipantAcceptanceStatus``.
  @available(*, deprecated, renamed: "CKShare.ParticipantAcceptanceStatus")
  public typealias AcceptanceStatus = CKShare.ParticipantAcceptanceStatus
  /// The older name of ``CKShare/ParticipantPermission``.
  @available(*, deprecated, renamed: "CKShare.ParticipantPermission")
  public typealias Permission = CKShare.ParticipantPermission
  /// The older name of ``CKShare/ParticipantRole``.
  @available(*, deprecated, renamed: "CKShare.ParticipantRole")
  public typealias Role = CKShare.ParticipantRole
  /// The older name of ``CKShare/ParticipantType``.
  @available(*, deprecated, renamed: "CKShare.ParticipantType")
  public typealias ParticipantType = CKShare.ParticipantType

  /// The older form of ``role``.
  @available(*, deprecated, renamed: "role")
  public var type: CKShare.ParticipantType {
    get { CKShare.ParticipantType(role) }
    set { role = newValue.role }
  }
}

extension CKShare.Metadata {
  /// The older form of ``participantRole``.
  @available(*, deprecated, renamed: "participantRole")
  public var participantType: CKShare.ParticipantType { CKShare.ParticipantType(participantRole) }
}
