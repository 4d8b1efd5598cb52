// What is kept of a request's body once it has been read.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct BodyBytesTests {
  @Test func `a save lets go of its body, which nobody reads again`() async throws {
    try await ServerFixture().routes { client in
      let server = client.fixture.server
      let caller = Caller(
        in: ServerFixture.containerEnvironment, user: client.fixture.user("alice"), device: nil,
        kind: .user, requestID: "r")
      let record = #"{"recordName":"n1","recordType":"Note"}"#
      let text = #"{"operations":[{"operationType":"create","record":\#(record)}]}"#
      let call = Call(
        method: .post, target: "/", authority: nil, headers: [:],
        query: try QueryString(target: "/", limits: .apple), body: BodyBytes(Array(text.utf8)),
        incoming: nil,
        databasePath: .init(
          container: caller.containerEnvironment.container, environment: .development,
          scope: .private),
        caller: caller, address: ClientAddress(peer: nil, forwarded: nil, trustedProxies: []),
        peer: RequestPeer(address: nil), channel: nil, jsonDepth: 32,
        values: server.valueMemory.share(of: "here"),
        answer: AnswerReservation { _ in nil })
      #expect(call.body.all.count == text.utf8.count)
      _ = try await Handlers(server).records.modify(call)
      #expect(call.body.all.isEmpty)
      let found = try await client.call("records/lookup", ["records": [["recordName": "n1"]]])
      #expect(found["records"]?.array?.first?["recordName"] == "n1")
    }
  }
}
