// What a conflict over a share has for a merge.

import BrumeModel
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

  private func ancestor(of share: CKShare) throws -> CKShare {
    var conflict = BrumeError(.conflict, "changed")
    var theirs = Self.record
    theirs.changeTag = "6"
    conflict.serverRecord = theirs
    let error = CKError(conflict, from: view, clientRecord: share)
    return try #require(error.ancestorRecord as? CKShare)
  }

  @Test func `the ancestor of a share's conflict is the share as the server had it`() throws {
    let share = try #require(makeRecord(Self.record, from: view) as? CKShare)
    share[CKShare.SystemFieldKey.title] = "South"
    share.participants.last?.permission = .readOnly
    share.addParticipant(CKShare.Participant.oneTimeURLParticipant())
    share.publicPermission = .readOnly
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

  @Test func `a share that was never read from the server is its own ancestor`() throws {
    let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Trails"))
    #expect(try ancestor(of: share).participants.map(\.role) == [.owner])
  }
}
