// A share: the record that says who takes part in what. Two kinds: of a root record and everything
// below it, and of a whole zone.

import BrumeModel
public import Foundation
import Synchronization

// Sendable because everything that can change is behind a mutex.
/// A share of a record and its descendants, or of a whole zone.
///
/// A new share of a record is saved together with that record, in one operation. Shares live in
/// custom zones of the private database. Source: Apple's `CKShare` page and header.
open class CKShare: CKRecord, @unchecked Sendable {
  private let details: Mutex<Details>
  /// What the server said last, or a new share was: the ancestor of a conflict. Nil if that is not known.
  private let unchanged: Mutex<Details?>

  /// The name of the root record; nil for a share of a zone.
  var rootName: String? { details.withLock { $0.rootName } }
  /// Requests for access and their answers.
  var access: ShareAccess {
    get { details.withLock { $0.access } }
    set { details.withLock { $0.access = newValue } }
  }

  /// What everybody who has the URL may do; `none`: only those who were invited.
  ///
  /// Setting `none` removes everybody who came by the URL; anything else removes invitations that
  /// were not accepted, once the share is saved.
  open var publicPermission: ParticipantPermission {
    get { details.withLock { $0.publicPermission } }
    set { details.withLock { $0.publicPermission = newValue } }
  }

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
    let new = Details(rootName: rootRecord.recordID.recordName, people: [.owner])
    details = Mutex(new)
    unchanged = Mutex(new.copied)
    super.init(recordType: CKRecord.SystemType.share, recordID: shareID)
    rootRecord.share = CKRecord.Reference(recordID: shareID, action: .none)
  }

  /// Creates a share of everything in a zone.
  public init(recordZoneID: CKRecordZone.ID) {
    let new = Details(people: [.owner])
    details = Mutex(new)
    unchanged = Mutex(new.copied)
    super.init(
      recordType: CKRecord.SystemType.share,
      recordID: CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: recordZoneID))
  }

  /// A share with a certain ID, to be filled with what the server says.
  init(shareID: CKRecord.ID) {
    details = Mutex(Details())
    unchanged = Mutex(nil)
    super.init(recordType: CKRecord.SystemType.share, recordID: shareID)
  }

  // MARK: People

  /// Where others accept the share; nil before it was saved.
  open var url: URL? { details.withLock { $0.address } }

  /// Everybody who takes part or is invited, the owner included.
  open var participants: [Participant] { details.withLock { $0.people } }

  /// Whose records are shared.
  open var owner: Participant { participants.first { $0.role == .owner } ?? .owner }

  /// The current user's part; nil if the user has none.
  open var currentUserParticipant: Participant? { participants.first { $0.isCurrentUser } }

  /// Invites somebody. Somebody who is there already gets the role and the permission, and stays the same participant.
  ///
  /// Only for shares whose ``publicPermission`` is `none`; anything else is a programming error
  /// and traps, as Apple's framework raises an exception.
  open func addParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none, "Set publicPermission to none before adding participants.")
    let known = details.withLock { details -> Participant? in
      guard let index = details.people.firstIndex(of: participant) else {
        details.people.append(participant)
        return nil
      }
      // The server takes nobody who was removed: he is invited anew.
      guard details.people[index].acceptanceStatus == .removed else { return details.people[index] }
      details.people[index] = participant
      return nil
    }
    // The owner stays what he is.
    if let known, known.role != .owner {
      known.role = participant.role
      known.permission = participant.permission
    }
  }

  /// Removes somebody. The owner stays.
  open func removeParticipant(_ participant: Participant) {
    precondition(
      publicPermission == .none, "Set publicPermission to none before removing participants.")
    removePeople { $0.role != .owner && $0 == participant }
  }

  func removePeople(where isGone: (Participant) -> Bool) {
    details.withLock { $0.people.removeAll(where: isGone) }
  }

  // MARK: The server's words

  /// What it has beside fields, as it is now.
  var detailsNow: Details { details.withLock { $0 }.copied }

  /// Takes on what the server says about the share.
  ///
  /// - Parameter sent: what a save sent, which the server answers: what was set since stays.
  func takeShare(_ record: Record, from viewpoint: Viewpoint, after sent: Details? = nil) {
    let address = record.shortGUID.flatMap { viewpoint.shareURL($0) }
    guard let shareDetails = record.shareDetails else {
      return details.withLock { $0.address = address }
    }
    let said = Details(shareDetails, at: address, in: record.zone, from: viewpoint)
    let own = said.copied
    details.withLock { details in
      let now = details
      details = own
      if let sent { details.keepChanges(of: now, since: sent) }
    }
    unchanged.withLock { $0 = said }
  }

  /// Becomes what the server said last. False if that is not known: archives of earlier versions do not have it.
  func takeBackChanges() -> Bool {
    guard let said = unchanged.withLock({ $0 })?.copied else { return false }
    details.withLock { $0 = said }
    return true
  }

  /// Adds to a save what a share has beside fields.
  func complete(_ draft: inout RecordDraft) {
    draft.publicPermission = publicPermission.model
    draft.participants = participants.filter { $0.role != .owner }.map(\.model)
    draft.access = access.draft
    if recordChangeTag == nil, let rootName { draft.shareRoot = (rootName, nil) }
  }

  // MARK: Copying and coding

  /// Restores a share from an archive, one of Apple's too. An archive of something else gives a share of
  /// nothing.
  public required init(coder: NSCoder) {
    let isApples = coder.hasAppleRecord
    details = Mutex(isApples ? Details(apples: coder) : Details(from: coder))
    unchanged = Mutex(coder.bytes("unchanged").flatMap { Details(archived: $0) })
    let id = coder.object(CKRecord.ID.self, isApples ? AppleKey.recordID : "recordID")
    if id == nil { coder.refuse("a share") }
    super.init(recordType: CKRecord.SystemType.share, recordID: id ?? CKRecord.ID())
    decodeContents(coder)
  }

  /// Writes everything but the fields: also the participants, the public permission and the URL, as they are and as
  /// the server said last.
  open override func encodeSystemFields(with coder: NSCoder) {
    super.encodeSystemFields(with: coder)
    details.withLock { $0 }.encode(with: coder)
    coder.encodeBytes(unchanged.withLock { $0 }?.archived, "unchanged")
  }

  /// Makes an independent copy.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = CKShare(shareID: recordID)
    copy.takeEverything(from: self)
    let same = details.withLock { $0 }.copied
    copy.details.withLock { $0 = same }
    let said = unchanged.withLock { $0 }
    copy.unchanged.withLock { $0 = said }
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
