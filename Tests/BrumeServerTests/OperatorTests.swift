// What the command line asks of a server, health, metrics and browsers.

import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorTests {
  // MARK: Admin

  @Test func `status in development gives all that a client needs`() async throws {
    try await ServerFixture().routes { client in
      let status = try await client.admin("status")
      #expect(status["dev"] == true)
      let lines = status["environment"]?.object?.members.map(\.key) ?? []
      #expect(
        Set(lines).isSuperset(of: [
          "BRUME_URL", "BRUME_CONTAINER", "BRUME_ENVIRONMENT", "BRUME_API_TOKEN",
          "BRUME_USER_TOKEN", "BRUME_USER_TOKEN_ALICE", "BRUME_USER_TOKEN_BOB", "BRUME_KEY_ID",
          "BRUME_KEY_FILE",
        ]))
      let again = try await client.admin("status")
      #expect(again["apiTokens"] == status["apiTokens"], "asking again makes nothing new")
      #expect(again["users"] == status["users"])
    }
  }

  @Test func `status outside development gives the address and no user's token`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let lines = try await client.admin("status")["environment"]?.object?.members.map(\.key)
      #expect(
        lines == ["BRUME_URL", "BRUME_CONTAINER", "BRUME_ENVIRONMENT", "BRUME_API_TOKEN"])
    }
  }

  @Test func `a user is made, listed and signed in`() async throws {
    try await ServerFixture().routes { client in
      let made = try await client.admin("users", ["name": "carol", "email": "carol@example.org"])
      #expect(made["recordName"]?.string?.hasPrefix("_") == true, "\(made.text)")
      let list = try await client.admin("users")
      #expect(list["users"]?.array?.contains { $0["name"] == "carol" } == true)
      let token = try await client.admin("users/token", ["user": "carol"])["token"]?.string
      let caller = try await client.send(
        "\(client.fixture.path("users/caller", "public"))?ckAPIToken=\(client.fixture.ready.apiToken)"
          + "&ckWebAuthToken=\(ServerFixture.escaped(token ?? ""))")
      #expect(caller["userRecordName"] == made["recordName"], "\(caller.text)")
      let unknown = try await client.admin("users/token", ["user": "nobody"])
      #expect(unknown.status == 404)
      #expect(unknown.reason.contains("brume user create nobody"))
    }
  }

  @Test func `users are found by the beginning of their names, page by page`() async throws {
    try await ServerFixture().routes { client in
      for name in ["zoe", "zo", "zora", "zo-1"] {
        #expect(try await client.admin("users", ["name": .string(name)]).status == 200)
      }
      func found(_ query: String) async throws -> ([String], String?) {
        let page = try await client.admin("users?\(query)")
        return (
          page["users"]?.array?.compactMap { $0["name"]?.string } ?? [], page["after"]?.string
        )
      }
      let first = try await found("prefix=zo&limit=3")
      #expect(first.0 == ["zo", "zo-1", "zoe"] && first.1 == "zoe")
      let second = try await found("prefix=zo&limit=3&after=zoe")
      #expect(second.0 == ["zora"] && second.1 == nil)
      #expect(try await found("prefix=zoe").0 == ["zoe"])
      #expect(try await found("prefix=zz").0 == [])
      #expect(try await found("prefix=&limit=1").0 == found("limit=1").0)
    }
  }

  @Test func `API tokens and keys are made and listed`() async throws {
    try await ServerFixture().routes { client in
      let token = try await client.admin(
        "tokens", ["name": "web", "origins": ["https://a.example"]])
      #expect(token["token"]?.string?.count == 64, "\(token.text)")
      #expect(try await client.admin("tokens")["tokens"]?.array?.count == 2)
      let twin = try await client.admin("tokens", ["name": "web"])
      #expect(twin.code == "CONFLICT" && twin.reason.contains("brume token revoke"), "\(twin.text)")
      let key = try await client.admin("keys", ["name": "backend"])
      #expect(try await client.admin("keys", ["name": "backend"]).code == "CONFLICT")
      #expect(key["id"]?.string?.count == 64, "\(key.text)")
      #expect(key["privateKey"]?.string?.contains("PRIVATE KEY") == true)
      let list = try await client.admin("keys")
      #expect(list["keys"]?.array?.count == 2)
      #expect(!list.text.contains("PRIVATE KEY"))
      #expect(try await client.admin("keys", ["name": "x", "publicKey": "nonsense"]).status == 400)
      let gone = try await client.admin("keys/revoke", ["id": "backend"])
      #expect(gone["id"] == key["id"])
      #expect(try await client.admin("keys")["keys"]?.array?.count == 1)
      #expect(try await client.admin("keys/revoke", ["id": "backend"]).status == 404)
    }
  }

  @Test func `an index is removed and added, and queries follow`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1", ["title": ["value": "x"]])
      let query: JSON = [
        "query": [
          "recordType": "Note",
          "filterBy": [
            ["comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "x"]]
          ],
        ]
      ]
      let index: (Bool) -> JSON = { isOn in
        ["type": "Note", "field": "title", "index": "queryable", "on": .bool(isOn)]
      }
      #expect(try await client.admin("schema/index", index(false)).status == 200)
      let refused = try await client.call("records/query", query)
      #expect(refused.status == 400)
      #expect(refused.reason.contains("brume schema index add Note title queryable"))
      let added = try await client.admin("schema/index", index(true))
      #expect(added.status == 200 && added["environment"] == "development", "\(added.text)")
      #expect(try await client.call("records/query", query)["records"]?.array?.count == 1)
    }
  }

  @Test func `a schema is imported and shown`() async throws {
    try await ServerFixture().routes { client in
      let text = try #require(try await client.admin("schema")["schema"]?.string)
      #expect(text.hasPrefix("DEFINE SCHEMA"))
      let back = try await client.admin("schema", ["schema": .string(text)])
      #expect(back["schema"]?.string == text, "\(back.text)")
      let broken = try await client.admin("schema", ["schema": "DEFINE SCHEMA\n  RECORD NOPE"])
      #expect(broken.status == 400)
      #expect(broken.reason.contains("2"), "the line: \(broken.reason)")
    }
  }

  @Test func `a purged zone is gone for its user`() async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Trails")
      let purged = try await client.admin("zones/purge", ["user": "alice", "zone": "Trails"])
      #expect(purged.status == 200, "\(purged.text)")
      let lookup = try await client.call("zones/lookup", ["zones": [["zoneName": "Trails"]]])
      #expect(lookup["zones"]?.array?.first?["serverErrorCode"] == "ZONE_NOT_FOUND")
      let line = try #require(try await client.audit().first)
      #expect(line["action"] == "zones/purge" && line["subject"] == "alice, zone Trails")
    }
  }

  @Test func `devices are listed with what waits for them`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.own("devices", [:], device: "phone")
      _ = try await client.admin("push", ["user": "alice"])
      let device = try await client.admin("devices")["devices"]?.array?.first
      #expect(device?["device"] == "phone")
      #expect(device?["channel"] == "stream")
      #expect(device?["waiting"] == 1)
    }
  }

  @Test func `a test push can be shown without being sent, and is then sent as it was shown`()
    async throws
  {
    try await ServerFixture().routes { client in
      _ = try await client.own("devices", [:], device: "phone")
      let shown = try await client.admin("push/preview", ["user": "alice", "text": "hi"])
      #expect(shown["payload"]?["aps"]?["alert"]?["body"] == "hi")
      #expect(shown["bytes"]?.int == shown["payload"].map { Int64($0.bytes().count) })
      #expect(shown["cut"] == false)
      let nothing = try await client.admin("devices")["devices"]?.array?.first
      #expect(nothing?["waiting"] == 0)
      let long = String(repeating: "long ", count: 2000)
      let cut = try await client.admin("push", ["user": "alice", "text": .string(long)])
      #expect(cut["cut"] == true)
      #expect(cut["devices"] == 1)
      #expect(cut["bytes"]?.int ?? 0 <= cut["mostBytes"]?.int ?? 0)
    }
  }

  // MARK: Health and metrics

  @Test func `live and ready answer without credentials`() async throws {
    try await ServerFixture().routes { client in
      let live = try await client.send("/_brume/health/live")
      let ready = try await client.send("/_brume/health/ready")
      #expect(live.status == 200)
      #expect(ready.status == 200)
    }
  }

  @Test func `a failed store means not ready`() async throws {
    try await ServerFixture().routes { client in
      client.fixture.server.health.storageFailed(StoreError(.unavailable, "disk gone"))
      let live = try await client.send("/_brume/health/live")
      let ready = try await client.send("/_brume/health/ready")
      #expect(live.status == 200)
      #expect(ready.status == 503)
    }
  }

  @Test func `a failed store ends the server with that failure`() async throws {
    let fixture = try await ServerFixture()
    let server = fixture.server
    await #expect(throws: StoreError(.unavailable, "disk gone")) {
      try await fixture.live { _ in
        server.health.storageFailed(StoreError(.unavailable, "disk gone"))
        try await Task.sleep(for: .seconds(3600))
      }
    }
  }

  @Test func `metrics count requests by route and never show a token`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1")
      let text = try await client.send("/_brume/metrics").text
      #expect(text.contains("# TYPE brume_http_requests_total counter"))
      #expect(text.contains("records/modify\",status=\"2xx\"} 1"))
      #expect(text.contains("brume_records_saved_total 1"))
      #expect(text.contains("brume_notifier_lag_entries"))
      #expect(text.contains("\nbrume_notifier_lag_seconds 0"))
      #expect(text.contains("brume_notifier_unserved_subscriptions"))
      #expect(!text.contains(client.fixture.ready.apiToken))
      #expect(!text.contains(ServerFixture.container))
    }
  }

  // MARK: Browsers

  @Test func `in development any origin may call`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call(
        "changes/database", headers: [.origin: "https://a.example"])
      #expect(answer.headers[.accessControlAllowOrigin] == "https://a.example")
      let exposed = answer.headers[.accessControlExposeHeaders]
      #expect(exposed?.contains("X-Apple-CloudKit-Web-Auth-Token") == true)
    }
  }

  @Test func `elsewhere only the API token's origins may`() async throws {
    try await ServerFixture { $0.isDevelopment = false }.routes { client in
      let made = try await client.admin(
        "tokens", ["name": "web", "origins": ["https://a.example"]])
      let token = made["token"]?.string ?? ""
      for (origin, isAllowed) in [("https://a.example", true), ("https://b.example", false)] {
        let answer = try await client.send(
          "\(client.fixture.path("records/query", "public"))?ckAPIToken=\(token)", .options, nil,
          [.origin: origin])
        #expect((answer.headers[.accessControlAllowOrigin] == origin) == isAllowed)
      }
      let unknown = try await client.send(
        client.fixture.path("zones/list"), .options, nil, [.origin: "https://a.example"])
      #expect(unknown.headers[.accessControlAllowOrigin] == nil)
    }
  }

  @Test func `every answer to a user brings the next web auth token, and the old one still works`()
    async throws
  {
    try await ServerFixture().routes { client in
      let name = HTTPField.Name("X-Apple-CloudKit-Web-Auth-Token")!
      let first = try await client.call("changes/database")
      let next = try #require(first.headers[name])
      let place = "\(client.fixture.path("zones/list"))?ckAPIToken=\(client.fixture.ready.apiToken)"
      let with = try await client.send("\(place)&ckWebAuthToken=\(ServerFixture.escaped(next))")
      #expect(with.status == 200)
      #expect(try await client.call("zones/list").status == 200)
      let anonymous = try await client.call(
        "records/lookup", ["records": [["recordName": "x"]]], as: nil, in: "public")
      #expect(anonymous.headers[name] == nil)
    }
  }
}
