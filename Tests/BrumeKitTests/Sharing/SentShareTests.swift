// What becomes of a share that the app changes while it is being saved.

import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct SentShareTests {
  private static func person(
    _ id: String, _ user: String, _ role: Participant.Role = .privateUser
  ) -> Participant {
    Participant(
      id: id, role: role, permission: .readWrite, acceptance: .accepted,
      identity: UserIdentity(user: UserID(user)))
  }

  private static let people = [person("p", "_bob"), person("q", "_eve"), person("r", "_cy")]

  /// The share as the server has it.
  private static func record(_ tag: String, and more: [Participant] = []) -> Record {
    var record = Record(
      name: "Share-1", zone: ZoneID(name: "Trails", ownerName: "_me"), type: Record.shareType,
      changeTag: tag, fields: [:])
    var share = Share(
      participants: [person("o", "_me", .owner)] + people + more, rootRecordName: "A-7")
    share.requesters = ["_fay", "_gus"].map { UserIdentity(user: UserID($0)) }
    share.blocked = [UserIdentity(user: UserID("_hal"))]
    record.shareDetails = share
    return record
  }

  private static func share() throws -> CKShare {
    let view = Viewpoint(scope: .private)
    return try #require(makeRecord(record("1"), from: view) as? CKShare)
  }

  private static func answer(_ record: Record) -> [UInt8] {
    let stored = StoredRecord(
      name: record.name, type: record.type, sequence: 1, content: .value(record))
    return Wire.records(
      [.success(.saved(stored))], RecordOptions(reader: UserID("_me")))
  }

  private func save(_ share: CKShare, _ server: ScriptedServer) async {
    let operation = CKModifyRecordsOperation(recordsToSave: [share])
    operation.database = server.container.privateCloudDatabase
    operation.perRecordSaveBlock = { #expect(outcome($1) == "ok") }
    await finish(operation)
  }

  /// Who asked for access, and who may not.
  private func waiting(_ share: CKShare) -> [[String?]] {
    [
      share.requesters.map { $0.userIdentity.userRecordID?.recordName },
      share.blockedIdentities.map { $0.userIdentity.userRecordID?.recordName },
    ]
  }

  @Test func `what is set in a share during a save stays, and is sent with the next`() async throws
  {
    let share = try Self.share()
    let server = ScriptedServer { _, number in
      if number == 0 {
        share.participants[1].permission = .readOnly
        share.removeParticipant(share.participants[2])
        share.addParticipant(CKShare.Participant.oneTimeURLParticipant())
        share.blockRequesters([share.requesters[0]])
        share.unblockIdentities(share.blockedIdentities.filter { $0.name == "_hal" })
        share.allowsAccessRequests = true
        share.publicPermission = .readOnly
      }
      return Self.answer(Self.record("2", and: [Self.person("s", "_dan")]))
    }
    await save(share, server)
    #expect(share.recordChangeTag == "2" && share.publicPermission == .readOnly)
    #expect(share.participants.map(\.participantID).prefix(4) == ["o", "p", "r", "s"])
    #expect(share.participants.last?.oneTimeToken == "" && share.participants.count == 5)
    #expect(share.participants[1].permission == .readOnly)
    #expect(share.participants[2].permission == .readWrite)
    #expect(share.allowsAccessRequests && waiting(share) == [["_gus"], ["_fay"]])
    let ancestor = try #require(share.copy() as? CKShare)
    #expect(ancestor.takeBackChanges() && ancestor.publicPermission == .none)
    #expect(ancestor.participants.map(\.participantID) == ["o", "p", "q", "r", "s"])

    await save(share, server)
    let body = try #require(server.requests.last?.body)
    let sent = try #require(try ModifyRecordsRequest(json: body).operations.first?.record)
    #expect(sent.publicPermission == .readOnly && sent.participants?.count == 4)
    #expect(sent.access?.allowsRequests == true && sent.access?.blocked == [UserID("_fay")])
    #expect(share.participants.map(\.participantID) == ["o", "p", "q", "r", "s"])
    #expect(share.publicPermission == .none && !share.allowsAccessRequests)
    #expect(waiting(share) == [["_fay", "_gus"], ["_hal"]])
  }

  @Test func `a share that nobody changes during its save is as the server says`() async throws {
    let share = try Self.share()
    share.publicPermission = .readWrite
    share.allowsAccessRequests = true
    let server = ScriptedServer { _, _ in Self.answer(Self.record("2")) }
    await save(share, server)
    #expect(share.publicPermission == .none && !share.allowsAccessRequests)
    #expect(share.access.draft == nil)
    #expect(share.participants.map(\.participantID) == ["o", "p", "q", "r"])
  }
}

extension CKShare.BlockedIdentity {
  fileprivate var name: String? { userIdentity.userRecordID?.recordName }
}
