// The closed sets of sharing, with Apple's numbers, and their words in the model.

import BrumeModel

extension CKShare {
  /// What somebody may do with shared records.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum ParticipantPermission: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Nothing.
    case none = 1
    /// Read.
    case readOnly = 2
    /// Read and write.
    case readWrite = 3
  }

  /// Where somebody stands with an invitation.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum ParticipantAcceptanceStatus: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Invited.
    case pending = 1
    /// Takes part.
    case accepted = 2
    /// Left, or was removed.
    case removed = 3
  }

  /// What somebody is in a share.
  #if hasAttribute(nonexhaustive)
    @nonexhaustive
  #endif
  public enum ParticipantRole: Int, Sendable {
    /// Not known.
    case unknown = 0
    /// Whose records are shared.
    case owner = 1
    /// May also manage participants.
    case administrator = 2
    /// Was invited.
    case privateUser = 3
    /// Came by the share's URL.
    case publicUser = 4
  }

  /// Keys of the fields that describe a share to people.
  public enum SystemFieldKey {
    /// The title.
    public static let title: CKRecord.FieldKey = "cloudkit.title"
    /// A small picture.
    public static let thumbnailImageData: CKRecord.FieldKey = "cloudkit.thumbnailImageData"
    /// What kind of thing is shared, as a uniform type identifier.
    public static let shareType: CKRecord.FieldKey = "cloudkit.type"
  }
}

extension CKShare.ParticipantPermission {
  init(_ permission: SharePermission) {
    self =
      switch permission {
      case .none: .none
      case .readOnly: .readOnly
      case .readWrite: .readWrite
      }
  }

  var model: SharePermission {
    switch self {
    case .unknown, .none: .none
    case .readOnly: .readOnly
    case .readWrite: .readWrite
    }
  }
}

extension CKShare.ParticipantAcceptanceStatus {
  init(_ acceptance: Participant.Acceptance) {
    self =
      switch acceptance {
      case .invited: .pending
      case .accepted: .accepted
      case .removed: .removed
      }
  }

  var model: Participant.Acceptance {
    switch self {
    case .unknown, .pending: .invited
    case .accepted: .accepted
    case .removed: .removed
    }
  }
}

extension CKShare.ParticipantRole {
  init(_ role: Participant.Role) {
    self =
      switch role {
      case .owner: .owner
      case .administrator: .administrator
      case .privateUser: .privateUser
      case .publicUser: .publicUser
      }
  }

  var model: Participant.Role {
    switch self {
    case .owner: .owner
    case .administrator: .administrator
    case .unknown, .privateUser: .privateUser
    case .publicUser: .publicUser
    }
  }
}
