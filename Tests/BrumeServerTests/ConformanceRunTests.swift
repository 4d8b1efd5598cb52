// Cases against servers that misbehave: a run ends, and leaves nothing.

import BrumeClient
import BrumeModel
import BrumeWire
import Synchronization
import Testing

@testable import BrumeConformance

@Suite(.timeLimit(.minutes(10))) struct ConformanceRunTests {
  /// Answers every call, and keeps what it was asked.
  private final class Server: Transport {
    private let sent = Mutex<[HTTPCall]>([])
    private let answer: @Sendable (HTTPCall) throws -> JSON

    init(_ answer: @escaping @Sendable (HTTPCall) throws -> JSON) { self.answer = answer }

    var calls: [HTTPCall] { sent.withLock { $0 } }

    func send(_ call: HTTPCall) async throws -> HTTPAnswer {
      sent.withLock { $0.append(call) }
      return HTTPAnswer(status: 200, body: try answer(call).bytes())
    }

    func receive(
      _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      try await send(call)
    }
  }

  /// What is wrong with a case of these steps.
  private func problems(_ steps: JSON, zones: JSON = [], at server: Server) async throws -> [String]
  {
    var target = Target(
      url: "http://server",
      in: ContainerEnvironment(ContainerID("iCloud.org.example.app"), .development),
      apiToken: "t", transport: server, now: { 0 },
      wait: { seconds in Issue.record("it waited for \(seconds) s") })
    target.firstUser = "alice"
    target.operatorToken = "o"
    let test = try Case.read(
      ["case": "it ends", "source": "ours", "zones": zones, "steps": steps], in: "a file")
    let outcomes = try await Runner(target, label: "t").run(test)
    guard case .failed(let problems)? = outcomes.first?.result else { return [] }
    return problems
  }

  @Test func `pages without an end are a problem`() async throws {
    let same = Server { _ in ["userRecordName": "_a", "syncToken": "t", "moreComing": true] }
    let steps: JSON = [["call": "changes/database", "drain": "syncToken"]]
    let stuck = try await problems(steps, at: same)
    #expect(
      stuck == ["step 1, changes/database: more is coming, and 'syncToken' is not a new one"])
    #expect(same.calls.count == 3)

    let count = Mutex(0)
    let new = Server { _ in
      let token = count.withLock { count in
        count += 1
        return "\(count)"
      }
      return ["userRecordName": "_a", "syncToken": .string(token), "moreComing": true]
    }
    let endless = try await problems(steps, at: new)
    #expect(endless == ["step 1, changes/database: more is coming after 1000 pages"])
  }

  @Test func `nobody waits as long as a server says`() async throws {
    let server = Server { _ in ["userRecordName": "_a", "retryAfter": 61] }
    let found = try await problems(
      [
        ["call": "zones/list", "keep": ["seconds": "retryAfter"]],
        ["call": "zones/list", "wait": "${seconds}"],
      ], at: server)
    #expect(found == ["step 2, zones/list: it would have to wait for 61.0 s"])
  }

  @Test func `faults of a case go first, also when it fails`() async throws {
    let server = Server { _ in ["userRecordName": "_a", "zones": [["zoneID": ["zoneName": "Z"]]]] }
    let found = try await problems(
      [
        ["call": "/_brume/admin/faults", "as": "operator"],
        ["call": "zones/list", "status": 500],
      ], zones: ["zone"], at: server)
    #expect(found.count == 1)
    let last = server.calls.suffix(2)
    #expect(last.first?.target.hasPrefix("/_brume/admin/faults/clear") == true)
    #expect(last.last?.target.contains("zones/modify") == true)
  }

  @Test func `what was made by a call whose answer is lost is taken away`() async throws {
    let server = Server { call in
      let text = String(decoding: call.body, as: UTF8.self)
      if text.contains("create") { throw CallFailure.responseLost("a test") }
      return ["userRecordName": "_a"]
    }
    let found = try await problems([["call": "zones/list"]], zones: ["zone"], at: server)
    #expect(found.count == 1)
    let last = try #require(server.calls.last).body
    let operation = try JSON(parsing: last)["operations"]?.array?.first
    #expect(operation?["operationType"] == "delete")
    #expect(operation?["zone"]?["zoneID"]?["zoneName"] == "zone-t-0")
  }

  @Test func `what a case made is taken away also when the run is cancelled in it`() async throws {
    let server = Server { call in
      // As a client that waits is.
      try Task.checkCancellation()
      if call.target.contains("zones/list") {
        withUnsafeCurrentTask { $0?.cancel() }
        throw CancellationError()
      }
      return ["userRecordName": "_a", "zones": [["zoneID": ["zoneName": "Z"]]]]
    }
    let run = Task {
      try await problems(
        [["call": "zones/list"], ["call": "zones/list"]], zones: ["z"], at: server)
    }
    await #expect(throws: CancellationError.self) { try await run.value }
    let last = try JSON(parsing: try #require(server.calls.last).body)
    #expect(last["operations"]?.array?.first?["operationType"] == "delete")
    #expect(server.calls.filter { $0.target.contains("zones/list") }.count == 1)
  }
}
