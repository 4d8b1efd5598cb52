// Replies, both ways: the server writes them, our client reads them.

import BrumeModel
import Testing

@testable import BrumeWire

struct ReplyTests {
  @Test func `zones and their failures round-trip`() throws {
    var new = ZoneState(zone: Sample.zone, token: "AQ==", isAtomic: true)
    new.isNew = true
    let results: [ZoneResult] = [
      .success(ZoneState(zone: ZoneID(name: "_defaultZone", ownerName: "_a"), isAtomic: false)),
      .success(
        ZoneState(zone: Sample.zone, token: "AQ==", isAtomic: true, share: "cloudkit.zoneshare")),
      .success(ZoneState(zone: Sample.zone, isAtomic: true, deletion: .purged)),
      .failure(
        ItemFailure(ZoneID(name: "Ghost"), BrumeError(.zoneNotFound, "Zone does not exist"))),
      .success(new),
    ]
    let json = try JSON(parsing: Wire.zones(results))
    #expect(try Wire.zoneResults(json) == results)
    let zones = try #require(json["zones"]?.array)
    #expect(zones[0]["zoneID"]?["zoneType"] == "DEFAULT_ZONE")
    #expect(zones[0]["syncToken"] == nil)
    #expect(zones[0]["atomic"] == false)
    #expect(zones[1]["zoneID"]?["zoneType"] == "REGULAR_CUSTOM_ZONE")
    #expect(zones[1]["deleted"] == false)
    #expect(zones[2]["deleted"] == true)
    #expect(zones[3]["serverErrorCode"] == "ZONE_NOT_FOUND")
  }

  @Test func `how far a restore is round-trips`() throws {
    let steps: [RestoreStatus.Step] = [
      .receiving(1), .checking(2, of: 3), .writing(rows: 4, bytes: 5), .ready(Sample.backup),
      .failed("damaged"), .applied(Sample.backup),
    ]
    var reports = steps.map { step in
      RestoreReport(
        obstacle: nil, restarts: true, status: RestoreStatus(id: "a", step: step), restored: nil)
    }
    reports.append(
      RestoreReport(obstacle: "no", restarts: false, status: nil, restored: Sample.backup))
    for report in reports {
      #expect(try Wire.restore(JSON(parsing: Wire.restore(report))) == report)
    }
    #expect(try Wire.backup(JSON(parsing: Wire.backup(Sample.backup))) == Sample.backup)
  }

  @Test func `database changes round-trip`() throws {
    let page = DatabaseChangesPage(
      zones: [
        ZoneState(zone: Sample.zone, token: "AQ==", isAtomic: true),
        ZoneState(zone: ZoneID(name: "Old"), isAtomic: true, deletion: .encryptedDataReset),
      ], token: "AQAAAAAAAAAC", moreComing: true)
    #expect(try Wire.databaseChanges(JSON(parsing: Wire.databaseChanges(page))) == page)
  }

