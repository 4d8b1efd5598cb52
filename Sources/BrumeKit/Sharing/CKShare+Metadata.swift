// A share as somebody who holds its URL sees it.

import BrumeModel
public import Foundation

extension CKShare {
  /// A share as somebody who holds its URL sees it, before or after accepting it.
  ///
  /// Source: Apple's `CKShare.Metadata` page.
  // Sendable because it never changes; the share in it is for reading.
  public final class Metadata: NSObject, NSCopying, NSSecureCoding, @unchecked Sendable {
    /// The container in which to accept the share.
    public let containerIdentifier: String
    /// The share.
    public let share: CKShare
    /// The root record's ID; nil for a share of a zone.
    public let hierarchicalRootRecordID: CKRecord.ID?
    /// The root record, if it was asked for.
    public let rootRecord: CKRecord?
    /// What the user is in the share.
    public let participantRole: CKShare.ParticipantRole
    /// Where the user stands with the invitation.
    public let participantStatus: CKShare.ParticipantAcceptanceStatus
    /// What the user may do.
    public let participantPermission: CKShare.ParticipantPermission
    /// Who shares.
    public let ownerIdentity: CKUserIdentity
    /// The last part of the share's URL, which names it to the server.
    let shortGUID: String

    /// The root record's ID. For a share of a zone: the share's own.
    @available(*, deprecated, renamed: "hierarchicalRootRecordID")
    public var rootRecordID: CKRecord.ID { hierarchicalRootRecordID ?? share.recordID }

    init(_ metadata: ShareMetadata, from viewpoint: Viewpoint) {
      let share = CKShare(
        shareID: CKRecord.ID(
          RecordID(name: metadata.share.name, zone: metadata.zone), from: viewpoint))
      share.take(metadata.share, from: viewpoint)
      self.share = share
      containerIdentifier = metadata.container.name
      hierarchicalRootRecordID = metadata.rootRecordName.map {
        CKRecord.ID(recordName: $0, zoneID: share.recordID.zoneID)
      }
      rootRecord = metadata.rootRecord.map { makeRecord($0, from: viewpoint) }
      participantRole = .init(metadata.role)
      participantStatus = .init(metadata.acceptance)
      participantPermission = .init(metadata.permission)
      ownerIdentity = CKUserIdentity(
        metadata.owner,
        recordName: metadata.owner.user.map { viewpoint.userName($0, in: metadata.zone) })
      shortGUID = metadata.shortGUID.value
    }

    // MARK: Copying and coding

    /// Whether the class can be archived securely: yes.
    public class var supportsSecureCoding: Bool { true }

    #if !canImport(ObjectiveC)
      /// The class whose name stands in archives.
      public override var classForCoder: AnyClass { ArchivedShareMetadata.self }
    #endif

    /// Restores metadata from an archive.
    public required init?(coder: NSCoder) {
      guard
        let container = coder.text("container"), let shortGUID = coder.text("shortGUID"),
        let share = coder.object(CKShare.self, "share"),
        let owner = coder.object(CKUserIdentity.self, "owner")
      else { return nil }
      self.containerIdentifier = container
      self.shortGUID = shortGUID
      self.share = share
      self.ownerIdentity = owner
      hierarchicalRootRecordID = coder.object(CKRecord.ID.self, "rootRecordID")
      rootRecord = coder.object(CKRecord.self, "rootRecord")
      participantRole = .init(rawValue: coder.decodeInteger(forKey: "role")) ?? .unknown
      participantStatus = .init(rawValue: coder.decodeInteger(forKey: "status")) ?? .unknown
      participantPermission = .init(rawValue: coder.decodeInteger(forKey: "permission")) ?? .unknown
    }

    /// Archives the metadata.
    public func encode(with coder: NSCoder) {
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
    public func copy(with zone: NSZone? = nil) -> Any { self }

    /// A text for logs and debuggers.
    public override var description: String {
      "<CKShareMetadata: share=\(share.recordID), participantRole=\(participantRole), "
        + "participantStatus=\(participantStatus), participantPermission=\(participantPermission)>"
    }
  }
}
