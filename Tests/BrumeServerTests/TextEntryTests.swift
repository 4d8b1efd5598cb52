// Every way in which texts enter the server obeys the same rule.

import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct TextEntryTests {
  private static let device = HTTPField.Name("X-Brume-Device")!
  private static let long = String(repeating: "x", count: 60_000)

  @Test func `a device's name enters by no way with a control character or without bound`()
    async throws
  {
    try await ServerFixture().routes { client in
      let path = client.fixture.path("records/query")
      let query = client.fixture.credentials("alice")
      let body: JSON = ["query": ["recordType": "Note"]]
      var answers = [
        try await client.send("\(path)?\(query)&clientId=a%00b", .post, body.bytes()),
        try await client.send("\(path)?\(query)&clientID=a%0Ab", .post, body.bytes()),
        try await client.send("\(path)?\(query)&clientId=%ff", .post, body.bytes()),
      ]
      for text in [Self.long, String(repeating: "x", count: 256)] {
        answers.append(
          try await client.call("records/query", body, headers: [Self.device: text]))
        answers.append(
          try await client.call(
            "tokens/create", ["apnsEnvironment": "development", "clientId": .string(text)]))
      }
      for answer in answers {
        #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "\(answer.text)")
      }
      #expect(answers[0].reason.contains("'clientId'"), "\(answers[0].text)")
    }
  }

  @Test(
    arguments: [
      ("Origin", String(repeating: "x", count: 5000)),
      ("X-Apple-CloudKit-Request-KeyID", String(repeating: "x", count: 5000)),
      ("X-Apple-CloudKit-Web-Auth-Token", String(repeating: "x", count: 5000)),
      ("Last-Event-ID", "a\u{fffd}"),
    ])
  func `headers that are read have a bound and are UTF-8`(
    _ name: String, _ value: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call(
        "zones/list", [:], headers: [HTTPField.Name(name)!: value])
      #expect(answer.status == 400 && answer.reason.contains("'\(name)'"), "\(answer.text)")
    }
  }

  @Test func `a name in the path is shown shortened, and names nothing`() async throws {
    try await ServerFixture().routes { client in
      let long = String(repeating: "x", count: 9000)
      let answer = try await client.send(
        "/database/1/\(ServerFixture.container)/\(long)/public/records/query", .post)
      #expect(answer.status == 404 && answer.reason.utf8.count < 300, "\(answer.text)")
    }
  }

  @Test func `names in bodies have a bound`() async throws {
    try await ServerFixture().routes { client in
      let long = JSON.string(String(repeating: "x", count: 256))
      let name: JSON = ["operations": [], "brume": ["operationID": long]]
      let records = try await client.call("records/modify", name)
      let zones = try await client.call("zones/modify", name)
      let subscriptions = try await client.call("subscriptions/modify", name)
      let owner = try await client.call(
        "records/query",
        [
          "zoneID": ["zoneName": "Z", "ownerRecordName": long],
          "query": ["recordType": "Note"],
        ], in: "shared")
      let address = try await client.call(
        "users/discover", ["lookupInfos": [["emailAddress": long]]], in: "public")
      let token = try await client.admin("tokens", ["name": long])
      for answer in [records, zones, subscriptions, owner, address, token] {
        #expect(answer.status == 400 && answer.reason.contains("256 bytes"), "\(answer.text)")
      }
    }
  }

  @Test(arguments: [#"{"a\u0000": 1}"#, #"{"a": "x\u0000"}"#, #"{"a": 1, "a": 2}"#])
  func `a body with U+0000 or a key twice is refused`(_ body: String) async throws {
    try await ServerFixture().routes { client in
      let target = "\(client.fixture.path("zones/lookup"))?\(client.fixture.credentials("alice"))"
      let answer = try await client.send(target, .post, Array(body.utf8))
      #expect(answer.status == 400 && answer.code == "BAD_REQUEST", "\(answer.text)")
    }
  }
}
