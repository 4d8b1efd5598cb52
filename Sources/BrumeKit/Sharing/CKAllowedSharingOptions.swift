// What the user may choose in the system's sharing sheet. There is no such sheet on Linux: the
// options are kept and archived, and nothing here reads them.

public import Foundation

/// Who a sharing sheet may let in.
public struct CKSharingParticipantAccessOption: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Everybody who has the URL.
  public static var anyoneWithLink: Self { Self(rawValue: 1 << 0) }
  /// Only those who are invited.
  public static var specifiedRecipientsOnly: Self { Self(rawValue: 1 << 1) }
  /// Either.
  public static var any: Self { [.anyoneWithLink, .specifiedRecipientsOnly] }
}

/// What a sharing sheet may let participants do.
public struct CKSharingParticipantPermissionOption: OptionSet, Sendable {
  /// The bits.
  public let rawValue: UInt
  /// Creates a set from its bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }
  /// Read.
  public static var readOnly: Self { Self(rawValue: 1 << 0) }
  /// Read and write.
  public static var readWrite: Self { Self(rawValue: 1 << 1) }
  /// Either.
  public static var any: Self { [.readOnly, .readWrite] }
}

/// What the user may choose in the system's sharing sheet.
///
/// Kept and archived, without effect here: Linux has no sharing sheet. Source: Apple's
/// `CKAllowedSharingOptions` page.
open class CKAllowedSharingOptions: NSObject, NSSecureCoding, NSCopying {
  /// What participants may be let do.
  open var allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption
  /// Who may be let in.
  open var allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  /// Whether participants may be let invite others.
  open var allowsParticipantsToInviteOthers = false
  /// Whether others may be let ask for access.
  open var allowsAccessRequests = false

  /// Creates options.
  public init(
    allowedParticipantPermissionOptions: CKSharingParticipantPermissionOption,
    allowedParticipantAccessOptions: CKSharingParticipantAccessOption
  ) {
    self.allowedParticipantPermissionOptions = allowedParticipantPermissionOptions
    self.allowedParticipantAccessOptions = allowedParticipantAccessOptions
  }

  /// Everything may be chosen.
  open class var standard: CKAllowedSharingOptions {
    CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: .any, allowedParticipantAccessOptions: .any)
  }

  /// Whether the class can be archived securely: yes.
  open class var supportsSecureCoding: Bool { true }

  /// Restores options from an archive.
  public required init?(coder: NSCoder) {
    allowedParticipantPermissionOptions = .init(
      rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "permissions")))
    allowedParticipantAccessOptions = .init(
      rawValue: UInt(bitPattern: coder.decodeInteger(forKey: "access")))
    allowsParticipantsToInviteOthers = coder.decodeBool(forKey: "invites")
    allowsAccessRequests = coder.decodeBool(forKey: "accessRequests")
  }

  /// Archives the options.
  open func encode(with coder: NSCoder) {
    coder.encode(
      Int(bitPattern: allowedParticipantPermissionOptions.rawValue), forKey: "permissions")
    coder.encode(Int(bitPattern: allowedParticipantAccessOptions.rawValue), forKey: "access")
    coder.encode(allowsParticipantsToInviteOthers, forKey: "invites")
    coder.encode(allowsAccessRequests, forKey: "accessRequests")
  }

  /// Makes an independent copy.
  open func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: allowedParticipantPermissionOptions,
      allowedParticipantAccessOptions: allowedParticipantAccessOptions)
    copy.allowsParticipantsToInviteOthers = allowsParticipantsToInviteOthers
    copy.allowsAccessRequests = allowsAccessRequests
    return copy
  }
}
