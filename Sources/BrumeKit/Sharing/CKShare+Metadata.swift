// A share as somebody who holds its URL sees it.

import BrumeModel
public import Foundation

extension CKShare {
  /// A share as somebody who holds its URL sees it, before or after accepting it.
  ///
  /// Source: Apple's `CKShare.Metadata` page.
  // Sendable because it never changes; the share in it is for reading.
  open class Metadata: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The container in which to accept the share.
    open var containerIdentifier: String { known.containerIdentifier }
    /// The share.
    open var share: CKShare { known.share }
    /// The root record's ID; nil for a share of a zone.
    open var hierarchicalRootRecordID: CKRecord.ID? { known.hierarchicalRootRecordID }
    /// The root record, if it was asked for.
    open var rootRecord: CKRecord? { known.rootRecord }
    /// What the user is in the share.
    open var participantRole: CKShare.ParticipantRole { known.participantRole }
    /// Where the user stands with the invitation.
    open var participantStatus: CKShare.ParticipantAcceptanceStatus { known.participantStatus }
    /// What the user may do.
    open var participantPermission: CKShare.ParticipantPermission { known.participantPermission }
    /// Who shares.
    open var ownerIdentity: CKUserIdentity { known.ownerIdentity }
    /// The last part of the share's URL, which names it to the server.
    var shortGUID: String { known.shortGUID }

    private let known: Contents
    struct Contents {
      var containerIdentifier: String
      var shortGUID: String
      var share: CKShare
      var ownerIdentity: CKUserIdentity
      var hierarchicalRootRecordID: CKRecord.ID?
      var rootRecord: CKRecord?
      var participantRole: CKShare.ParticipantRole
      var participantStatus: CKShare.ParticipantAcceptanceStatus
      var participantPermission: CKShare.ParticipantPermission
    }

    /// The root record's ID. For a share of a zone: the share's own.
    @available(*, deprecated, renamed: "hierarchicalRootRecordID")
    open var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

    init(_ metadata: ShareMetadata, from viewpoint: Viewpoint) {
      let share = CKShare(
        shareID: CKRecord.ID(
          RecordID(name: metadata.share.name, zone: metadata.zone), from: viewpoint))
      share.take(metadata.share, from: viewpoint)
      known = Contents(
        containerIdentifier: metadata.container.name, shortGUID: metadata.shortGUID.value,
        share: share,
        ownerIdentity: CKUserIdentity(
          metadata.owner,
          recordName: metadata.owner.user.map { viewpoint.userName($0, in: metadata.zone) }),
        hierarchicalRootRecordID: metadata.rootRecordName.map {
          CKRecord.ID(recordName: $0, zoneID: share.recordID.zoneID)
        },
        rootRecord: metadata.rootRecord.map { makeRecord($0, from: viewpoint) },
        participantRole: .init(metadata.role), participantStatus: .init(metadata.acceptance),
        participantPermission: .init(metadata.permission))
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    open class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      open override var classForCoder: AnyClass { ArchivedShareMetadata.self }
    #endif

    /// Restores metadata from an archive.
    public required init?(coder: NSCoder) {
      guard let known = Contents(from: coder) ?? Contents(apples: coder) else { return nil }
      self.known = known
    }

    /// Archives the metadata.
    open func encode(with coder: NSCoder) {
      coder.encodeText(containerIdentifier, "container")
      coder.encodeText(shortGUID, "shortGUID")
      coder.encode(share, forKey: "share")
      coder.encode(ownerIdentity, forKey: "owner")
      coder.encode(hierarchicalRootRecordID, forKey: "rootRecordID")
      coder.encode(rootRecord, forKey: "rootRecord")
      coder.encode(participantRole.rawValue, forKey: "role")
      coder.encode(participantStatus.rawValue, forKey: "status")
      coder.encode(participantPermission.rawValue, forKey: "permission")
    }

    /// Returns the metadata itself: it cannot change.
    open func copy(with zone: NSZone? = nil) -> Any { self }

    /// A text for logs and debuggers.
    open override var description: String {
      "<CKShareMetadata: share=\(share.recordID), participantRole=\(participantRole), "
        + "participantStatus=\(participantStatus), participantPermission=\(participantPermission)>"
    }
  }
}

extension CKShare.Metadata.Contents {
  /// What an archive of ours holds; nil for others.
  init?(from coder: NSCoder) {
    guard
      let container = coder.text("container"), let shortGUID = coder.text("shortGUID"),
      let share = coder.object(CKShare.self, "share"),
      let owner = coder.object(CKUserIdentity.self, "owner")
    else { return nil }
    self.init(
      containerIdentifier: container, shortGUID: shortGUID, share: share, ownerIdentity: owner,
      hierarchicalRootRecordID: coder.object(CKRecord.ID.self, "rootRecordID"),
      rootRecord: coder.object(CKRecord.self, "rootRecord"),
      participantRole: .init(rawValue: coder.decodeInteger(forKey: "role")) ?? .unknown,
      participantStatus: .init(rawValue: coder.decodeInteger(forKey: "status")) ?? .unknown,
      participantPermission: .init(rawValue: coder.decodeInteger(forKey: "permission"))
        ?? .unknown)
  }
}
