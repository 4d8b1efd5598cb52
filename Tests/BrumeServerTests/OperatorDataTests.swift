// The operator's calls about data over the routes: what they take, and that every answer is as the
// description says.

import BrumeConformance
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorDataTests {
  /// Calls as operator; an answer outside the description is a failure.
  private struct Operator: Sendable {
    let client: RouteClient
    private let description: Description

    init(_ client: RouteClient) throws {
      self.client = client
      description = try Description(file: ConformanceTests.description)
    }

    func callAsFunction(_ path: String, _ body: JSON? = nil) async throws -> Answer {
      let answer = try await client.admin(path, body)
      let problems = description.problems(
        method: body == nil ? "GET" : "POST", target: "/_brume/admin/\(path)",
        status: answer.status, reply: answer.json)
      #expect(problems == [], "\(path): \(answer.text)")
      return answer
    }
  }

  private func serving(_ body: @escaping @Sendable (Operator) async throws -> Void) async throws {
    try await ServerFixture().routes { try await body(Operator($0)) }
  }

  private static func notes(_ members: JSON = [:]) -> JSON {
    var body = members.object ?? JSONObject()
    body["query"] = ["recordType": "Note"]
    return .object(body)
  }

  private static func create(_ name: String) -> JSON {
    [
      "user": "alice",
      "operations": [
        [
          "operationType": "create",
          "record": ["recordType": "Note", "recordName": .string(name)],
        ]
      ],
    ]
  }

  @Test func `containers, zones and shares are listed`() async throws {
    try await serving { call in
      try await call.client.makeZone("Trails")
      let containers = try await call("containers")["containers"]?.array
      #expect(containers?.first?["container"] == .string(ServerFixture.container))
      let zones = try await call("zones", ["user": "alice", "limit": 1])
      #expect(zones["zones"]?.array?.first?["zoneID"]?["zoneName"] == "Trails", "\(zones.text)")
      let after = try #require(zones["after"]?.string)
      let rest = try await call("zones?user=alice&after=\(ServerFixture.escaped(after))")
      #expect(rest["zones"]?.array?.count == 1, "\(rest.text)")
      #expect(try await call("shares?user=alice")["shares"]?.array?.isEmpty == true)
      #expect(try await call("zones", ["database": "private"]).status == 400)
      #expect(try await call("zones", ["database": "nowhere"]).reason.contains("public, private"))
    }
  }

  @Test func `zones are made and deleted for a user`() async throws {
    try await serving { call in
      let body: JSON = ["user": "bob", "zones": [["zoneName": "Lakes"], ["zoneName": "_bad"]]]
      let made = try await call("zones/create", body)
      #expect(made["zones"]?.array?[0]["zoneID"]?["zoneName"] == "Lakes", "\(made.text)")
      #expect(made["zones"]?.array?[1]["serverErrorCode"] == "BAD_REQUEST")
      let found = try await call.client.call(
        "zones/lookup", ["zones": [["zoneName": "Lakes"]]], as: "bob")
      #expect(found["zones"]?.array?.first?["serverErrorCode"] == nil)
      let gone = try await call(
        "zones/delete", ["user": "bob", "zones": [["zoneName": "Lakes"]]])
      #expect(gone["zones"]?.array?.first?["deleted"] == true)
    }
  }

  @Test func `records are saved for a user, found with a plan, and read by name`() async throws {
    try await serving { call in
      let saved = try await call("records/modify", Self.create("n1"))
      #expect(saved["records"]?.array?.first?["recordName"] == "n1", "\(saved.text)")
      let owner = try await call.client.call("records/lookup", ["records": [["recordName": "n1"]]])
      #expect(owner["records"]?.array?.first?["recordType"] == "Note")
      let page = try await call("records/query", Self.notes(["user": "alice"]))
      #expect(page["records"]?.array?.count == 1, "\(page.text)")
      #expect(page["plan"]?["rows"] == 1)
      #expect(page["plan"]?["sources"]?.array?.isEmpty == false)
      let found = try await call(
        "records/lookup",
        ["user": "alice", "records": [["recordName": "n1"], ["recordName": "x"]]])
      #expect(found["records"]?.array?[1]["serverErrorCode"] == "NOT_FOUND")
      let asBob = try await call("records/query", Self.notes(["user": "alice", "as": "bob"]))
      #expect(asBob["serverErrorCode"] == "ZONE_NOT_FOUND", "\(asBob.text)")
      let noType = try await call(
        "records/query", ["user": "alice", "query": ["recordType": "Nothing"]])
      #expect(noType.status == 404)
    }
  }

  @Test func `an operator who may only read gets no secret of a one-time URL`() async throws {
    try await serving { call in
      let secret = try await Self.oneTimePlace(call.client)
      let engine = call.client.fixture.server.engine
      for role in [OperatorRole.full, .readOnly] {
        let token = try await engine.adminTokens.create(
          name: "\(role)", role: role, days: nil, by: .owner
        ).secret
        let answer = try await call.client.admin(
          "records/lookup",
          [
            "user": "alice", "zoneID": ["zoneName": "Trails"],
            "records": [["recordName": "s1"]],
          ], token: token)
        #expect(answer["records"]?.array?.first?["recordName"] == "s1", "\(answer.text)")
        #expect(answer.text.contains(secret) == (role == .full), "\(role)")
      }
    }
  }

  /// Shares a record of alice with whoever is first to have the URL. Answers the URL's secret.
  private static func oneTimePlace(_ client: RouteClient) async throws -> String {
    try await client.makeZone("Trails")
    let alice = Caller(
      in: ServerFixture.containerEnvironment, user: client.fixture.user("alice"), device: nil,
      kind: .user, requestID: "r")
    var place = Participant(
      id: "p", role: .privateUser, permission: .readWrite, acceptance: .invited,
      identity: UserIdentity())
    place.oneTimeToken = ""
    let drafts = [
      RecordDraft(name: "root", type: "Note"),
      RecordDraft(
        name: "s1", type: Record.shareType, shareRoot: ("root", nil), participants: [place]),
    ]
    let results = try await client.fixture.server.engine.records.modify(
      ModifyRecordsRequest(
        zone: ZoneID(name: "Trails"), operations: drafts.map { RecordOperation(.create, $0) }),
      in: .private, as: alice)
    guard case .saved(let share)? = try results.last?.get() else { return "" }
    let participants = try share.record().shareDetails?.participants ?? []
    return try #require(participants.compactMap(\.oneTimeToken).first)
  }

  @Test func `a query that lacks an index names the command`() async throws {
    try await serving { call in
      try await call.client.save("n1", ["title": ["value": "x"]])
      _ = try await call.client.admin(
        "schema/index", ["type": "Note", "field": "title", "index": "queryable", "on": false])
      let condition: JSON = [
        "comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "x"],
      ]
      let page = try await call(
        "records/query",
        ["user": "alice", "query": ["recordType": "Note", "filterBy": [condition]]])
      #expect(page["records"]?.array?.isEmpty == true)
      #expect(
        page["plan"]?["missing"]?.array?.first?["command"]?.string?
          .hasPrefix("brume schema index add Note title queryable --container ") == true)
    }
  }

  @Test func `questions about rights are answered in words`() async throws {
    try await serving { call in
      try await call.client.save("p1", in: "public")
      let answer = try await call(
        "allowed",
        ["database": "public", "as": "bob", "action": "write", "recordName": "p1"])
      #expect(answer["allowed"] == false)
      #expect(answer["reason"]?.string?.contains("creator") == true, "\(answer.text)")
      let wrong = try await call("allowed", ["as": "bob", "action": "look"])
      #expect(wrong.reason.contains("read, create, write"))
    }
  }

  @Test func `whether somebody may write what others made is asked by type`()
    async throws
  {
    try await serving { call in
      _ = try await call.client.save("n1", in: "public")
      func answer(_ action: String) async throws -> JSON? {
        try await call(
          "allowed",
          [
            "database": "public", "as": "bob", "action": .string(action), "recordType": "Note",
          ])["allowed"]
      }
      #expect(try await answer("read") == true)
      #expect(try await answer("write") == false)
      #expect(try await answer("create") == true)
    }
  }

  @Test func `indexes that apps' queries use and lack are counted, those of operators not`()
    async throws
  {
    try await serving { call in
      _ = try await call.client.save("n1", ["title": ["value": "x"]], in: "public")
      let body: JSON = [
        "query": [
          "recordType": "Note",
          "filterBy": [
            ["fieldName": "title", "comparator": "EQUALS", "fieldValue": ["value": "x"]]
          ],
        ]
      ]
      #expect(try await call.client.call("records/query", body, in: "public").status == 200)
      #expect(try await call("records/query", body).status == 200)
      let off: JSON = ["type": "Note", "field": "title", "index": "queryable", "on": false]
      #expect(try await call.client.admin("schema/index", off).status == 200)
      #expect(try await call.client.call("records/query", body, in: "public").status == 400)
      let uses = try await call("schema/usage")["indexes"]?.array
      #expect(
        uses == [
          [
            "recordType": "Note", "field": "title", "index": "queryable", "used": 1, "lacked": 1,
          ]
        ], "\(uses ?? [])")
    }
  }

  @Test func `a change token is opened`() async throws {
    try await serving { call in
      try await call.client.makeZone("Trails")
      let feed = try await call.client.call(
        "changes/zone", ["zones": [["zoneID": ["zoneName": "Trails"]]]])
      let token = try #require(feed["zones"]?.array?.first?["syncToken"])
      let contents = try await call("tokens/decode", ["token": token])
      #expect(contents["user"] == "alice", "\(contents.text)")
      #expect(contents["zoneID"]?["zoneName"] == "Trails")
      #expect(contents["about"] == "zone")
      #expect(try await call("tokens/decode", ["token": "x"]).status == 400)
    }
  }

  @Test func `a schema is checked, compared, imported, deployed and reset`() async throws {
    try await serving { call in
      try await call.client.save("n1", ["title": ["value": "x"]])
      let broken = try await call(
        "schema/validate", ["schema": "DEFINE SCHEMA\n  DROP X;\n  RECORD TYPE Y (1);"])
      let errors = broken["errors"]?.array ?? []
      #expect(errors.map { $0["line"] } == [2, 3], "\(broken.text)")
      #expect(errors.first?["column"] == 3)
      let right = try await call("schema/validate", ["schema": "DEFINE SCHEMA"])
      #expect(right["valid"] == true && right["recordTypes"] == 1)

      let drops = try await call("schema/diff", ["schema": "DEFINE SCHEMA"])
      #expect(drops["drops"] == ["Note"], "\(drops.text)")
      let refused = try await call.client.admin("schema", ["schema": "DEFINE SCHEMA"])
      #expect(refused.status == 400 && refused.reason.contains("--allow-drops"))

      let dry = try await call.client.admin("schema/deploy", ["dryRun": true])
      #expect(dry["changes"]?.array?.isEmpty == false, "\(dry.text)")
      let reset = try await call("schema/reset", ["dryRun": true])
      #expect(reset["drops"] == ["Note"])
      let wrong = try await call.client.admin("schema/reset?environment=production", [:])
      #expect(wrong.status == 400)
      #expect(try await call("schema/reset", [:]).status == 200)
      let gone = try await call.client.call("records/lookup", ["records": [["recordName": "n1"]]])
      #expect(gone["records"]?.array?.first?["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `a user is deleted, and their token is refused`() async throws {
    try await serving { call in
      try await call.client.save("n1")
      let report = try await call("users/delete", ["user": "alice", "dryRun": true])
      #expect(report["deleted"] == false)
      #expect(report["containers"]?.array?.first?["zones"] == 1, "\(report.text)")
      #expect(try await call.client.call("zones/list").status == 200)
      let done = try await call("users/delete", ["user": "alice"])
      #expect(done["deleted"] == true, "\(done.text)")
      let after = try await call.client.call("zones/list")
      #expect(after.status != 200)
      #expect(try await call("users/delete", ["user": "alice"]).status == 404)
    }
  }

  @Test(arguments: [
    "containers", "zones", "records/query", "records/modify", "allowed", "shares",
    "tokens/decode", "schema/diff", "users/delete",
  ])
  func `nobody but the operator is answered`(path: String) async throws {
    try await ServerFixture().routes { client in
      let isRead = path == "containers" || path == "shares"
      let answer = try await client.admin(path, isRead ? nil : [:], token: "wrong")
      #expect(answer.status == 401, "\(answer.text)")
    }
  }
}
