// A program with a server-to-server key, which speaks for itself in the public database; and what a
// client gets when the server is busy.

import BrumeKit
import Foundation
import Testing

@Suite(.timeLimit(.minutes(10)))
struct ServerKeyTests {
  @Test(arguments: StorageEngine.allCases)
  func `a server key reads and writes the public database, and users are notified of it`(
    _ engine: StorageEngine
  ) async throws {
    try await EndToEndFixture.run(engine) { fixture in
      let program = try await fixture.program()
      let phone = try await fixture.device("alice", "phone")
      try await program.everybodys.save(program.record("zero", zone: nil, type: "News", ["n": 0]))
      let inbox = try await Inbox(phone)
      try await phone.everybodys.save(CKQuerySubscription.of("News", id: "news").alerting("News!"))
      try await program.everybodys.save(program.record("one", zone: nil, type: "News", ["n": 1]))
      #expect(try await inbox.nextQuery().recordID == .named("one", zone: nil))
      let (matches, _) = try await program.everybodys.records(
        matching: CKQuery(recordType: "News", predicate: NSPredicate(format: "n > 0")))
      #expect(matches.map(\.0.recordName) == ["one"])
      let record = try await phone.everybodys.record(for: .named("one", zone: nil))
      #expect(record["n"] == 1)
    }
  }

  @Test(arguments: StorageEngine.allCases)
  func `a server key has no private database, and a wrong key is nobody`(_ engine: StorageEngine)
    async throws
  {
    try await EndToEndFixture.run(engine) { fixture in
      let program = try await fixture.program()
      let error = try await failure { _ = try await program.database.allRecordZones() }
      #expect([.notAuthenticated, .permissionFailure, .badDatabase].contains(error.code))
      let stranger = try await fixture.program(keyID: "unknown")
      let refused = try await failure {
        try await stranger.everybodys.record(for: .named("a", zone: nil))
      }
      #expect(refused.code == .notAuthenticated)
    }
  }

  @Test(arguments: [
    ("503 Service Unavailable", "TRY_AGAIN_LATER", CKError.Code.serviceUnavailable),
    ("429 Too Many Requests", "THROTTLED", .requestRateLimited),
    ("503 Service Unavailable", "ZONE_BUSY", .zoneBusy),
  ])
  func `LIM-02 LIM-03 LIM-05 LIM-08 a busy server's seconds to wait reach the app`(
    _ status: String, _ word: String, _ code: CKError.Code
  ) async throws {
    let body = #"{"serverErrorCode":"\#(word)","reason":"too busy","retryAfter":7}"#
    let server = try BusyServer(
      answering: "HTTP/1.1 \(status)\r\nRetry-After: 7\r\nConnection: close\r\n"
        + "Content-Type: application/json\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
    let device = Device(
      Brume.container(
        Brume.Configuration(
          url: server.url, container: EndToEndFixture.containerName, userToken: "t",
          deviceID: "phone")))
    let error = try await failure { try await device.fetch("a") }
    #expect(error.code == code && error.retryAfterSeconds == 7)
    #expect(error.userInfo[CKErrorRetryAfterKey] as? Double == 7)
    withExtendedLifetime(server) {}
  }
}
