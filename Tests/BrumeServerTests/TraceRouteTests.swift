import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

/// The operator's question over HTTP. What the answers say is tested where they are made.
@Suite(.timeLimit(.minutes(10))) struct TraceRouteTests {
  @Test func `a trace is for operators only`() async throws {
    try await ServerFixture().routes { client in
      let anonymous = try await client.send("/_brume/admin/trace")
      #expect(anonymous.status == 401)
      let wrong = try await client.send(
        "/_brume/admin/trace", .get, nil, [.authorization: "Bearer wrong"])
      #expect(wrong.status == 401)
      let user = try await client.own("admin/trace", as: "alice")
      #expect(user.status == 401 || user.status == 403, "\(user.text)")
      #expect(try await client.admin("trace").status == 200)
    }
  }

  @Test func `a change is asked for by record, by request and by its own ID`() async throws {
    try await ServerFixture().routes { client in
      try await client.makeZone("Z")
      _ = try await client.save("n", zone: "Z", device: "laptop")
      let answer = try await client.admin("trace?record=n&zone=Z")
      #expect(answer.status == 200, "\(answer.text)")
      let trace = try Trace(json: answer.json)
      let change = try #require(trace.change)
      #expect(change.record == "n" && change.zone == "Z" && change.kind == .created)
      #expect(change.owner == "alice" && change.user == "alice" && change.device == "laptop")
      for question in ["request=\(change.request)", "change=\(change.id)"] {
        let same = try Trace(json: try await client.admin("trace?\(question)").json)
        #expect(same.change == change, "\(question)")
      }
      let bob = try Trace(json: try await client.admin("trace?record=n&zone=Z&user=bob").json)
      #expect(bob.sentence.contains("bob has no subscription"), "\(bob.sentence)")
      // Records of the default zone are meant without a zone.
      #expect(try Trace(json: try await client.admin("trace?record=n").json).change == nil)
    }
  }

  @Test(arguments: [
    ("change=x", "such as 0-12"), ("change=0-0", "such as 0-12"),
    ("change=7-1", "change 7-1 is not remembered"),
    ("change=0-99999999999999999999", "such as 0-12"), ("zone=Z", "'record', which is missing"),
    ("user=nobody", "there is no user 'nobody'"),
  ])
  func `a question that makes no sense is refused with the reason`(
    question: String, reason: String
  ) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.admin("trace?\(question)")
      #expect(answer.status >= 400 && answer.status < 500)
      #expect(answer.reason.contains(reason), "\(answer.reason)")
    }
  }

  @Test(arguments: [("dropPush", "dropped"), ("holdPush", "held back")])
  func `a push that a fault stops is noted in the push log`(
    effect: String, reason: String
  ) async throws {
    let fixture = try await ServerFixture()
    try await fixture.routes { client in
      _ = try await client.admin("faults", ["faults": [["effect": .string(effect)]]])
      let device = DeviceKey(
        in: ServerFixture.containerEnvironment, user: fixture.user("alice"),
        device: DeviceID("phone"))
      let entry = MailboxEntry(
        position: 1, notificationID: "N", subscriptionID: "s", collapseID: nil,
        payload: Array("{}".utf8), time: 1, requestID: "R")
      let leaving = try await fixture.server.pushFaults?.leaving([entry], to: device)
      #expect(leaving == [])
      let lines = try await fixture.server.store.read {
        try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 9)
      }
      #expect(lines.map(\.verdict) == [.stopped])
      #expect(lines.first?.reason.hasPrefix(reason) == true)
    }
  }
}
