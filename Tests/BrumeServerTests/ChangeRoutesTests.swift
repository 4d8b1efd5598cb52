// The deprecated forms of changes/zone and changes/database, beside the forms that took their place.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct ChangeRoutesTests {
  /// A zone with two records and what is left of a third.
  private static func zone(_ body: @Sendable (RouteClient) async throws -> Void) async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Trails")
      let text = JSON.string(String(repeating: "long ", count: 200))
      for name in ["n1", "n2", "n3"] {
        try await client.save(
          name, ["text": ["value": text], "rank": ["value": 7]], zone: "Trails")
      }
      try await client.save("n3", zone: "Trails", kind: "forceDelete")
      try await body(client)
    }
  }

  @Test(
    arguments: [
      [:], ["reverse": true], ["resultsLimit": 1, "reverse": true],
      ["desiredKeys": ["rank"], "numbersAsStrings": true], ["desiredRecordTypes": ["Hike"]],
      ["brume": ["withDeletions": true]],
    ] as [JSON])
  func `records/changes says of its zone what changes/zone says, and whether it walks backwards`(
    wishes: JSON
  ) async throws {
    try await Self.zone { client in
      var zone = try #require(wishes.object)
      zone["zoneID"] = ["zoneName": "Trails"]
      let new = try await client.call("changes/zone", ["zones": [.object(zone)]])
      var expected = try #require(new["zones"]?.array?.first?.object)
      #expect(expected["syncToken"]?.string != nil && expected["reverse"] == nil)
      if zone["reverse"] != nil { expected["reverse"] = true }
      let old = try await client.call("records/changes", .object(zone))
      #expect(old.status == 200 && old.json == .object(expected), "\(old.text)")
    }
  }

  @Test func `what goes wrong in the zone of records/changes is the error of the request`()
    async throws
  {
    try await ServerFixture().routes { client in
      let answer = try await client.call("records/changes", ["zoneID": ["zoneName": "Ghost"]])
      #expect(answer.status == 404 && answer.code == "ZONE_NOT_FOUND")
    }
  }

  @Test func `records/changes puts the records as they are kept into its answer`() async throws {
    try await Self.zone { client in
      let server = client.fixture.server
      let caller = Caller(
        in: ServerFixture.containerEnvironment, user: client.fixture.user("alice"), device: nil,
        kind: .user, requestID: "r")
      let call = Call(
        method: .post, target: "/", authority: nil, headers: [:],
        query: try QueryString(target: "/", limits: .apple),
        body: BodyBytes(Array(#"{"zoneID":{"zoneName":"Trails"}}"#.utf8)), incoming: nil,
        databasePath: .init(
          container: caller.containerEnvironment.container, environment: .development,
          scope: .private),
        caller: caller, address: ClientAddress(peer: nil, forwarded: nil, trustedProxies: []),
        peer: RequestPeer(address: nil), channel: nil, jsonDepth: 32,
        values: server.valueMemory.share(of: "here"),
        answer: AnswerReservation { _ in nil })
      let reply = try await Handlers(server).changes.recordChanges(call)
      guard case .pieces(let pieces) = reply.body else {
        Issue.record("its body is one piece")
        return
      }
      // What stands between them is no JSON by itself.
      let records = pieces.compactMap { try? JSON(parsing: $0) }
      #expect(records.map { $0["recordName"] } == ["n1", "n2"])
    }
  }

  @Test func `a fault of database changes reaches zones/changes too`() async throws {
    try await ServerFixture().routes { client in
      _ = try await client.admin(
        "faults",
        ["faults": [["effect": "error", "code": 7, "on": ["fetchDatabaseChanges"]]]])
      #expect(try await client.call("zones/changes").status == 429)
      #expect(try await client.call("zones/changes").status == 200)
    }
  }
}
