// What is sent again when a connection ends, and what is not: both transports against a server with a real socket, which ends
// connections in the middle of things.

import BrumeModel
import Foundation
import Synchronization
import Testing

@testable import BrumeClient

@Suite(.timeLimit(.minutes(10))) struct ResendingTests {
  enum Way: CaseIterable, Sendable {
    case plain
    #if HTTPS
      case withLibrary
    #endif

    var transport: any Transport {
      switch self {
      case .plain: PlainTransport()
      #if HTTPS
        case .withLibrary: HTTPTransport()
      #endif
      }
    }
  }

  /// The requests that came in, in their order, as far as they were read.
  private final class Requests: Sendable {
    private let texts = Mutex<[String]>([])

    var count: Int { texts.withLock { $0.count } }
    var saves: [String] { texts.withLock { $0.filter { $0.contains("/modify") } } }

    /// Notes a request; answers how many there are by now.
    func note(_ text: String) -> Int {
      texts.withLock {
        $0.append(text)
        return $0.count
      }
    }
  }

  /// What is done about each request in its order; the last goes for all further ones.
  private static func script(
    _ requests: Requests, isRead: @escaping @Sendable (String) -> Bool = isWhole,
    _ turns: [ScriptedServer.Step]...
  ) -> ScriptedServer.Script {
    { text in
      guard isRead(text) else { return [] }
      return turns[min(requests.note(text), turns.count) - 1]
    }
  }

  private static func isWhole(_ text: String) -> Bool {
    guard let end = text.range(of: "\r\n\r\n") else { return false }
    let length = text[..<end.lowerBound].lowercased()
      .firstMatch(of: /content-length: (\d+)/).flatMap { Int($0.1) }
    return text[end.upperBound...].utf8.count == length ?? 0
  }

  private static func answer(
    _ status: String, _ body: String, _ header: String = ""
  ) -> ScriptedServer.Step {
    .say("HTTP/1.1 \(status)\r\n\(header)Content-Length: \(body.utf8.count)\r\n\r\n\(body)")
  }
  /// As Brume says it: without the header, the repetition may meet a connection whose end has not arrived yet.
  private static let starved = answer("408 Request Timeout", "", "Connection: close\r\n")
  private static let zones = answer("200 OK", #"{"zones":[]}"#)
  private static let records = answer("200 OK", #"{"records":[]}"#)

  private func database(_ way: Way, _ base: String) -> DatabaseCaller {
    let place = ContainerEnvironment(ContainerID("iCloud.a"), .development)
    return Session(
      Configuration(url: base, in: place, apiToken: "api", userToken: "user"),
      transport: way.transport
    ).database(.private)
  }

  private func expectLost(_ body: () async throws -> Void) async throws {
    let failure = await #expect(throws: CallFailure.self) { try await body() }
    guard case .responseLost = failure else { throw try #require(failure) }
  }

  // MARK: Fetches

  @Test(arguments: Way.allCases)
  func `a fetch that meets the end of a kept connection is asked again on a new one`(way: Way)
    async throws
  {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [Self.zones], [.close], [Self.zones])) {
      server, base in
      let database = database(way, base)
      _ = try await database.listZones()
      #expect(server.opened == 1)
      _ = try await database.listZones()
      #expect(server.opened == 2)
    }
    #expect(requests.count == 3, "the first, the one that was lost, and its repetition")
  }

  private static let beginning = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\n{"

  @Test(arguments: Way.allCases, ["", beginning])
  func `an answer of which nothing more comes is given up when the time of a call has passed`(
    way: Way, beginning: String
  ) async throws {
    try await expectTimedOut(saying: beginning, timeout: .seconds(3)) {
      try await way.transport.send($0)
    }
  }

  @Test(arguments: Way.allCases)
  func `an answer that is not whole is given up when the time for the whole has passed`(way: Way)
    async throws
  {
    try await expectTimedOut(saying: Self.beginning, wholeTimeout: .seconds(3)) {
      try await way.transport.send($0)
    }
  }

  enum Direction: CaseIterable, Sendable { case up, down }

  @Test(arguments: Way.allCases, Direction.allCases)
  func `a file is given up when the time for the whole has passed`(way: Way, direction: Direction)
    async throws
  {
    try await expectTimedOut(saying: Self.beginning, wholeTimeout: .seconds(3)) {
      try await transfer($0, direction, by: way)
    }
  }

  @Test(arguments: Way.allCases, Direction.allCases)
  func `a file that does not move is given up when the time of a call has passed`(
    way: Way, direction: Direction
  ) async throws {
    try await expectTimedOut(saying: Self.beginning, timeout: .seconds(3)) {
      try await transfer($0, direction, by: way)
    }
  }

  private func transfer(_ call: HTTPCall, _ direction: Direction, by way: Way) async throws {
    guard direction == .up else {
      return _ = try await way.transport.download(call) { _ in }
    }
    let path = FileManager.default.temporaryDirectory.appending(path: "moved-\(UUID().uuidString)")
    try Data("abc".utf8).write(to: path)
    defer { try? FileManager.default.removeItem(at: path) }
    _ = try await way.transport.upload(call, try OutgoingFile(path)) { _ in }
  }

  /// That a call ends with its time when a server says no more than this.
  private func expectTimedOut<Answer>(
    saying beginning: String, timeout: Duration = .seconds(600),
    wholeTimeout: Duration = .seconds(600), _ send: (HTTPCall) async throws -> Answer
  ) async throws {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [.say(beginning)])) { server, base in
      let call = HTTPCall(
        method: "POST", base: base, target: "/", timeout: timeout, wholeTimeout: wholeTimeout)
      let failure = await #expect(throws: CallFailure.self) { _ = try await send(call) }
      guard case .timedOut = failure else { throw try #require(failure) }
      await server.closed()
    }
    #expect(requests.count == 1)
  }

  // MARK: Saves

  @Test(arguments: Way.allCases)
  func `a save after the server ended a kept connection goes over a new one, and arrives once`(
    way: Way
  ) async throws {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [Self.zones, .end], [Self.zones])) {
      server, base in
      let database = database(way, base)
      _ = try await database.listZones()
      await server.closed()
      _ = try await database.modifyZones(.init([.init(.create, ZoneID(name: "A"))]))
      #expect(server.opened == 2)
    }
    #expect(requests.saves.count == 1)
  }

  @Test(arguments: Way.allCases)
  func `a save that the server says it did not take in is sent again, once`(way: Way) async throws {
    let requests = Requests()
    let script = Self.script(requests, [Self.zones], [Self.starved, .close], [Self.zones])
    try await ScriptedServer.run(script) { server, base in
      let database = database(way, base)
      _ = try await database.listZones()
      _ = try await database.modifyZones(.init([.init(.create, ZoneID(name: "A"))]))
      #expect(server.opened == 2)
    }
    #expect(requests.saves.count == 2, "the one that was not taken in, and its repetition")
    #expect(Set(requests.saves.map { Self.body(of: $0) }).count == 1)
  }

  @Test(arguments: Way.allCases)
  func `a save that the server has read is not sent again if nothing names it`(way: Way)
    async throws
  {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [Self.zones], [.close], [Self.zones])) {
      server, base in
      let database = database(way, base)
      _ = try await database.listZones()
      try await expectLost {
        _ = try await database.session.call(
          "POST", database.path("zones/modify"), body: Array("{}".utf8), isRead: false)
      }
      #expect(server.opened == 1)
    }
    #expect(requests.saves.count == 1)
  }

  /// Larger than what the sockets of both sides take in by themselves.
  @Test(arguments: Way.allCases)
  func `nor is one of which the server has read a part`(way: Way) async throws {
    let requests = Requests()
    let beginning: @Sendable (String) -> Bool = {
      $0.hasPrefix("GET ") ? Self.isWhole($0) : $0.utf8.count > 10_000
    }
    let script = Self.script(requests, isRead: beginning, [Self.zones], [.close], [Self.zones])
    try await ScriptedServer.run(script) { server, base in
      let database = database(way, base)
      _ = try await database.listZones()
      try await expectLost {
        _ = try await database.session.call(
          "POST", database.path("zones/modify"),
          body: [UInt8](repeating: UInt8(ascii: "x"), count: 32 << 20), isRead: false)
      }
      #expect(server.opened == 1)
    }
    #expect(requests.saves.count == 1)
  }

  @Test(arguments: Way.allCases)
  func `a save with a name is sent again once, the same in every byte of its body`(way: Way)
    async throws
  {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [.close], [Self.records])) { server, base in
      let request = ModifyRecordsRequest(operations: [], operationID: "named")
      _ = try await database(way, base).modifyRecords(request)
      #expect(server.opened == 2)
    }
    #expect(requests.saves.count == 2)
    #expect(Set(requests.saves.map { Self.body(of: $0) }).count == 1)
    #expect(requests.saves.allSatisfy { $0.contains("named") })
  }

  @Test(arguments: Way.allCases)
  func `a save whose answer is lost twice is reported, and not sent a third time`(way: Way)
    async throws
  {
    let requests = Requests()
    try await ScriptedServer.run(Self.script(requests, [.close])) { _, base in
      try await expectLost {
        _ = try await database(way, base).modifyRecords(ModifyRecordsRequest(operations: []))
      }
    }
    #expect(requests.saves.count == 2)
  }

  private static func body(of text: String) -> Substring {
    text.range(of: "\r\n\r\n").map { text[$0.upperBound...] } ?? ""
  }
}
