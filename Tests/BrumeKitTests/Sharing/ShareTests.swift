import BrumeModel
import BrumeWire
import Foundation
import Testing

@testable import BrumeKit

@Suite struct ShareTests {
  private let zoneID = CKRecordZone.ID(zoneName: "Trails")

  private static let record: Record = {
    var record = Record(
      name: "Share-1", zone: ZoneID(name: "Trails", ownerName: "_ann"), type: Record.shareType,
      changeTag: "5", fields: ["cloudkit.title": .string("North")])
    record.shortGUID = "0abc"
    record.shareDetails = Share(
      publicPermission: .readOnly,
      participants: [
        Participant(
          id: "o", role: .owner, permission: .readWrite, acceptance: .accepted,
          identity: UserIdentity(user: UserID("_ann"), givenName: "Ann")),
        Participant(
          id: "p", role: .privateUser, permission: .readWrite, acceptance: .invited,
          identity: UserIdentity(user: UserID("_me"), emailAddress: "me@example.org")),
      ], rootRecordName: "A-7")
    return record
  }()

  @Test func `a new share has an owner, nobody else, and belongs to its root`() throws {
    let root = CKRecord(
      recordType: "Area", recordID: CKRecord.ID(recordName: "A-7", zoneID: zoneID))
    let share = CKShare(rootRecord: root)
    share[CKShare.SystemFieldKey.title] = "North"
    #expect(share.recordType == "cloudkit.share" && share.recordID.zoneID == zoneID)
    #expect(root.share?.recordID == share.recordID)
    #expect(share.publicPermission == .none && share.url == nil)
    #expect(share.owner.role == .owner && share.participants.count == 1)
    #expect(share.currentUserParticipant?.role == .owner)
    let operation = try share.saveOperation(.ifServerRecordUnchanged)
    #expect(operation.record.shareRoot?.name == "A-7")
    #expect(operation.record.publicPermission == SharePermission.none)
    #expect(operation.record.fields["cloudkit.title"]?.value == .string("North"))
  }

  @Test func `a share of a zone has its one name and no root`() throws {
    let share = CKShare(recordZoneID: zoneID)
    #expect(share.recordID.recordName == CKRecordNameZoneWideShare)
    #expect(try share.saveOperation(.ifServerRecordUnchanged).record.shareRoot == nil)
  }

  @Test func `a share's system fields keep who takes part, what everybody may do, and the URL`()
    throws
  {
    let share = CKShare(shareID: CKRecord.ID(recordName: "Share-1", zoneID: zoneID))
    share.take(Self.record, from: Viewpoint(scope: .private, me: "_ann"))
    let coder = NSKeyedArchiver(requiringSecureCoding: true)
    share.encodeSystemFields(with: coder)
    coder.finishEncoding()
    let back = CKShare(coder: try NSKeyedUnarchiver(forReadingFrom: coder.encodedData))
    #expect(back.participants.map(\.participantID) == ["o", "p"])
    #expect(back.participants.map(\.acceptanceStatus) == [.accepted, .pending])
    #expect(back.publicPermission == .readOnly)
    #expect(back.url == share.url && back.url != nil)
    #expect(back.recordChangeTag == "5" && back.recordID == share.recordID)
    #expect(back.allKeys().isEmpty)
  }

  @Test func `participants are equal when they are the same person`() {
    func somebody(
      _ id: String, user: String? = nil, address: String? = nil,
      _ permission: CKShare.ParticipantPermission = .readOnly
    ) -> CKShare.Participant {
      CKShare.Participant(
        id: id,
        identity: CKUserIdentity(
          lookupInfo: address.map { CKUserIdentity.LookupInfo(emailAddress: $0) },
          userRecordID: user.map { CKRecord.ID(recordName: $0) }),
        role: .privateUser, permission: permission, acceptance: .pending)
    }
    let bob = somebody("1", user: "_bob", address: "bob@example.org")
    #expect(bob == somebody("1", .readWrite))
    #expect(bob == somebody("2", user: "_bob", .readWrite))
    #expect(bob == somebody("3", address: "Bob@Example.org"))
    #expect(bob != somebody("4", user: "_eve", address: "bob@example.org"))
    #expect(bob != somebody("5", address: "eve@example.org"))
    #expect(somebody("6") != somebody("7"))
    #expect([bob].contains(somebody("8", user: "_bob")))
    #expect(Set([bob, somebody("9", user: "_bob")]).count == 1)
  }

