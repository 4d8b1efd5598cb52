// A share: the record that says who takes part in what. Two kinds: of a root record and everything
// below it, and of a whole zone.

import BrumeModel
public import Foundation

/// A share of a record and its descendants, or of a whole zone.
///
/// A new share of a record is saved together with that record, in one operation. Shares live in
/// custom zones of the private database. Source: Apple's `CKShare` page and header.
open class CKShare: CKRecord {
  /// The name of the root record; nil for a share of a zone.
  private(set) var rootName: String?
  private var address: URL?
  private var people: [Participant]
  /// Requests for access and their answers.
  var access = ShareAccess()

  /// What everybody who has the URL may do; `none`: only those who were invited.
  ///
  /// Setting `none` removes everybody who came by the URL; anything else removes invitations that
  /// were not accepted, once the share is saved.
  open var publicPermission = ParticipantPermission.none

  // MARK: Creating

  /// Creates a share of a record and its descendants.
  public convenience init(rootRecord: CKRecord) {
    self.init(
      rootRecord: rootRecord,
      shareID: CKRecord.ID(
        recordName: "Share-\(UUID().uuidString)", zoneID: rootRecord.recordID.zoneID))
  }

  /// Creates a share of a record and its descendants, with an ID in the record's zone.
  public init(rootRecord: CKRecord, shareID: CKRecord.ID) {
    rootName = rootRecord.recordID.recordName
    people = [.owner]
    super.init(recordType: CKRecord.SystemType.share, recordID: shareID)
    rootRecord.share = CKRecord.Reference(recordID: shareID, action: .none)
  }

  /// Creates a share of everything in a zone.
  public init(recordZoneID: CKRecordZone.ID) {
    people = [.owner]
    super.init(
      recordType: CKRecord.SystemType.share,
      recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
  }

  /// A share with a certain ID, to be filled with what the server says.
  init(shareID: CKRecord.ID) {
    people = []
    super.init(recordType: CKRecord.SystemType.share, recordID: shareID)
  }

  // MARK: People

  /// Where others accept the share; nil before it was saved.
  open var url: URL? { address }

  /// Everybody who takes part or is invited, the owner included.
  open var participants: [Participant] { people }

  /// Whose records are shared.
  open var owner: Participant { people.first { $0.role == .owner } ?? .owner }

  /// The current user's part; nil if the user has none.
  open var currentUserParticipant: Participant? { people.first { $0.isCurrentUser } }

  /// Invites somebody. Somebody who is there already is updated.
  ///
  /// Only for shares whose ``publicPermission`` is `none`; anything else is a programming error
  /// and traps, as Apple's framework raises an exception.
  open func addParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none, "Set publicPermission to none before adding participants.")
    if let index = people.firstIndex(where: { $0.isSamePerson(as: participant) }) {
      people[index] = participant
    } else {
      people.append(participant)
    }
  }

  /// Removes somebody. The owner stays.
  open func removeParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none, "Set publicPermission to none before removing participants.")
    people.removeAll { $0.role != .owner && $0.isSamePerson(as: participant) }
  }

  func removePeople(where isGone: (Participant) -> Bool) { people.removeAll(where: isGone) }

  // MARK: The server's words

  /// Takes on what the server says about the share.
  func takeShare(_ record: Record, from viewpoint: Viewpoint) {
    address = record.shortGUID.flatMap { viewpoint.shareURL($0) }
    guard let details = record.shareDetails else { return }
    publicPermission = .init(details.publicPermission)
    rootName = details.rootRecordName
    access = ShareAccess(details)
    people = details.participants.map { Participant($0, in: record.zone, from: viewpoint) }
  }

  /// Adds to a save what a share has beside fields.
  func complete(_ draft: inout RecordDraft) {
    draft.publicPermission = publicPermission.model
    draft.participants = people.filter { $0.role != .owner }.map(\.model)
    draft.access = access.draft
    if recordChangeTag == nil, let rootName { draft.shareRoot = (rootName, nil) }
  }

  // MARK: Copying and coding

  /// Restores a share from an archive.
  public required init?(coder: NSCoder) {
    let classes: [AnyClass] = [NSArray.self, CKShare.Participant.self]
    rootName = coder.text("rootName")
    address = coder.text("address").flatMap { URL(string: $0) }
    let list =
      coder.containsValue(forKey: "participants")
      ? coder.decodeObject(of: classes, forKey: "participants") as? NSArray : nil
    people = list?.compactMap { $0 as? Participant } ?? []
    access = ShareAccess(from: coder)
    publicPermission =
      ParticipantPermission(rawValue: coder.decodeInteger(forKey: "publicPermission")) ?? .unknown
    super.init(coder: coder)
  }

  /// Archives the share.
  open override func encode(with coder: NSCoder) {
    super.encode(with: coder)
    coder.encodeText(rootName, "rootName")
    coder.encodeText(address?.absoluteString, "address")
    coder.encode(NSArray(array: people), forKey: "participants")
    access.encode(with: coder)
    coder.encode(publicPermission.rawValue, forKey: "publicPermission")
  }

  /// Makes an independent copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKShare(shareID: recordID)
    copy.takeEverything(from: self)
    copy.rootName = rootName
    copy.address = address
    copy.publicPermission = publicPermission
    copy.access = access
    copy.people = people.compactMap { $0.copy() as? Participant }
    return copy
  }
}

extension CKShare.Participant {
  /// The owner of a share that was not saved yet: the current user.
  fileprivate static var owner: CKShare.Participant {
    CKShare.Participant(
      id: UUID().uuidString,
      identity: CKUserIdentity(
        lookupInfo: nil, userRecordID: CKRecord.ID(recordName: CKCurrentUserDefaultName)),
      role: .owner, permission: .readWrite, acceptance: .accepted)
  }
}

extension Viewpoint {
  /// Where a share is accepted: the last part of the path is what counts.
  func shareURL(_ shortGUID: String) -> URL? {
    URL(string: "\(server ?? "https://www.icloud.com")/share/\(shortGUID)")
  }
}
