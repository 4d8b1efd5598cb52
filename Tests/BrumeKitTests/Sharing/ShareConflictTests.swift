// What a conflict over a share has for a merge.

import BrumeModel
import Foundation
import Testing

@testable import BrumeKit

@Suite struct ShareConflictTests {
  private let view = Viewpoint(scope: .private, me: "_ann")

  private static let record: Record = {
    var record = Record(
      name: "Share-1", zone: ZoneID(name: "Trails", ownerName: "_ann"), type: Record.shareType,
      changeTag: "5", fields: ["cloudkit.title": .string("North")])
    record.shareDetails = Share(
      publicPermission: .none,
      participants: [
        Participant(
          id: "o", role: .owner, permission: .readWrite, acceptance: .accepted,
          identity: UserIdentity(user: UserID("_ann"))),
        Participant(
          id: "p", role: .privateUser, permission: .readWrite, acceptance: .accepted,
          identity: UserIdentity(user: UserID("_bob"))),
      ], rootRecordName: "A-7")
    return record
  }()

  private func conflict(of share: CKShare) -> CKError {
    var conflict = BrumeError(.conflict, "changed")
    var theirs = Self.record
    theirs.changeTag = "6"
    conflict.serverRecord = theirs
    return CKError(conflict, from: view, clientRecord: share)
  }

  private func ancestor(of share: CKShare) throws -> CKShare {
    try #require(conflict(of: share).ancestorRecord as? CKShare)
  }

  /// A share with changes of the client.
  private func changedShare() throws -> CKShare {
    let share = try #require(makeRecord(Self.record, from: view) as? CKShare)
    share[CKShare.SystemFieldKey.title] = "South"
    share.participants.last?.permission = .readOnly
    share.addParticipant(CKShare.Participant.oneTimeURLParticipant())
    share.publicPermission = .readOnly
    return share
  }

  @Test func `the ancestor of a share's conflict is the share as the server had it`() throws {
    let share = try changedShare()
    for one in [share, try #require(share.copy() as? CKShare)] {
      let ancestor = try self.ancestor(of: one)
      #expect(ancestor.participants.map(\.participantID) == ["o", "p"])
      #expect(ancestor.participants.map(\.permission) == [.readWrite, .readWrite])
      #expect(ancestor.publicPermission == .none)
      #expect(ancestor[CKShare.SystemFieldKey.title] == "North")
      // What becomes of the ancestor changes nothing of what is known of the server's share.
      ancestor.participants.last?.permission = .readOnly
    }
    #expect(try ancestor(of: share).participants.last?.permission == .readWrite)
    #expect(share.participants.count == 3 && share.publicPermission == .readOnly)
  }

  @Test func `the ancestor of a new share's conflict has its owner alone`() throws {
    let zoneID = CKRecordZone.ID(zoneName: "Trails")
    let root = CKRecord(recordType: "Area", recordID: CKRecord.ID(zoneID: zoneID))
    for share in [CKShare(recordZoneID: zoneID), CKShare(rootRecord: root)] {
      share.addParticipant(CKShare.Participant.oneTimeURLParticipant())
      #expect(try ancestor(of: share).participants.map(\.role) == [.owner])
      #expect(share.participants.count == 2)
    }
  }

  @Test func `an archived share knows its ancestor`() throws {
    let share = try changedShare()
    let whole = try through(share)
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    share.encodeSystemFields(with: coder)
    coder.finishEncoding()
    let systemFields = CKShare(coder: try NSKeyedUnarchiver(forReadingFrom: coder.encodedData))
    for one in [whole, systemFields, try through(whole)] {
      #expect(one.participants.count == 3 && one.participants[1].permission == .readOnly)
      #expect(one.publicPermission == .readOnly)
      let ancestor = try self.ancestor(of: one)
      #expect(ancestor.participants.map(\.participantID) == ["o", "p"])
      #expect(ancestor.participants.map(\.permission) == [.readWrite, .readWrite])
      #expect(ancestor.publicPermission == .none)
    }
    #expect(try ancestor(of: whole)[CKShare.SystemFieldKey.title] == "North")
  }

  @Test func `an archive that does not say what the server said gives no ancestor`() throws {
    // Nothing is known of this one, so its archive is as those of earlier versions.
    let unknown = CKShare(shareID: CKRecord.ID(recordName: "Share-1"))
    let restored = try through(unknown)
    restored.addParticipant(CKShare.Participant.oneTimeURLParticipant())
    #expect(conflict(of: restored).ancestorRecord == nil)
    #expect(conflict(of: restored).serverRecord is CKShare)
    #expect(CKShare.Details(archived: Array("nonsense".utf8)) == nil)
  }
}
