import BrumeModel
import BrumeWire
import Crypto
import Foundation
import Testing

@testable import BrumeClient

struct SessionTests {
  private let user = #"{"userRecordName":"_1"}"#

  @Test func `a call names path, credentials and device`() async throws {
    let transport = ScriptedTransport([.answer(200, user)])
    let identity = try await Session.scripted(transport).currentUser()
    let call = try #require(transport.calls.first)
    #expect(identity.user == UserID("_1"))
    #expect(call.method == "GET")
    #expect(
      call.target == "/database/1/iCloud.a/development/public/users/caller?ckAPIToken=api"
        + "&ckWebAuthToken=a%2Bb%2Fc%3D")
    #expect(call.headers.contains(HTTPCall.Header("X-Brume-Device", "phone")))
  }

  @Test func `a container's name is one part of the path, whatever is in it`() async throws {
    let transport = ScriptedTransport([.answer(200, user)])
    let session = Session.scripted(transport) {
      $0.containerEnvironment = ContainerEnvironment(ContainerID("iCloud.a/b?c"), .development)
    }
    _ = try await session.currentUser()
    let target = try #require(transport.calls.first?.target)
    #expect(target.hasPrefix("/database/1/iCloud.a%2Fb%3Fc/development/public/users/caller?"))
  }

  @Test func `without a user the server key signs, and no token is sent`() async throws {
    let transport = ScriptedTransport([.answer(200, #"{"records":[]}"#)])
    let session = Session.scripted(transport) {
      $0.userToken = nil
      $0.serverKey = .init(id: "k", privateKeyPEM: P256.Signing.PrivateKey().pemRepresentation)
    }
    _ = try await session.database(.public).lookupRecords(LookupRecordsRequest(items: []))
    let call = try #require(transport.calls.first)
    #expect(!call.target.contains("?"))
    #expect(call.headers.contains { $0.name == "X-Apple-CloudKit-Request-SignatureV1" })
  }

  @Test func `a file goes through a Unix socket only if that is the server's own`() async throws {
    let receipt = #"{"singleFile":{"fileChecksum":"c","size":1,"receipt":"r"}}"#
    let transport = ScriptedTransport([.answer(200, receipt)])
    let (own, others) = ("http+unix://%2Frun%2Fa.sock", "http+unix://%2Frun%2Fb.sock")
    let session = Session.scripted(transport) { $0.url = own }
    let file = OutgoingFile(partOf: .nullDevice, from: 0, size: 0)
    let refusal = await #expect(throws: CallFailure.self) {
      try await session.upload(file, to: "\(others)/upload?ticket=secret") { _ in }
    }
    #expect(
      refusal == .malformedAnswer("the server gave '\(others)/upload' as a file's address"))
    #expect(transport.calls.isEmpty)
    let asset = try await session.upload(file, to: "\(own)/upload?ticket=secret") { _ in }
    #expect(asset.fileChecksum == "c" && transport.calls.first?.base == own)
  }

  @Test func `an error of the protocol is thrown as it is`() async throws {
    let transport = ScriptedTransport([
      .answer(404, #"{"uuid":"1","serverErrorCode":"NOT_FOUND","reason":"no such thing"}"#)
    ])
    await #expect(throws: BrumeError(.notFound, "no such thing")) {
      try await Session.scripted(transport).currentUser()
    }
  }

  @Test func `the header says when to come back if the body does not`() async throws {
    let body = #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy"}"#
    let transport = ScriptedTransport([.answer(503, body, [.init("retry-after", "7")])])
    await #expect(throws: BrumeError(.tryAgainLater, "busy", retryAfter: 7)) {
      try await Session.scripted(transport).currentUser()
    }
  }

  @Test func `a proxy's page for 503 is a service that is down`() async throws {
    let transport = ScriptedTransport([.answer(503, "<html>", [.init("retry-after", "7")])])
    let down = BrumeError(.tryAgainLater, "the service is down (503)", retryAfter: 7)
    await #expect(throws: down) {
      try await Session.scripted(transport).currentUser()
    }
  }

  @Test(arguments: ["nan", "inf", "-5", "1e300", "tomorrow"])
  func `a proxy that names a wait which nobody can keep names none`(wait: String) async throws {
    let transport = ScriptedTransport([.answer(503, "<html>", [.init("retry-after", wait)])])
    await #expect(throws: BrumeError(.tryAgainLater, "the service is down (503)")) {
      try await Session.scripted(transport).currentUser()
    }
  }

  @Test(arguments: [
    (502, "<html>"), (504, ""), (500, #"{"serverErrorCode":"INTERNAL_ERROR","reason":"oops"}"#),
  ])
  func `ATM-12 any other answer of 500 and more is a server that broke down`(
    status: Int, body: String
  ) async throws {
    let transport = ScriptedTransport([.answer(status, body)])
    let failure = await #expect(throws: CallFailure.self) {
      try await Session.scripted(transport).currentUser()
    }
    guard case .serverFailed(status, _) = failure else { throw try #require(failure) }
  }

  @Test(arguments: [
    (200, "<html>Welcome to our network</html>"), (200, ""), (200, "{}"), (200, "[1]"),
    (200, #"{"status":"please sign in"}"#), (302, ""), (401, "<html>"), (403, "no"), (407, ""),
  ])
  func `an answer of another kind of server is malformed`(status: Int, body: String) async throws {
    let transport = ScriptedTransport([.answer(status, body), .answer(status, body)])
    let session = Session.scripted(transport)
    let asked = await #expect(throws: CallFailure.self) { try await session.currentUser() }
    let looked = await #expect(throws: CallFailure.self) {
      try await session.database(.private).modifyRecords(ModifyRecordsRequest(operations: []))
    }
    for failure in [asked, looked] {
      guard case .malformedAnswer = failure else { throw try #require(failure) }
    }
  }

  @Test func `a proxy that takes no request of this size asks for smaller ones`() async throws {
    let transport = ScriptedTransport([.answer(413, "<html>")])
    let error = await #expect(throws: BrumeError.self) {
      try await Session.scripted(transport).database(.private).lookupZones([])
    }
    #expect(error?.code == .limitExceeded)
  }

  @Test func `a read whose answer is lost is asked again`() async throws {
    let transport = ScriptedTransport([.failure(.responseLost("x")), .answer(200, user)])
    _ = try await Session.scripted(transport).currentUser()
    #expect(transport.calls.count == 2)
  }

  @Test func `a read whose time is used up is not asked again`() async throws {
    let transport = ScriptedTransport([.failure(.timedOut("x")), .answer(200, user)])
    await #expect(throws: CallFailure.connectionFailed("x")) {
      _ = try await Session.scripted(transport).currentUser()
    }
    #expect(transport.calls.count == 1)
  }

  @Test func `a save is repeated under the same name`() async throws {
    let transport = ScriptedTransport([
      .failure(.responseLost("x")), .answer(200, #"{"records":[]}"#),
    ])
    let request = ModifyRecordsRequest(operations: [])
    _ = try await Session.scripted(transport).database(.private).modifyRecords(request)
    let calls = transport.calls
    #expect(calls.count == 2)
    #expect(calls.first?.body == calls.last?.body)
    #expect(String(decoding: calls[0].body, as: UTF8.self).contains("NEW-ID"))
  }

  @Test(arguments: [
    ScriptedTransport.Turn.failure(.unreachable("off")), .failure(.connectionFailed("off")),
    .answer(503, #"{"serverErrorCode":"TRY_AGAIN_LATER","reason":"busy"}"#),
  ])
  func `a save whose answer was lost is reported as such, whatever becomes of its repetition`(
    second: ScriptedTransport.Turn
  ) async throws {
    let transport = ScriptedTransport([.failure(.responseLost("x")), second])
    await #expect(throws: CallFailure.responseLost("x")) {
      _ = try await Session.scripted(transport).database(.private).modifyRecords(
        ModifyRecordsRequest(operations: []))
    }
    #expect(transport.calls.count == 2)
  }

  @Test func `what a repeated save has no room for is fetched, and counts as saved`() async throws {
    let head = #"{"recordName":"b","recordType":"T","recordChangeTag":"2","fields":{}}"#
    let full = #""serverErrorCode":"BAD_REQUEST","brume":{"code":"limitExceeded""#
    let fields = #"{"n":{"value":1,"type":"INT64"}}"#
    let there = head.replacing(#""2","fields":{}"#, with: #""9","fields":"# + fields)
    let (a, b) = (#"{"recordName":"a",\#(full)}}"#, #"{"recordName":"b",\#(full),"serverRecord":"#)
    let transport = ScriptedTransport([
      .answer(200, #"{"records":[\#(a),\#(b)\#(head)}}]}"#),
      .answer(200, #"{"records":[\#(there)]}"#),
    ])
    let request = ModifyRecordsRequest(operations: [])
    let results = try await Session.scripted(transport).database(.private).modifyRecords(request)
    #expect(results.count == 2)
    // Of what was not saved the server shows no record.
    guard case .failure(let failure) = results[0], case .success(.saved(let stored)) = results[1]
    else { throw CancellationError() }
    #expect(failure.id.name == "a" && failure.error.code == .limitExceeded)
    let record = try stored.record()
    #expect(record.changeTag == "2" && record.fields == ["n": .int64(1)])
    let lookup = try #require(transport.calls.last)
    #expect(lookup.target.contains("/private/records/lookup"))
    #expect(String(decoding: lookup.body, as: UTF8.self).contains(#""recordName":"b""#))
    #expect(transport.calls.count == 2)
  }

  @Test func `shares for which an answer has no room are asked for again`() async throws {
    let full =
      #"{"shortGUID":{"value":"b"},"serverErrorCode":"BAD_REQUEST","#
      + #""brume":{"code":"limitExceeded"}}"#
    let gone = #"{"shortGUID":{"value":"VALUE"},"serverErrorCode":"NOT_FOUND"}"#
    let (a, b) = (gone.replacing("VALUE", with: "a"), gone.replacing("VALUE", with: "b"))
    let transport = ScriptedTransport([
      .answer(200, #"{"results":[\#(a),\#(full)]}"#), .answer(200, #"{"results":[\#(b)]}"#),
    ])
    let requests = ["a", "b"].map { ShortGUIDRequest(value: $0) }
    let results = try await Session.scripted(transport).resolveShares(requests)
    let failed = results.map { if case .failure(let failure) = $0 { failure.id } else { "" } }
    #expect(failed == ["a", "b"])
    #expect(transport.calls.count == 2)
    #expect(!String(decoding: transport.calls[1].body, as: UTF8.self).contains(#""value":"a""#))
  }

  @Test func `a change that may or may not be made is reported as such, if nothing names it`()
    async throws
  {
    let transport = ScriptedTransport([.failure(.responseLost("x"))])
    await #expect(throws: CallFailure.responseLost("x")) {
      try await Session.scripted(transport).call("POST", "/_brume/change", isRead: false)
    }
    #expect(transport.calls.count == 1)
  }

  @Test func `ZON-20 zones whose answer is lost are asked for once more, under the same name`()
    async throws
  {
    let transport = ScriptedTransport([
      .failure(.responseLost("x")), .answer(200, #"{"zones":[]}"#),
    ])
    _ = try await Session.scripted(transport).database(.private).modifyZones(.init([]))
    let names = try transport.calls.map { try ModifyZonesRequest(json: JSON(parsing: $0.body)) }
      .map(\.operationID)
    #expect(names.count == 2)
    #expect(names[0] != nil && names[0] == names[1])
  }

  @Test func `SUB-28 subscriptions whose answer is lost are asked for again, under the same name`()
    async throws
  {
    let transport = ScriptedTransport([
      .failure(.responseLost("x")), .answer(200, #"{"subscriptions":[]}"#),
    ])
    _ = try await Session.scripted(transport).database(.private).modifySubscriptions(.init([]))
    let names = try transport.calls.map {
      try ModifySubscriptionsRequest(json: JSON(parsing: $0.body)).operationID
    }
    #expect(names.count == 2)
    #expect(names[0] != nil && names[0] == names[1])
  }

  @Test func `a zone that the server did not take in is sent again`() async throws {
    let transport = ScriptedTransport([
      .answer(408, ""), .failure(.notTaken("x")), .answer(200, #"{"zones":[]}"#),
    ])
    _ = try await Session.scripted(transport).database(.private).modifyZones(.init([]))
    #expect(transport.calls.count == 3)
    #expect(Set(transport.calls.map(\.body)).count == 1)
  }

  @Test func `a server that never takes anything in is a failed connection`() async throws {
    let transport = ScriptedTransport(Array(repeating: .answer(408, ""), count: 4))
    let failure = await #expect(throws: CallFailure.self) {
      try await Session.scripted(transport).database(.private).modifyZones(.init([]))
    }
    guard case .connectionFailed = failure else { throw try #require(failure) }
    #expect(transport.calls.count == 3)
  }

  @Test func `who has cancelled waits for no further attempt`() async throws {
    let transport = ScriptedTransport([.failure(.responseLost("x")), .answer(200, user)])
    let session = Session.scripted(transport)
    let asking = Task {
      withUnsafeCurrentTask { $0?.cancel() }
      return try await session.currentUser()
    }
    await #expect(throws: CancellationError.self) { try await asking.value }
    #expect(transport.calls.count == 1)
  }

  @Test func `a request whose time earlier ones have used up is not sent`() async throws {
    let transport = ScriptedTransport([.answer(200, user)])
    let session = Session.scripted(transport)
    let timeout = RequestTimeout(part: .seconds(60), end: session.host.now())
    await #expect(throws: CallFailure.noTimeLeft) {
      try await RequestTimeout.$current.withValue(timeout) { try await session.currentUser() }
    }
    #expect(transport.calls.isEmpty)
  }

  @Test func `a file that breaks off is fetched again, and no byte comes twice`() async throws {
    let transport = ScriptedTransport([
      .stream(["ab", "cd"], breaks: true), .stream(["abc", "def", "g"]),
    ])
    var content: [String] = []
    try await Session.scripted(transport).download("http://server/file") {
      content.append(String(decoding: $0, as: UTF8.self))
    }
    #expect(content == ["ab", "cd", "ef", "g"])
  }

  @Test func `a file that breaks off twice is a failed connection`() async throws {
    let transport = ScriptedTransport([
      .stream(["ab"], breaks: true), .stream(["ab", "c"], breaks: true),
    ])
    await #expect(throws: CallFailure.connectionFailed("broken")) {
      try await Session.scripted(transport).download("http://server/file") { _ in }
    }
  }

  @Test func `missing settings are the first call's failure`() async throws {
    let transport = ScriptedTransport([])
    let session = Session(.failure(.notConfigured("BRUME_URL is not set")), transport: transport)
    await #expect(throws: CallFailure.notConfigured("BRUME_URL is not set")) {
      try await session.currentUser()
    }
    #expect(transport.calls.isEmpty)
  }

  @Test func `each endpoint has its path`() async throws {
    let transport = ScriptedTransport(
      Array(repeating: .answer(400, #"{"serverErrorCode":"BAD_REQUEST"}"#), count: 20))
    let session = Session.scripted(transport)
    let database = session.database(.shared)
    let zone = ZoneID(name: "Notes")
    try? _ = await database.modifyRecords(ModifyRecordsRequest(operations: []))
    try? _ = await database.lookupRecords(LookupRecordsRequest(items: []))
    try? _ = await database.query(QueryRequest(query: Query(recordType: "T")))
    try? _ = await database.listZones()
    try? _ = await database.lookupZones([zone])
    try? _ = await database.modifyZones(.init([.init(.create, zone)]))
    try? _ = await database.databaseChanges(token: nil)
    try? _ = await database.zoneChanges([ZoneChangesRequest(zone: zone)])
    try? _ = await database.listSubscriptions()
    try? _ = await database.lookupSubscriptions(["s"])
    try? _ = await database.modifySubscriptions(.init([.delete(id: "s")]))
    try? _ = await session.resolveShares([])
    try? _ = await session.acceptShares([])
    try? await session.registerDevice()
    try? _ = await session.keptNotifications(token: nil)
    try? _ = await session.markNotificationsRead([])
    try? await session.setBadge(1)
    let paths = transport.calls.map { call in
      "\(call.method) \(call.target.prefix { $0 != "?" })"
        .replacing("/database/1/iCloud.a/development", with: "")
    }
    #expect(
      paths == [
        "POST /shared/records/modify", "POST /shared/records/lookup", "POST /shared/records/query",
        "GET /shared/zones/list", "POST /shared/zones/lookup", "POST /shared/zones/modify",
        "POST /shared/changes/database", "POST /shared/changes/zone",
        "GET /shared/subscriptions/list", "POST /shared/subscriptions/lookup",
        "POST /shared/subscriptions/modify", "POST /public/records/resolve",
        "POST /public/records/accept", "POST /_brume/devices",
        "POST /_brume/notifications/changes", "POST /_brume/notifications/read",
        "POST /_brume/notifications/badge",
      ])
  }
}
