// Stepping back through the log: what happened, and what a zone held then.

import BrumeCore
import BrumeModel
import BrumeWire
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(10))) struct ChangeLogTests {
  /// - Parameter images: whether the log keeps what each change made.
  private func fixture(images: Bool = true) async throws -> ServerFixture {
    try await ServerFixture {
      $0.isClockManual = true
      $0.limits.logsEveryImage = images
    }
  }

  /// Saves, changes and deletes in a zone. Answers the IDs of the changes, oldest first.
  private func filled(_ client: RouteClient) async throws -> [String] {
    try await client.makeZone("Z")
    try await client.save("kept", ["title": ["value": "k"]], zone: "Z")
    try await client.save("changed", ["title": ["value": "old"]], zone: "Z")
    try await client.save("deleted", ["title": ["value": "d"]], zone: "Z")
    try await client.save("changed", ["title": ["value": "new"]], zone: "Z", kind: "forceUpdate")
    try await client.save("later", zone: "Z")
    try await client.save("deleted", zone: "Z", kind: "forceDelete")
    let changes = try await client.admin("log?zone=Z")["changes"]?.array ?? []
    #expect(changes.count == 7)
    return changes.reversed().compactMap { $0["id"]?.string }
  }

  private func then(_ change: String, _ client: RouteClient) async throws -> [String: String] {
    let answer = try await client.admin("log/then?change=\(change)")
    #expect(answer.status == 200, "\(answer.text)")
    let records = answer["records"]?.array ?? []
    return Dictionary(
      records.map { record in
        let title = record["record"]?["fields"]?["title"]?["value"]?.string
        let state = record["then"]?.string ?? ""
        return (record["recordName"]?.string ?? "", title.map { "\(state) \($0)" } ?? state)
      }, uniquingKeysWith: { $1 })
  }

  @Test func `a zone is shown as it was after a change`() async throws {
    try await fixture().routes { client in
      let changes = try await filled(client)
      // After `deleted` was made.
      #expect(
        try await then(changes[3], client) == [
          "kept": "same k", "changed": "other old", "deleted": "other d", "later": "absent",
        ])
      // After the last change.
      #expect(
        try await then(changes[6], client) == [
          "kept": "same k", "changed": "same new", "later": "same",
        ])
      // When there was nothing yet.
      #expect(
        try await then(changes[0], client) == [
          "kept": "absent", "changed": "absent", "deleted": "absent", "later": "absent",
        ])
    }
  }

  @Test func `what the log does not know is said to be unknown, and nothing is made up`()
    async throws
  {
    try await fixture(images: false).routes { client in
      let changes = try await filled(client)
      #expect(
        try await then(changes[3], client) == [
          "kept": "same k", "changed": "unknown", "deleted": "unknown", "later": "absent",
        ])
    }
  }

  @Test func `looking at a past zone changes nothing`() async throws {
    try await fixture().routes { client in
      let changes = try await filled(client)
      let before = try await client.call("changes/zone", ["zones": [["zoneID": ["zoneName": "Z"]]]])
      for change in changes { _ = try await then(change, client) }
      let after = try await client.call("changes/zone", ["zones": [["zoneID": ["zoneName": "Z"]]]])
      #expect(
        before.json["zones"]?.array?.first?["records"]
          == after.json["zones"]?.array?.first?["records"])
      #expect(try await client.admin("log?zone=Z")["changes"]?.array?.count == changes.count)
    }
  }

  @Test func `a zone that was deleted since is no more known`() async throws {
    try await fixture().routes { client in
      let changes = try await filled(client)
      _ = try await client.call(
        "zones/modify",
        ["operations": [["operationType": "delete", "zone": ["zoneID": ["zoneName": "Z"]]]]])
      let answer = try await client.admin("log/then?change=\(changes[3])")
      #expect(answer["records"]?.array?.isEmpty == true)
      #expect(answer["complete"]?.bool == false && answer["deletedBy"]?.string != nil)
    }
  }

  @Test func `the log comes in pages, newest first`() async throws {
    try await fixture().routes { client in
      let changes = try await filled(client)
      var seen: [String] = []
      var query = "log?zone=Z&limit=3"
      while true {
        let page = try await client.admin(query)
        seen += (page["changes"]?.array ?? []).compactMap { $0["id"]?.string }
        guard let before = page["before"]?.string else { break }
        query = "log?zone=Z&limit=3&before=\(before)"
      }
      #expect(seen == changes.reversed())
    }
  }

  @Test(arguments: [
    ("log/then", "'change' is missing"), ("log/then?change=x", "such as 0-12"),
    ("log/then?change=0-999", "is not remembered"), ("log?before=y", "such as 0-12"),
  ])
  func `a question that makes no sense is refused with the reason`(
    path: String, reason: String
  ) async throws {
    try await fixture().routes { client in
      let answer = try await client.admin(path)
      #expect(answer.status >= 400 && answer.status < 500)
      #expect(answer.reason.contains(reason), "\(answer.reason)")
    }
  }
}
