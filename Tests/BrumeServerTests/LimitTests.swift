// Every number of a request at n and at n + 1, over HTTP (cases LIM-01, SAV-14, SAV-20; Apple:
// CloudKit Web Services, Data Size Limits). Small limits stand in for Apple's: what is checked is
// that each is asked, and where.

import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

/// One number: how it is set, and a request that uses `count` of it.
struct LimitProbe: Sendable, CustomTestStringConvertible {
  let testDescription: String
  let endpoint: String
  var scope = "private"
  let set: @Sendable (inout Limits) -> Void
  let body: @Sendable (Int) -> JSON

  static func list(_ key: String, _ count: Int, _ item: (Int) -> JSON) -> JSON {
    .object(JSONObject(uniqueMembers: [.init(key: key, value: .array((0..<count).map(item)))]))
  }

  private static func create(_ name: String, _ fields: JSON = [:]) -> JSON {
    [
      "operationType": "create",
      "record": ["recordName": .string(name), "recordType": "Note", "fields": fields],
    ]
  }

  private static func query(_ part: String, _ values: [JSON]) -> JSON {
    var query = JSONObject()
    query["recordType"] = "Note"
    query[part] = .array(values)
    return ["query": .object(query)]
  }

  static let limit = 3

  static let all: [LimitProbe] = [
    LimitProbe(
      testDescription: "operations of records/modify", endpoint: "records/modify",
      set: { $0.operationsPerRequest = limit },
      body: { list("operations", $0) { create("r\($0)") } }),
    LimitProbe(
      testDescription: "records of records/lookup", endpoint: "records/lookup",
      set: { $0.operationsPerRequest = limit },
      body: { list("records", $0) { ["recordName": .string("r\($0)")] } }),
    LimitProbe(
      testDescription: "operations of zones/modify", endpoint: "zones/modify",
      set: { $0.operationsPerRequest = limit },
      body: {
        list("operations", $0) {
          ["operationType": "create", "zone": ["zoneID": ["zoneName": .string("z\($0)")]]]
        }
      }),
    LimitProbe(
      testDescription: "zones of zones/lookup", endpoint: "zones/lookup",
      set: { $0.operationsPerRequest = limit },
      body: { list("zones", $0) { ["zoneName": .string("z\($0)")] } }),
    LimitProbe(
      testDescription: "zones of changes/zone", endpoint: "changes/zone",
      set: { $0.operationsPerRequest = limit },
      body: { list("zones", $0) { ["zoneID": ["zoneName": .string("z\($0)")]] } }),
    LimitProbe(
      testDescription: "operations of subscriptions/modify", endpoint: "subscriptions/modify",
      set: { $0.operationsPerRequest = limit },
      body: { list("operations", $0) { subscription("s\($0)") } }),
    LimitProbe(
      testDescription: "subscriptions of subscriptions/lookup", endpoint: "subscriptions/lookup",
      set: { $0.operationsPerRequest = limit },
      body: { list("subscriptions", $0) { ["subscriptionID": .string("s\($0)")] } }),
    LimitProbe(
      testDescription: "people of users/discover", endpoint: "users/discover", scope: "public",
      set: { $0.operationsPerRequest = limit },
      body: { list("lookupInfos", $0) { ["emailAddress": .string("u\($0)@example.org")] } }),
    LimitProbe(
      testDescription: "people of users/lookup/email", endpoint: "users/lookup/email",
      scope: "public", set: { $0.operationsPerRequest = limit },
      body: { list("users", $0) { ["emailAddress": .string("u\($0)@example.org")] } }),
    LimitProbe(
      testDescription: "conditions of a query", endpoint: "records/query",
      set: { $0.filtersPerQuery = limit },
      body: { count in
        query(
          "filterBy",
          (0..<count).map { _ in
            ["comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "x"]]
          })
      }),
    LimitProbe(
      testDescription: "sort criteria of a query", endpoint: "records/query",
      set: { $0.sortsPerQuery = limit },
      body: { count in
        query("sortBy", (0..<count).map { _ in ["fieldName": "title", "ascending": true] })
      }),
    LimitProbe(
      testDescription: "values of an IN condition", endpoint: "records/query",
      set: { $0.valuesPerFilter = limit },
      body: { count in
        let values = (0..<count).map { JSON.string("v\($0)") }
        return query(
          "filterBy",
          [
            [
              "comparator": "IN", "fieldName": "title",
              "fieldValue": ["value": .array(values), "type": "STRING_LIST"],
            ]
          ])
      }),
  ]

  static func subscription(_ id: String) -> JSON {
    [
      "operationType": "create",
      "subscription": [
        "subscriptionID": .string(id), "subscriptionType": "query",
        "query": [
          "recordType": "Note",
          "filterBy": [
            ["comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": .string(id)]]
          ],
        ], "firesOn": ["create"],
      ],
    ]
  }
}

@Suite struct LimitTests {
  @Test(arguments: LimitProbe.all)
  func `LIM-01 a limit holds at n and refuses n + 1:`(probe: LimitProbe) async throws {
    try await ServerFixture { probe.set(&$0.limits) }.routes { client in
      // This makes the type and its field.
      try await client.save("first", ["title": ["value": "x"]])
      let full = try await client.call(
        probe.endpoint, probe.body(LimitProbe.limit), in: probe.scope)
      #expect(full.status == 200, "\(full.text)")
      let over = try await client.call(
        probe.endpoint, probe.body(LimitProbe.limit + 1), in: probe.scope)
      #expect(over.status == 400, "\(over.text)")
      #expect(over.code == "BAD_REQUEST")
      #expect(over.reason.contains("\(LimitProbe.limit)"), "the number: \(over.reason)")
    }
  }