  @Test func `SHR-32 the owner is not invited to his own share`() {
    let share = CKShare(recordZoneID: CKRecordZone.ID(zoneName: "Notes"))
    share.addParticipant(CKShare.Participant(inviting: share.owner.userIdentity))
    #expect(share.participants.map(\.role) == [.owner])
  }

  @Test func `inviting the same person again updates the invitation`() {
    let share = CKShare(recordZoneID: zoneID)
    func invitation(_ address: String = "bob@example.org") -> CKShare.Participant {
      CKShare.Participant(
        inviting: CKUserIdentity(
          lookupInfo: CKUserIdentity.LookupInfo(emailAddress: address),
          userRecordID: nil))
    }
    share.addParticipant(invitation())
    let again = invitation("Bob@Example.org")
    again.permission = .readWrite
    share.addParticipant(again)
    #expect(share.participants.map(\.permission) == [.readWrite, .readWrite])
    share.removeParticipant(invitation())
    share.removeParticipant(share.owner)
    #expect(share.participants.map(\.role) == [.owner])
  }

  /// A share that the server has, with somebody in it.
  private static func share(
    with acceptance: Participant.Acceptance, _ place: Participant? = nil
  ) throws -> CKShare {
    var record = record
    record.shareDetails?.publicPermission = .none
    record.shareDetails?.participants[1] = Participant(
      id: "p", role: .privateUser, permission: .readOnly, acceptance: acceptance,
      identity: UserIdentity(user: UserID("_bob"), emailAddress: "bob@example.org"))
    if let place { record.shareDetails?.participants.append(place) }
    let viewpoint = Viewpoint(scope: .private, me: "_ann")
    return try #require(makeRecord(record, from: viewpoint) as? CKShare)
  }

  private static func invitation(of user: String) -> CKShare.Participant {
    let invitation = CKShare.Participant(
      inviting: CKUserIdentity(lookupInfo: nil, userRecordID: CKRecord.ID(recordName: user)))
    invitation.permission = .readWrite
    return invitation
  }

  @Test func `who takes part already and is invited stays the same participant, who accepted`()
    throws
  {
    let share = try Self.share(with: .accepted)
    let before = try #require(share.participants.last)
    share.addParticipant(Self.invitation(of: "_bob"))
    #expect(share.participants.count == 2 && share.participants.last === before)
    #expect(before.participantID == "p" && before.acceptanceStatus == .accepted)
    #expect(before.permission == .readWrite)
    let sent = try share.saveOperation(.ifServerRecordUnchanged).record.participants
    #expect(sent?.map(\.id) == ["p"] && sent?.map(\.permission) == [.readWrite])
  }

  @Test func `who was removed and is invited is a new participant`() throws {
    let share = try Self.share(with: .removed)
    let anew = Self.invitation(of: "_bob")
    share.addParticipant(anew)
    #expect(share.participants.count == 2 && share.participants.last === anew)
    #expect(share.participants.last?.acceptanceStatus == .pending)
  }

  @Test func `a one-time place that somebody took stays taken when the app adds it again`() throws {
    let place = CKShare.Participant.oneTimeURLParticipant()
    place.permission = .readWrite
    let share = try Self.share(
      with: .accepted,
      Participant(
        id: place.participantID, role: .privateUser, permission: .readOnly, acceptance: .accepted,
        identity: UserIdentity(user: UserID("_eve"))))
    share.addParticipant(place)
    let eve = try #require(share.participants.last)
    #expect(share.participants.count == 3 && eve.permission == .readWrite)
    #expect(eve.userIdentity.userRecordID?.recordName == "_eve")
    #expect(eve.acceptanceStatus == .accepted)
  }

  @Test func `the server's share is read with the current user's part in it`() throws {
    let viewpoint = Viewpoint(scope: .shared, me: "_me", server: "https://brume.test")
    let made = makeRecord(Self.record, from: viewpoint)
    let share = try #require(made as? CKShare)
    #expect(share.url?.absoluteString == "https://brume.test/share/0abc")
    #expect(share.publicPermission == .readOnly && share.participants.count == 2)
    #expect(share.owner.userIdentity.nameComponents?.givenName == "Ann")
    #expect(share.owner.userIdentity.userRecordID?.recordName == "_ann")
    #expect(share.currentUserParticipant?.participantID == "p")
    #expect(share.currentUserParticipant?.acceptanceStatus == .pending)
    #expect(share.recordID.zoneID.ownerName == "_ann")
    #expect(share[CKShare.SystemFieldKey.title] as? String == "North")
  }