  @Test func `Apple's own database changes read without our extras`() throws {
    let json = try parse(
      #"""
      {"zones":[{"zoneID":{"zoneName":"Old","ownerRecordName":"_a"},"deleted":true}],
       "syncToken":"AQ==","moreComing":false}
      """#)
    #expect(
      try Wire.databaseChanges(json).zones == [
        ZoneState(zone: ZoneID(name: "Old", ownerName: "_a"), isAtomic: true, deletion: .deleted)
      ])
  }

  @Test func `zone changes carry records, deletions with their type, and failures`() throws {
    let page = ZoneChangesPage(
      zone: Sample.zone,
      changes: [
        .changed(Sample.stored(Sample.record)), .deleted(name: "H-099", type: "Hike", sequence: 9),
      ], token: "AQAAAAAAAAAP", moreComing: false)
    let failure = ItemFailure(
      ZoneID(name: "Ghost"), BrumeError(.changeTokenExpired, "fetch from the start"))
    let json = try JSON(parsing: Wire.zoneChanges([.success(page), .failure(failure)]))
    let back = try Wire.zoneChanges(json)
    guard case .success(let first) = back[0], case .failure(failure) = back[1],
      case .changed(let record) = first.changes[0],
      case .deleted("H-099", "Hike", _) = first.changes[1]
    else { return #expect(Bool(false), "\(back)") }
    #expect(try record.record() == Sample.record)
    #expect(first.token == page.token)
    #expect(first.zone == Sample.zone)
    #expect(!first.moreComing)
    let tombstone = json["zones"]?.array?[0]["records"]?.array?[1]
    #expect(tombstone?["deleted"] == true)
    #expect(tombstone?["fields"] == nil)
  }

  @Test func `a damaged record is an error in its place, and those beside it arrive`() throws {
    let damaged = StoredRecord(damaged: "H-001", sequence: 4)
    let records = [Sample.stored(Sample.record), damaged]
    let page = ZoneChangesPage(
      zone: Sample.zone, changes: records.map { .changed($0) }, token: "t", moreComing: false)
    let changes = try Wire.zoneChanges(JSON(parsing: Wire.zoneChanges([.success(page)])))
    let found = try changes[0].get().changes.compactMap { change in
      if case .changed(let stored) = change { stored } else { nil }
    }
    let matches = try Wire.queryPage(
      JSON(parsing: Wire.queryPage(QueryPage(records: records, marker: nil))))
    for answer in [found, matches.records] {
      #expect(answer.map(\.name) == [Sample.record.name, "H-001"])
      #expect(try answer[0].record() == Sample.record)
      let error = #expect(throws: BrumeError.self) { try answer[1].record() }
      #expect(error?.code == .internalError && error?.reason.contains("'H-001' is damaged") == true)
    }
  }

  @Test func `a damaged record that a query found says in which zone it is`() throws {
    let damaged = StoredRecord(
      name: "H-001", type: "", sequence: 4, content: .unreadable(.damaged("record 'H-001'")),
      zone: Sample.zone)
    let answer = try JSON(parsing: Wire.queryPage(QueryPage(records: [damaged], marker: nil)))
    #expect(try Wire.queryPage(answer).records.map(\.zone) == [Sample.zone])
  }

  @Test func `a page of changes in pieces is the same page, and records that are large are pieces`()
  {
    let text = FieldValue.string(String(repeating: "long ", count: 200))
    var large = Sample.record
    large.fields["text"] = text
    let stored = [Sample.stored(large), Sample.stored(Sample.record), Sample.stored(large)]
    let page = ZoneChangesPage(
      zone: Sample.zone,
      changes: stored.map { .changed($0) } + [.deleted(name: "H-099", type: "Hike", sequence: 9)],
      token: "t", moreComing: true)
    let failure = ItemFailure(ZoneID(name: "Ghost"), BrumeError(.zoneNotFound, "there is none"))
    let results: [ZoneChangesResult] = [.success(page), .failure(failure)]
    let requests = [Sample.zone, failure.id].map { ZoneChangesRequest(zone: $0) }
    let pieces = Wire.zoneChangesInPieces(results, for: requests, RecordOptions())
    #expect(Array(pieces.joined()) == Wire.zoneChanges(results, for: requests))
    #expect(pieces.count { $0 == RecordCoder.wire.encode(large) } == 2)
  }

  @Test func `replies of records in pieces are the same, and records that are large are pieces`() {
    var large = Sample.record
    large.fields["text"] = .string(String(repeating: "long ", count: 200))
    let stored = [Sample.stored(large), Sample.stored(Sample.record), Sample.stored(large)]
    let id = RecordID(name: "H-099", zone: Sample.zone)
    let failure = ItemFailure(id, BrumeError(.notFound, "there is none"))
    let results: [RecordResult] =
      stored.map { RecordResult.success(.saved($0)) } + [.failure(failure)]
    let wanted: [[String]?] = [nil, nil, ["km"], nil]
    let fields: [Set<String>?] = [nil, nil, ["km"], nil]
    let lookup = LookupRecordsRequest(
      zone: nil,
      items: wanted.map { LookupRecordsRequest.Item(name: "H", zone: nil, desiredKeys: $0) },
      desiredKeys: nil)
    let modify = ModifyRecordsRequest(
      operations: wanted.map { keys in
        var operation = RecordOperation(.forceUpdate, RecordDraft())
        operation.desiredKeys = keys
        return operation
      })
    let options = RecordOptions()
    let page = QueryPage(records: stored, marker: "m")
    let replies: [([[UInt8]], [UInt8], Int)] = [
      (
        Wire.recordsInPieces(results, for: lookup, options, syncToken: "t"),
        Wire.records(results, wanted: fields, syncToken: "t"), 1
      ),
      (
        Wire.recordsInPieces(results, for: modify, options),
        Wire.records(results, wanted: fields, syncToken: nil), 1
      ),
      (
        Wire.queryPageInPieces(page, options, syncToken: "t"),
        Wire.queryPage(page, syncToken: "t"), 2
      ),
    ]
    for (pieces, whole, count) in replies {
      #expect(Array(pieces.joined()) == whole)
      #expect(pieces.count { $0 == RecordCoder.wire.encode(large) } == count)
    }
  }

  @Test func `an operator's page of a query is in pieces, too, with the plan behind its records`()
    throws
  {
    var large = Sample.record
    large.fields["text"] = .string(String(repeating: "long ", count: 200))
    let records = [large, Sample.record]
    let page = QueryPage(records: records.map(Sample.stored), marker: "m")
    let place = ContainerEnvironment(ContainerID("iCloud.a.b"), .development)
    let pieces = Wire.queryPageInPieces(page, QueryCost(rows: 3), in: place, RecordOptions())
    #expect(pieces.count { $0 == RecordCoder.wire.encode(large) } == 1)
    let reply = try JSON(parsing: Array(pieces.joined()))
    #expect(try Wire.queryPage(reply).records.map { try $0.record() } == records)
    #expect(try Wire.queryPage(reply).marker == "m")
    #expect(reply["plan"]?["rows"] == 3)
  }

  @Test func `a long reply of records that are written anew is of several pieces`() {
    var large = Sample.record
    large.fields["text"] = .string(String(repeating: "long ", count: 60_000))
    let page = QueryPage(records: [Sample.stored(large), Sample.stored(large)], marker: nil)
    let options = RecordOptions(desiredKeys: ["text"])
    let pieces = Wire.queryPageInPieces(page, options, syncToken: nil)
    #expect(Array(pieces.joined()) == Wire.queryPage(page, options))
    #expect(pieces.count == 3)
  }

  @Test func `each zone's desired keys apply to its own records`() throws {
    let page = ZoneChangesPage(
      zone: Sample.zone, changes: [.changed(Sample.stored(Sample.record))], token: "t",
      moreComing: false)
    let requests = [
      ZoneChangesRequest(zone: Sample.zone, desiredKeys: ["km"]),
      ZoneChangesRequest(zone: Sample.zone),
    ]
    let zones = try JSON(
      parsing: Wire.zoneChanges([.success(page), .success(page)], for: requests))["zones"]?.array
    #expect(zones?[0]["records"]?.array?[0]["fields"]?.object?.members.count == 1)
    #expect(zones?[1]["records"]?.array?[0]["fields"]?.object?.members.count == 6)
  }

  @Test func `the last page of a query has no marker`() throws {
    let page = QueryPage(records: [Sample.stored(Sample.record)], marker: nil)
    let json = try JSON(parsing: Wire.queryPage(page))
    #expect(json.object?.members.map(\.key) == ["records"])
    let back = try Wire.queryPage(json)
    #expect(try back.records.map { try $0.record() } == [Sample.record])
    #expect(back.marker == nil)
    let more = try JSON(parsing: Wire.queryPage(QueryPage(records: [], marker: "AQIBAgM=")))
    #expect(try Wire.queryPage(more).marker == "AQIBAgM=")
  }

  @Test func `subscriptions, their deletion and their failures round-trip`() throws {
    let results: [SubscriptionResult] =
      Sample.subscriptions.map { .success(.saved($0)) } + [
        .success(.deleted(id: "old")),
        .failure(ItemFailure("gone", BrumeError(.notFound, "subscription not found"))),
      ]
    #expect(try Wire.subscriptionResults(JSON(parsing: Wire.subscriptions(results))) == results)
    let bare = try parse(#"{"subscriptions":[{"subscriptionID":"old"}]}"#)
    #expect(try Wire.subscriptionResults(bare) == [.success(.deleted(id: "old"))])
    let listed = try JSON(parsing: Wire.subscriptions(Sample.subscriptions))
    #expect(try Wire.subscriptionResults(listed).count == Sample.subscriptions.count)
  }

  @Test func `only what is stored of titles has their former names too, for a server of before`()
    throws
  {
    let subscription = Sample.subscriptions[0]
    let stored = try JSON(parsing: Wire.encode(subscription))["notificationInfo"]
    #expect(stored?["titleLocalizationKey"] == "TITLE")
    #expect(stored?["titleLocalizationArgs"] == ["title"])
    #expect(stored?["subtitleLocalizationKey"] == "SUB")
    #expect(stored?["subtitleLocalizationArgs"] == ["km"])
    #expect(try Wire.subscription(Wire.encode(subscription)) == subscription)
    let listed = try JSON(parsing: Wire.subscriptions([subscription]))["subscriptions"]?.array?[0]
    let names = listed?["notificationInfo"]?.object?.members.map(\.key) ?? []
    #expect(names.contains("titleLocalizedKey"))
    #expect(!names.contains { $0.hasPrefix("title") && $0.contains("Localization") })
  }

  @Test func `a subscription is written with the documented keys`() throws {
    let info = try #require(try JSON(parsing: Wire.encode(Sample.subscriptions[0])).object)
    #expect(info["subscriptionType"] == "query")
    #expect(info["firesOn"] == ["create", "delete"])
    #expect(info["zoneWide"] == false)
    #expect(info["notificationInfo"]?["additionalFields"] == ["title", "km"])
    #expect(info["notificationInfo"]?["collapseIdKey"] == "title")
    #expect(info["notificationInfo"]?["titleLocalizedArguments"] == ["title"])
    #expect(info["notificationInfo"]?["alertLocalizationArgs"] == ["title", "km"])
  }

  @Test(arguments: [
    ("LocalizedKey", "LocalizedArguments"), ("LocalizationKey", "LocalizationArgs"),
  ])
  func `a title and a subtitle have the service's names or the framework's`(
    key: String, arguments: String
  ) throws {
    let title = #""title\#(key)":"T","title\#(arguments)":["a"]"#
    let subtitle = #""subtitle\#(key)":"S","subtitle\#(arguments)":["b"]"#
    let text = #"{"subscriptionType":"database","notificationInfo":{\#(title),\#(subtitle)}}"#
    let info = try #require(try Wire.subscription(Array(text.utf8)).info)
    #expect(info.title == .init(localizationKey: "T", localizationArgs: ["a"]))
    #expect(info.subtitle == .init(localizationKey: "S", localizationArgs: ["b"]))
  }

  @Test func `identities and tokens round-trip`() throws {
    let ada = UserIdentity(
      user: Sample.owner, givenName: "Ada", familyName: "Example", emailAddress: "ada@example.org")
    #expect(try Wire.identity(JSON(parsing: Wire.identity(ada))) == ada)
    #expect(
      try Wire.users(JSON(parsing: Wire.users([ada, UserIdentity()]))) == [ada, UserIdentity()])
    let token = CourierToken(
      environment: .development, token: "3f9c",
      courierURL: "https://x.example:443/aps?tok=3f9c&ttl=43200")
    #expect(
      Wire.courierToken(token).text
        == #"{"apnsEnvironment":"development","apnsToken":"3f9c","webcourierURL":"\#(token.courierURL)"}"#
    )
    #expect(
      Wire.currentUser(ada).text
        == #"{"userRecordName":"\#(Sample.owner.name)","firstName":"Ada","lastName":"Example"}"#)
  }

  @Test func `shares by address and their failures round-trip`() throws {
    let request = ShortGUIDRequest(value: "0c1Wq", shouldFetchRootRecord: true)
    let metadata = ShareMetadata(
      shortGUID: request,
      in: ContainerEnvironment(ContainerID("iCloud.org.example.trailbook"), .development),
      scope: .shared, zone: Sample.zone, share: Sample.share,
      rootRecordName: "A-7", rootRecord: Sample.record, owner: UserIdentity(user: Sample.owner),
      role: .privateUser, acceptance: .accepted, permission: .readWrite)
    let failure = ItemFailure("0dead", BrumeError(.notFound, "no such share"))
    let json = try JSON(
      parsing: Wire.shareResults(
        [.success(metadata), .failure(failure)], RecordOptions(reader: Sample.guest)))
    #expect(json["results"]?.array?[0]["databaseScope"] == "SHARED")
    #expect(json["results"]?.array?[0]["share"]?["currentUserParticipant"]?["type"] == "USER")
    let back = try Wire.shareResults(json)
    guard case .success(let first) = back[0], case .failure(failure) = back[1] else {
      return #expect(Bool(false), "\(back)")
    }
    #expect(first.shortGUID == request)
    var seen = Sample.share
    for index in seen.shareDetails?.participants.indices ?? 0..<0
    where seen.shareDetails?.participants[index].identity.user != Sample.guest {
      seen.shareDetails?.participants[index].identity.emailAddress = nil
      seen.shareDetails?.participants[index].identity.phoneNumber = nil
    }
    #expect(first.share == seen, "addresses of others are not shown to a participant")
    #expect(first.rootRecord == Sample.record)
    #expect(first.rootRecordName == "A-7")
    #expect(first.scope == .shared)
    #expect(first.zone == Sample.zone)
    #expect(first.container == metadata.container)
    #expect(first.environment == .development)
    #expect(first.owner == metadata.owner)
    #expect([first.role] == [.privateUser])
    #expect([first.acceptance] == [.accepted])
    #expect([first.permission] == [.readWrite])
  }

  @Test func `kept notifications carry the push as it was sent`() throws {
    let push = Array(#"{"aps":{"badge":1},"ck":{"nid":"n","af":{"a":1.5}}}"#.utf8)
    let page = KeptNotificationsPage(
      items: [
        KeptNotification(position: 7, id: "n", subscriptionID: "s", payload: push, isRead: true)
      ], token: "AQ==", moreComing: true)
    let back = try Wire.keptNotifications(JSON(parsing: Wire.keptNotifications(page)))
    #expect(back.items == page.items)
    #expect(back.token == page.token)
    #expect(back.moreComing)
  }
}

struct ErrorReplyTests {
  @Test(arguments: BrumeError.Code.allCases)
  func `every error keeps its finer meaning for our own client`(_ code: BrumeError.Code) throws {
    var error = BrumeError(code, "what to do next", retryAfter: 1.5)
    error.redirectURL = "https://x.example/sign-in"
    error.serverRecord = Sample.record
    error.didResetEncryptedData = true
    let json = try JSON(parsing: Wire.error(error, uuid: "b7d2"))
    #expect(Wire.error(json) == error)
    #expect(json["uuid"] == "b7d2")
    #expect(json["serverErrorCode"]?.string == code.meaning.wire)
    #expect(json["brume"]?["ckErrorCode"]?.int == Int64(code.meaning.ckError))
  }

  @Test func `an expired token is a bad request to everybody else`() {
    let text = Wire.error(BrumeError(.changeTokenExpired, "expired"), uuid: "u").text
    #expect(
      text
        == #"{"uuid":"u","serverErrorCode":"BAD_REQUEST","reason":"expired","brume":{"code":"changeTokenExpired","ckErrorCode":21}}"#
    )
  }

  @Test func `whole seconds are written whole`() {
    let text = Wire.error(BrumeError(.throttled, "too many requests", retryAfter: 12), uuid: "u")
      .text
    #expect(text.contains(#""retryAfter":12,"#))
  }

  @Test func `a part of a second is a whole one to others, and exact to our own client`() throws {
    let error = BrumeError(.throttled, "too many requests", retryAfter: 0.25)
    let json = try JSON(parsing: Wire.error(error, uuid: "u"))
    #expect(json["retryAfter"] == 1)
    #expect(Wire.error(json).retryAfter == 0.25)
  }

  @Test(arguments: ["1e300", "-1", "31536001", "null", #""soon""#])
  func `a wait that nobody can keep is none`(seconds: String) throws {
    let text = #"{"serverErrorCode":"THROTTLED","reason":"slow down","retryAfter":\#(seconds)}"#
    #expect(Wire.error(try parse(text)) == BrumeError(.throttled, "slow down"))
    #expect(Wire.wait(.nan) == nil && Wire.wait(.infinity) == nil)
    #expect(Wire.wait(31_536_000) == 31_536_000 && Wire.wait(0) == 0)
  }

  @Test func `an error of another server is read by its code`() throws {
    let json = try parse(#"{"serverErrorCode":"THROTTLED","reason":"slow down","retryAfter":12}"#)
    #expect(Wire.error(json) == BrumeError(.throttled, "slow down", retryAfter: 12))
    #expect(Wire.error(try parse(#"{"serverErrorCode":"NEW"}"#)).code == .internalError)
    #expect(Wire.error(try parse("[]")).code == .internalError)
    #expect(Wire.error(["serverErrorCode": "BAD_REQUEST", "reason": "r"]).code == .badRequest)
    #expect(Wire.error(["serverErrorCode": "ZONE_NOT_FOUND", "reason": "r"]).code == .zoneNotFound)
    #expect(Wire.error(["serverErrorCode": "NOT_FOUND", "reason": "r"]).code == .notFound)
  }
}