  @Test func `LIM-01 a page has no more records than may be, whatever is asked for`() async throws {
    try await ServerFixture { $0.limits.recordsPerResponse = 3 }.routes { client in
      for index in 0..<4 { try await client.save("n\(index)") }
      let page = try await client.call(
        "records/query", ["query": ["recordType": "Note"], "resultsLimit": 100])
      #expect(page["records"]?.array?.count == 3)
      #expect(page["continuationMarker"] != nil)
    }
  }

  @Test func `SAV-20 a record of exactly the limit is kept, one byte more is refused`() async throws
  {
    try await ServerFixture { $0.limits.recordBytes = 100 }.routes { client in
      // The field's name counts: "text" has 4 bytes.
      for (bytes, isSaved) in [(96, true), (97, false)] {
        let answer = try await client.save(
          "r\(bytes)", ["text": ["value": .string(String(repeating: "x", count: bytes))]])
        let record = answer["records"]?.array?.first
        #expect((record?["serverErrorCode"] == nil) == isSaved, "\(answer.text)")
      }
    }
  }

  @Test(arguments: ["record", "zone", "subscription", "user"])
  func `names have 255 characters and not one more`(what: String) async throws {
    try await ServerFixture().routes { client in
      for (length, isGood) in [(255, true), (256, false)] {
        let name = String(repeating: "n", count: length)
        let answer: Answer
        switch what {
        case "record": answer = try await client.save(name)
        case "zone":
          answer = try await client.call(
            "zones/modify",
            [
              "operations": [
                ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
              ]
            ])
        case "subscription":
          try await client.save("first", ["title": ["value": "x"]])
          answer = try await client.call(
            "subscriptions/modify", ["operations": [LimitProbe.subscription(name)]])
        default: answer = try await client.admin("users", ["name": .string(name)])
        }
        #expect(answer.text.contains("BAD_REQUEST") != isGood, "\(length): \(answer.text)")
      }
    }
  }

  @Test func `a user has so many subscriptions and not one more`() async throws {
    try await ServerFixture { $0.limits.subscriptionsPerUser = 3 }.routes { client in
      try await client.save("first", ["title": ["value": "x"]])
      for index in 0..<4 {
        let answer = try await client.call(
          "subscriptions/modify", ["operations": [LimitProbe.subscription("s\(index)")]])
        let result = answer["subscriptions"]?.array?.first
        #expect((result?["serverErrorCode"] == nil) == (index < 3), "\(index): \(answer.text)")
      }
    }
  }

  @Test func `a body of exactly the limit is read, one byte more gets 413`() async throws {
    try await ServerFixture { $0.limits.requestBodyBytes = 200 }.routes { client in
      for (length, status) in [(200, 200), (201, 413)] {
        let start = #"{"unknown":""#
        let text = start + String(repeating: "x", count: length - start.utf8.count - 2) + #""}"#
        let answer = try await client.send(
          "\(client.fixture.path("zones/list"))?\(client.fixture.credentials("alice"))", .post,
          Array(text.utf8))
        #expect(answer.status == status, "\(answer.text)")
      }
    }
  }

  @Test(arguments: ["gzip", "br, gzip", "identity"])
  func `I9 a body says plainly what it is, and a packed one gets 415`(
    coding: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.send(
        "\(client.fixture.path("zones/list"))?\(client.fixture.credentials("alice"))", .post,
        Array("{}".utf8), [.contentEncoding: coding])
      #expect(answer.status == (coding == "identity" ? 200 : 415), "\(answer.text)")
      let reason = answer["reason"]?.string ?? coding
      #expect(reason.contains(coding), "\(reason)")
    }
  }

  @Test func `JSON is 32 deep and not one deeper, and says each key once`() async throws {
    try await ServerFixture().routes { client in
      for (depth, status) in [(32, 200), (33, 400)] {
        let inner = String(repeating: "[", count: depth - 1)
        let text =
          #"{"zones":[{"zoneName":"z"}],"unknown":"# + inner
          + String(repeating: "]", count: depth - 1) + "}"
        let answer = try await client.send(
          "\(client.fixture.path("zones/lookup"))?\(client.fixture.credentials("alice"))", .post,
          Array(text.utf8))
        #expect(answer.status == status, "\(depth): \(answer.text)")
      }
      for text in [#"{"zones":[],"a":1,"a":2}"#, #"{"zones":[],"x":[{"b":1,"b":1}]}"#] {
        let answer = try await client.send(
          "\(client.fixture.path("zones/lookup"))?\(client.fixture.credentials("alice"))", .post,
          Array(text.utf8))
        #expect(answer.status == 400, "\(answer.text)")
      }
    }
  }

  @Test func `a NUL is refused in names and in texts`() async throws {
    try await ServerFixture().routes { client in
      for (name, value) in [("a\u{0}b", "x"), ("ab", "x\u{0}y")] {
        let answer = try await client.save(name, ["title": ["value": .string(value)]])
        #expect(answer.text.contains("BAD_REQUEST"), "\(answer.text)")
      }
    }
  }

  @Test(arguments: ["apple", "relaxed", "tiny"])
  func `a profile is chosen by name`(name: String) async throws {
    let settings = try Settings(
      try await SettingSources(flags: ["BRUME_LIMITS": name], environment: [:]))
    #expect(settings.limits == Settings.profiles[name])
    #expect((settings.limits.operationsPerRequest == 200) == (name == "apple"))
  }
}
