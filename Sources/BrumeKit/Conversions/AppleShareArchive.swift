// Shares in archives that Apple's framework wrote, and who takes part in them (`AppleArchive.swift`). Names of people
// are not read: Foundation on Linux keeps them under other keys.

package import Foundation

/// The container of a share that Apple's framework archived.
package final class AppleContainerID: NSObject, NSSecureCoding {
  /// Always true.
  package static var supportsSecureCoding: Bool { true }
  let name: String

  /// Nil without a name.
  package init?(coder: NSCoder) {
    guard let name = coder.text("ContainerIdentifier") else { return nil }
    self.name = name
  }

  /// Writes nothing: Apple's form is only read.
  package func encode(with coder: NSCoder) {}
}

extension NSCoder {
  /// Whether Apple's framework wrote the record that is read.
  var hasAppleRecord: Bool { containsValue(forKey: AppleKey.recordType) }

  /// Whose part in a share of Apple's it is. The current user is named as here; the archive says beside it who that is.
  var appleParticipant: CKUserIdentity? {
    guard let identity = object(CKUserIdentity.self, "UserIdentity") else { return nil }
    guard decodeBool(forKey: "IsCurrentUser") else { return identity }
    return CKUserIdentity(
      lookupInfo: identity.lookupInfo,
      userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName))
  }
}

extension CKShare.Details {
  /// What a share of Apple's has beside fields.
  init(apples coder: NSCoder) {
    rootName = coder.object(CKRecord.ID.self, "RootRecordID")?.recordName
    // One that is none as Swift sees it would stop the program when it is converted.
    address = coder.object(NSURL.self, "URL").flatMap { URL(string: $0.absoluteString) }
    people = coder.objects(CKShare.Participant.self, "Participants")
    let permission = coder.decodeInteger(forKey: "PublicPermission")
    publicPermission = CKShare.ParticipantPermission(rawValue: permission) ?? .unknown
  }
}

extension CKShare.Metadata.Contents {
  /// What metadata of Apple's says; nil for others. Accepting it needs the share's URL, which need not be there.
  init?(apples coder: NSCoder) {
    guard
      let container = coder.object(AppleContainerID.self, "ContainerID")?.name,
      let share = coder.object(CKShare.self, "Share"),
      let owner = coder.object(CKUserIdentity.self, "OwnerIdentity")
    else { return nil }
    self.init(
      containerIdentifier: container, shortGUID: share.url?.lastPathComponent ?? "", share: share,
      ownerIdentity: owner,
      hierarchicalRootRecordID: coder.object(CKRecord.ID.self, "RootRecordID"),
      rootRecord: coder.object(CKRecord.self, "RootRecord"),
      participantRole: .init(rawValue: coder.decodeInteger(forKey: "ParticipantType")) ?? .unknown,
      participantStatus: .init(rawValue: coder.decodeInteger(forKey: "ParticipantStatus"))
        ?? .unknown,
      participantPermission: .init(rawValue: coder.decodeInteger(forKey: "ParticipantPermission"))
        ?? .unknown)
  }
}
