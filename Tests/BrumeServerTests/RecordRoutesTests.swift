// records/* over the routes.

import BrumeModel
import BrumeWire
import Testing

@Suite struct RecordRoutesTests {
  @Test func `a saved record comes back whole, from modify, lookup and query`() async throws {
    try await ServerFixture().routes { client in
      let saved = try await client.save("n1", ["title": ["value": "Ridge loop"]])
      #expect(saved.status == 200)
      let record = saved["records"]?.array?.first
      #expect(record?["recordName"] == "n1")
      #expect(record?["fields"]?["title"] == ["value": "Ridge loop", "type": "STRING"])
      #expect(record?["created"]?["userRecordName"]?.string == client.fixture.user("alice").name)

      let found = try await client.call("records/lookup", ["records": [["recordName": "n1"]]])
      #expect(found["records"]?.array?.first == record)

      let page = try await client.call(
        "records/query",
        [
          "query": [
            "recordType": "Note",
            "filterBy": [
              [
                "comparator": "EQUALS", "fieldName": "title", "fieldValue": ["value": "Ridge loop"],
              ]
            ],
          ]
        ])
      #expect(page["records"]?.array?.count == 1)
      #expect(page["continuationMarker"] == nil)
    }
  }

  @Test func `a page that is not the last has a marker that leads to the rest`() async throws {
    try await ServerFixture().routes { client in
      for index in 0..<3 { try await client.save("n\(index)", ["rank": ["value": .int(index)]]) }
      var body: JSONObject = JSONObject()
      body["query"] = [
        "recordType": "Note", "sortBy": [["fieldName": "rank", "ascending": false]],
      ]
      body["resultsLimit"] = 2
      let first = try await client.call("records/query", .object(body))
      #expect(first["records"]?.array?.compactMap { $0["recordName"]?.string } == ["n2", "n1"])
      body["continuationMarker"] = first["continuationMarker"]
      let second = try await client.call("records/query", .object(body))
      #expect(second["records"]?.array?.compactMap { $0["recordName"]?.string } == ["n0"])
      #expect(second["continuationMarker"] == nil)
    }
  }

  @Test func `a stale tag is a conflict in the item's place`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1")
      let again = try await client.save("n1")
      #expect(again.status == 200)
      let item = again["records"]?.array?.first
      #expect(item?["serverErrorCode"] == "CONFLICT")
      #expect(item?["recordName"] == "n1")
    }
  }

  @Test func `numbersAsStrings renders numbers as texts`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1", ["rank": ["value": 7]])
      let answer = try await client.call(
        "records/lookup", ["records": [["recordName": "n1"]], "numbersAsStrings": true])
      #expect(answer["records"]?.array?.first?["fields"]?["rank"]?["value"] == "7")
    }
  }

  @Test func `the oldest change feed still works in a custom zone`() async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Trails")
      try await client.save("n1", zone: "Trails")
      let answer = try await client.call(
        "records/changes", ["zoneID": ["zoneName": "Trails"]])
      #expect(answer["records"]?.array?.count == 1)
      #expect(answer["syncToken"]?.string?.isEmpty == false)
      #expect(answer["moreComing"] == false)
    }
  }

  @Test func `the oldest change feed names what its own client sent`() async throws {
    try await ServerFixture().routes { client in
      let missing = try await client.call("records/changes")
      #expect(missing.reason == "'zoneID' is missing; name a custom zone, others have no changes")
      let wrong = try await client.call("records/changes", ["zoneID": ["zoneName": 5]])
      #expect(wrong.reason == "'zoneName' must be a text, not a number")
      #expect(wrong.status == 400 && wrong.code == "BAD_REQUEST")
    }
  }
}

extension JSON {
  static func int(_ value: Int) -> JSON { .int(Int64(value)) }
}