  @Test func `a share survives archiving`() throws {
    let viewpoint = Viewpoint(scope: .shared, me: "_me")
    let share = try #require(makeRecord(Self.record, from: viewpoint) as? CKShare)
    let data = try NSKeyedArchiver.archivedData(withRootObject: share, requiringSecureCoding: true)
    let restored = try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: CKShare.self, from: data))
    #expect(restored.recordID == share.recordID && restored.url == share.url)
    #expect(restored.participants.map(\.participantID) == ["o", "p"])
    #expect(restored.publicPermission == .readOnly && restored.recordChangeTag == "5")
  }

  @Test func `metadata is fetched by the last part of the URL and accepted`() async throws {
    let server = ScriptedServer { request, _ in
      let asked = try Wire.shortGUIDs(try #require(request.body))
      return Wire.shareResults(
        asked.map { one in
          one.value == "0abc"
            ? .success(
              ShareMetadata(
                shortGUID: one, in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
                scope: .shared, zone: Self.record.zone, share: Self.record, rootRecordName: "A-7",
                rootRecord: nil, owner: UserIdentity(user: UserID("_ann")), role: .privateUser,
                acceptance: request.action == "records/accept" ? .accepted : .invited,
                permission: .readWrite))
            : .failure(ItemFailure(one.value, BrumeError(.notFound, "no share")))
        }, RecordOptions())
    }
    let container = server.container
    let journal = Journal()
    let urls = ["https://a.example/share/0abc#North", "https://a.example/share/none"]
      .compactMap { URL(string: $0) }
    let fetch = CKFetchShareMetadataOperation(shareURLs: urls)
    fetch.container = container
    var found: [CKShare.Metadata] = []
    fetch.perShareMetadataResultBlock = { url, result in
      journal.note("\(url.lastPathComponent) \(outcome(result))")
      if let metadata = try? result.get() { found.append(metadata) }
    }
    fetch.fetchShareMetadataResultBlock = { journal.note("result \(outcome($0))") }
    await finish(fetch)
    let metadata = try #require(found.first)
    #expect(metadata.participantStatus == .pending && metadata.participantRole == .privateUser)
    #expect(metadata.hierarchicalRootRecordID?.recordName == "A-7")
    let accept = CKAcceptSharesOperation(shareMetadatas: [metadata])
    accept.container = container
    accept.perShareResultBlock = { journal.note("accept \($0.shortGUID) \(outcome($1))") }
    accept.acceptSharesCompletionBlock = { journal.note("accepted \(code($0))") }
    await finish(accept)
    #expect(
      journal.all == ["0abc ok", "none unknownItem", "result ok", "accept 0abc ok", "accepted nil"])

    let refusing = ScriptedServer { request, _ in
      let asked = try Wire.shortGUIDs(try #require(request.body))
      return Wire.shareResults(
        asked.map { .failure(ItemFailure($0.value, BrumeError(.notFound, "gone"))) },
        RecordOptions())
    }
    let late = CKAcceptSharesOperation(shareMetadatas: [metadata])
    late.container = refusing.container
    var refusal: (any Error)?
    late.acceptSharesCompletionBlock = { refusal = $0 }
    await finish(late)
    let url = try #require(metadata.share.url)
    let byItem = (refusal as? CKError)?.partialErrorsByItemID
    #expect((byItem?[url] as? CKError)?.code == .unknownItem, "found by the share's URL")
  }

  @Test func `SHR-27 who has to prove an address learns the share's URL`() async throws {
    let server = ScriptedServer { request, _ in
      let asked = try Wire.shortGUIDs(try #require(request.body))
      return Wire.shareResults(
        asked.map {
          .failure(ItemFailure($0.value, BrumeError(.participantMayNeedVerification, "prove it")))
        }, RecordOptions())
    }
    let url = try #require(URL(string: "https://a.example/share/0abc"))
    let fetch = CKFetchShareMetadataOperation(shareURLs: [url])
    fetch.container = server.container
    var failures: [CKError] = []
    fetch.perShareMetadataResultBlock = { _, result in
      if case .failure(let error as CKError) = result { failures.append(error) }
    }
    await finish(fetch)
    #expect(failures.map(\.code) == [.participantMayNeedVerification])
    #expect(failures.first?.userInfo[NSURLErrorKey] as? URL == url)
    #expect(failures.first?.localizedDescription == "prove it")
  }

  /// What is behind an address.
  private static func metadata(of address: ShortGUIDRequest) -> ShareResult {
    var share = record
    share.shortGUID = address.value
    return .success(
      ShareMetadata(
        shortGUID: address, in: ContainerEnvironment(ContainerID("iCloud.test"), .development),
        scope: .shared, zone: record.zone, share: share, rootRecordName: "A-7", rootRecord: nil,
        owner: UserIdentity(user: UserID("_ann")), role: .privateUser, acceptance: .invited,
        permission: .readWrite))
  }

  @Test func `SHR-27 of several shares that are accepted each failure is found by its URL`()
    async throws
  {
    let server = ScriptedServer { request, _ in
      let asked = try Wire.shortGUIDs(try #require(request.body))
      let refusal = BrumeError(.participantMayNeedVerification, "prove it")
      return Wire.shareResults(
        asked.map { address in
          request.action == "records/accept"
            ? .failure(ItemFailure(address.value, refusal)) : Self.metadata(of: address)
        }, RecordOptions())
    }
    let container = server.container
    let fetch = CKFetchShareMetadataOperation(
      shareURLs: ["0abc", "0def"].compactMap { URL(string: "https://a.example/share/\($0)") })
    fetch.container = container
    var found: [CKShare.Metadata] = []
    fetch.perShareMetadataResultBlock = { _, result in
      if let metadata = try? result.get() { found.append(metadata) }
    }
    await finish(fetch)
    let accept = CKAcceptSharesOperation(shareMetadatas: found)
    accept.container = container
    var failures: [CKError] = []
    var overall: CKError?
    accept.perShareResultBlock = { _, result in
      if case .failure(let error as CKError) = result { failures.append(error) }
    }
    accept.acceptSharesCompletionBlock = { overall = $0 as? CKError }
    await finish(accept)
    let urls = found.compactMap(\.share.url)
    #expect(Set(urls.map(\.lastPathComponent)) == ["0abc", "0def"])
    #expect(failures.compactMap { $0.userInfo[NSURLErrorKey] as? URL } == urls)
    #expect(overall?.code == .partialFailure)
    let byURL = overall?.partialErrorsByItemID ?? [:]
    for url in urls {
      #expect((byURL[url] as? CKError)?.code == .participantMayNeedVerification)
    }
  }

  @Test func `participants are made from addresses, with the account where there is one`() async {
    let infos = CKUserIdentity.LookupInfo.lookupInfos(
      withEmails: ["a@example.org", "B@example.org"])
    let server = ScriptedServer { _, _ in
      Wire.users([UserIdentity(user: UserID("_b"), emailAddress: "b@example.org")])
    }
    let operation = CKFetchShareParticipantsOperation(userIdentityLookupInfos: infos)
    operation.container = server.container
    let journal = Journal()
    operation.perShareParticipantResultBlock = { info, result in
      journal.note("\(info.emailAddress ?? "-") \(outcome(result))")
      if let participant = try? result.get() {
        journal.note("\(participant.role) \(participant.userIdentity.hasiCloudAccount)")
      }
    }
    await finish(operation)
    #expect(
      journal.all == [
        "a@example.org ok", "privateUser false", "B@example.org ok", "privateUser true",
      ])
    #expect(server.requests.map(\.action) == ["users/discover"])
  }

  @Test func `what the sharing sheet allows is kept in copies and archives`() throws {
    let access: CKSharingParticipantAccessOption = .anyoneWithLink
    let permission: CKSharingParticipantPermissionOption = .readOnly
    let options = CKAllowedSharingOptions(
      allowedParticipantPermissionOptions: permission, allowedParticipantAccessOptions: access)
    options.allowsParticipantsToInviteOthers = true
    options.allowsAccessRequests = true
    let bytes = try NSKeyedArchiver.archivedData(
      withRootObject: options, requiringSecureCoding: true)
    let read = try NSKeyedUnarchiver.unarchivedObject(
      ofClass: CKAllowedSharingOptions.self, from: bytes)
    for one in [read, options.copy() as? CKAllowedSharingOptions] {
      #expect(one?.allowedParticipantAccessOptions == .anyoneWithLink)
      #expect(one?.allowedParticipantPermissionOptions == .readOnly)
      #expect(one?.allowsParticipantsToInviteOthers == true && one?.allowsAccessRequests == true)
    }
    let standard = CKAllowedSharingOptions.standard
    #expect(standard.allowedParticipantAccessOptions == .any)
    #expect(standard.allowedParticipantPermissionOptions == .any)
  }
}
