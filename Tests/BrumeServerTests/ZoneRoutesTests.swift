// zones/*, changes/*, subscriptions/* and users/* over the routes.

import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@Suite struct ZoneRoutesTests {
  @Test(arguments: [HTTPRequest.Method.get, .post])
  func `zones are listed by GET and by POST`(method: HTTPRequest.Method) async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Trails")
      let answer = try await client.call(
        "zones/list", method == .get ? nil : [:], method: method)
      let names = answer["zones"]?.array?.compactMap { $0["zoneID"]?["zoneName"]?.string }
      #expect(Set(names ?? []) == ["_defaultZone", "Trails"])
    }
  }

  @Test func `an unknown zone is an error in its place`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call("zones/lookup", ["zones": [["zoneName": "Ghost"]]])
      #expect(answer.status == 200)
      #expect(answer["zones"]?.array?.first?["serverErrorCode"] == "ZONE_NOT_FOUND")
    }
  }

  @Test func `changes of databases and zones go on from their tokens`() async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Trails")
      try await client.save("n1", zone: "Trails")
      let database = try await client.call("changes/database")
      #expect(database["zones"]?.array?.first?["zoneID"]?["zoneName"] == "Trails")
      let request: (JSON?) -> JSON = { token in
        var zone = JSONObject()
        zone["zoneID"] = ["zoneName": "Trails"]
        zone["syncToken"] = token
        return ["zones": [.object(zone)]]
      }
      let first = try await client.call("changes/zone", request(nil))["zones"]?.array?.first
      #expect(first?["records"]?.array?.count == 1)
      let next = try await client.call("changes/zone", request(first?["syncToken"]))
      #expect(next["zones"]?.array?.first?["records"]?.array?.isEmpty == true)
      let negative = try await client.call("zones/changes", ["resultsLimit": -1])
      #expect(negative.status == 400)
      #expect(negative.reason.contains("'resultsLimit' must not be negative"))
      let old = try await client.call("zones/changes")
      #expect(old["metaSyncToken"]?.string != nil)
    }
  }

  @Test func `a subscription is saved, listed, found and deleted`() async throws {
    try await ServerFixture().routes { client in
      let subscription: JSON = [
        "subscriptionID": "all", "subscriptionType": "database",
        "notificationInfo": ["shouldSendContentAvailable": true],
      ]
      let saved = try await client.call(
        "subscriptions/modify",
        ["operations": [["operationType": "create", "subscription": subscription]]])
      #expect(saved["subscriptions"]?.array?.first?["subscriptionID"] == "all", "\(saved.text)")
      let list = try await client.call("subscriptions/list", nil, method: .get)
      #expect(list["subscriptions"]?.array?.count == 1)
      let gone = try await client.call(
        "subscriptions/modify",
        ["operations": [["operationType": "delete", "subscription": ["subscriptionID": "all"]]]])
      #expect(gone.status == 200)
      let lookup = try await client.call(
        "subscriptions/lookup", ["subscriptions": [["subscriptionID": "all"]]])
      #expect(lookup["subscriptions"]?.array?.first?["serverErrorCode"] == "NOT_FOUND")
    }
  }

  @Test func `the caller learns who they are`() async throws {
    try await ServerFixture().routes { client in
      let caller = try await client.call("users/caller", nil, in: "public", method: .get)
      #expect(caller["userRecordName"]?.string == client.fixture.user("alice").name)
      let old = try await client.call("users/current", nil, in: "public", method: .get)
      #expect(old["userRecordName"]?.string == client.fixture.user("alice").name)
    }
  }

  @Test func `containers and environments do not see each other`() async throws {
    try await ServerFixture().routes { client in
      try await client.save("n1")
      let query = client.fixture.credentials("alice")
      let path = "/database/1/\(ServerFixture.container)/production/private/records/lookup?\(query)"
      let other = try await client.send(
        path, .post, Array(#"{"records":[{"recordName":"n1"}]}"#.utf8))
      #expect(other.status == 401)
      #expect(other.code == "AUTHENTICATION_FAILED")
    }
  }
}
