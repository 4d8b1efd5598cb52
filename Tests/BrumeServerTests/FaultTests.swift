import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import Testing

@testable import BrumeServer

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite(.timeLimit(.minutes(10))) struct FaultTests {
  @Test func `a fault over HTTP meets the next save, and only that`() async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Z")
      let added = try await client.admin(
        "faults",
        ["faults": [["effect": "error", "code": 7, "on": ["saveRecords"], "retryAfter": 3]]])
      #expect(added.status == 200, "\(added.text)")
      let refused = try await client.save("a", zone: "Z")
      #expect(refused.status == 429)
      #expect(refused["retryAfter"] == 3)
      #expect(try await client.save("a", zone: "Z").status == 200)
    }
  }

  @Test func `a zone that goes is the one of the call, of its owner in the shared database`()
    async throws
  {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      for user in ["alice", "bob"] { try await client.makeZone("Notes", as: user) }
      let owner = JSON.string(fixture.user("alice").name)
      let zone: JSON = ["zoneName": "Notes", "ownerRecordName": owner]
      _ = try await client.admin("faults", ["faults": [["effect": "deleteZone"]]])
      _ = try await client.call(
        "records/lookup", ["records": [["recordName": "a"]], "zoneID": zone], as: "bob",
        in: "shared")
      let alices = try await client.call("zones/list", nil, method: .get)
      #expect(!alices.text.contains("Notes"))
      let bobs = try await client.call("zones/list", nil, as: "bob", method: .get)
      #expect(bobs.text.contains("Notes"))
    }
  }

  @Test(arguments: ["deleteZone", "purgeZone"])
  func `a zone that goes waits for a call that can lose one`(effect: String) async throws {
    try await ServerFixture().routes { client in
      let mine: JSON = ["records": [["recordName": "mine"]]]
      try await client.save("mine")
      _ = try await client.admin("faults", ["faults": [["effect": .string(effect)]]])
      _ = try await client.call("records/lookup", mine, in: "public")
      _ = try await client.call("changes/database")
      #expect(try await client.admin("faults")["faults"]?.array?.count == 1)
      _ = try await client.admin("faults/clear", [:])
      let kept = try await client.call("records/lookup", mine)
      #expect(kept["records"]?.array?.first?["serverErrorCode"] == nil, "\(kept.text)")
    }
  }

  @Test func `ZON-19 a lookup of no zones is refused also while a fault waits`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin("faults", ["faults": [["effect": "loseAnswer", "zone": "Other"]]])
      let answer = try await client.call("zones/lookup", ["zones": []])
      #expect(answer.status == 400, "\(answer.text)")
    }
  }

  @Test func `a fault in an atomic request keeps back its whole zone, however that is named`()
    async throws
  {
    let fixture = try await ServerFixture()
    let alice = JSON.string(fixture.user("alice").name)
    func create(_ name: String, _ zone: JSON) -> JSON {
      let record: JSON = [
        "recordName": .string(name), "recordType": "Note", "fields": [:], "zoneID": zone,
      ]
      return ["operationType": "create", "record": record]
    }
    let operations: [JSON] = [
      create("a", ["zoneName": "Z"]),
      create("b", ["zoneName": "Z", "ownerRecordName": alice]),
      create("c", ["zoneName": "Z", "ownerRecordName": "__defaultOwner__"]),
    ]
    try await fixture.routes { client in
      try await client.makeZone("Z")
      _ = try await client.admin(
        "faults", ["faults": [["effect": "error", "code": 25, "record": "a"]]])
      _ = try await client.call(
        "records/modify",
        ["zoneID": ["zoneName": "Z"], "atomic": true, "operations": .array(operations)])
      let kept = try await client.call(
        "records/lookup",
        [
          "zoneID": ["zoneName": "Z"],
          "records": [["recordName": "b"], ["recordName": "c"]],
        ])
      let codes = kept["records"]?.array?.map { $0["serverErrorCode"]?.string }
      #expect(codes == ["NOT_FOUND", "NOT_FOUND"], "\(kept.text)")
    }
  }

  @Test func `faults are listed and cleared`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin(
        "faults", ["faults": [["effect": "conflict", "skip": 1], ["effect": "holdPush"]]])
      let list = try await client.admin("faults")["faults"]?.array ?? []
      #expect(list.map { $0["effect"]?.string } == ["conflict", "holdPush"])
      #expect(list.last?["after"] == list.first?["id"])
      _ = try await client.admin("faults/clear", [:])
      let left = try await client.admin("faults")["faults"]?.array
      #expect(left?.isEmpty == true)
    }
  }

  @Test(arguments: [
    (#"{"faults":[{"effect":"explode"}]}"#, "'effect' must be one of"),
    (#"{"faults":[{"effect":"error"}]}"#, "'code'"),
    (#"{"faults":[{"effect":"error","code":2}]}"#, "CKError 2"),
    (#"{"faults":[{"effect":"error","code":99}]}"#, "'code' must be the number of an error"),
    (#"{"faults":[{"effect":"error","code":-1}]}"#, "use one of 1, 3, 4, 5,"),
    (#"{"faults":[{"effect":"error","code":7,"retryAfter":1e300}]}"#, "'retryAfter' must be"),
    (#"{"faults":[{"effect":"error","code":7,"retryAfter":-1}]}"#, "'retryAfter' must be"),
    (#"{"faults":[{"effect":"error","code":7,"retryAfter":"3"}]}"#, "'retryAfter' must be"),
    (#"{"faults":[{"effect":"conflict","on":["sing"]}]}"#, "not 'sing'"),
    (#"{"faults":[{"effect":"conflict","user":"nobody"}]}"#, "there is no user 'nobody'"),
    (#"{"faults":[{"effect":"conflict","count":0}]}"#, "'count' must be a whole number from 1 on"),
    (#"{"faults":[{"effect":"conflict","skip":-1}]}"#, "'skip' must be a whole number from 0 on"),
    (#"{"faults":[{"effect":"switchAccount"}]}"#, "'to' is missing"),
    (#"{"faults":[{"effect":"switchAccount","to":"nobody"}]}"#, "there is no user 'nobody'"),
    (#"{"faults":[{"effect":"conflict","on":["query"]}]}"#, "use one of saveRecords, deleteR"),
    (#"{"faults":[{"effect":"dropPush","on":["fetchZones","push"]}]}"#, "not 'fetchZones'"),
    (#"{"faults":[{"effect":"conflict","zone":""}]}"#, "'zone' is empty"),
    (#"{"faults":[{"effect":"conflict","count":2,"always":true}]}"#, "leave one of them out"),
    (
      #"{"faults":[{"effect":"conflict","zone":"\#(String(repeating: "z", count: 1025))"}]}"#,
      "'zone' has 1025 bytes"
    ),
    (#"{"faults":[]}"#, "'faults' is missing"),
  ])
  func `a fault that makes no sense is refused with the reason`(
    body: String, reason: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.admin("faults", try JSON(parsing: Array(body.utf8)))
      #expect(answer.status >= 400)
      #expect(answer.reason.contains(reason), "\(answer.reason)")
    }
  }

  @Test(arguments: ["faults", "faults/clear", "faults/release"])
  func `there are no faults outside development`(path: String) async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let answer = try await client.admin(path, ["faults": [["effect": "conflict"]]])
      #expect(answer.status == 403)
      #expect(answer.reason.contains("development"))
    }
  }

  @Test func `only development has something before the rules, streams and deliveries`()
    async throws
  {
    let direct = try await ServerFixture { $0.isDevelopment = false }.server
    #expect(direct.targets.rules is EngineCalls)
    #expect(direct.targets.streamSource is MailboxSource)
    #expect(direct.targets.delivery is ServerDelivery)
    #expect(direct.faults == nil && direct.pushFaults == nil)
    let faulty = try await ServerFixture().server
    #expect(faulty.targets.rules is FaultyCalls)
    #expect(faulty.targets.streamSource is FaultyStreamSource)
    #expect(faulty.targets.delivery is FaultyDelivery)
  }

  @Test(arguments: [Fault.Effect.dropPush, .holdPush])
  func `a push that a fault has taken does not leave by another way, though it was read before`(
    effect: Fault.Effect
  ) async throws {
    let server = try await ServerFixture().server
    let device = DeviceKey(
      in: ServerFixture.containerEnvironment, user: UserID("_alice"), device: DeviceID("phone"))
    let entries = [MailboxEntry.sample("a", at: 1), .sample("b", at: 2)]
    try server.faults?.add([.init(effect)])
    #expect(try await server.leaving(entries, to: device).map(\.position) == [2])
    // Another stream has read both as well, and the notifier delivers them only now.
    #expect(try await server.leaving(entries, to: device).map(\.position) == [2])
    #expect(server.faults?.isIdle == true && server.faults?.leavesPushes == false)
  }

  @Test func `faults need the admin token`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.admin("faults", token: "guess")
      #expect(answer.status == 401)
    }
  }

  @Test func `a broken connection has no answer, and the server goes on`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.live { port in
      _ = try fixture.server.faults?.add([.init(.error(.networkFailure), on: [.fetchZones])])
      let base = "http://127.0.0.1:\(port)"
      let target = "\(fixture.path("zones/list"))?\(fixture.credentials("alice"))"
      let url = try #require(URL(string: base + target))
      await #expect(throws: (any Error).self) { try await URLSession.shared.data(from: url) }
      let (data, _) = try await URLSession.shared.data(from: url)
      let zones = try JSON(parsing: Array(data))["zones"]?.array
      #expect(zones?.isEmpty == false)
    }
  }
}

extension MailboxEntry {
  fileprivate static func sample(_ id: String, at position: Int64) -> MailboxEntry {
    MailboxEntry(
      position: position, notificationID: id, subscriptionID: "all", collapseID: nil,
      payload: Array("{}".utf8), time: 0, requestID: "r")
  }
}
