import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

/// The log of requests: the ring, and what operators get of it.
@Suite struct RequestLogTests {
  private static func line(
    _ id: String, status: Int = 200, by caller: RequestLine.Caller = .nobody
  ) -> RequestLine {
    RequestLine(
      time: 1, requestID: id, method: "POST", route: "/r", caller: caller, status: status,
      microseconds: 1)
  }

  private static func ring(_ lines: [RequestLine], capacity: Int = 100) -> RequestRing {
    lines.reduce(into: RequestRing(capacity: capacity)) { $0.append($1) }
  }

  private static func ids(_ page: (lines: [RequestLine], more: Bool)) -> [String] {
    page.lines.map(\.requestID)
  }

  @Test func `the newest lines come first, page by page`() {
    let ring = Self.ring(["A", "B", "C", "D"].map { Self.line($0) })
    let first = ring.page(RequestLineFilter(), after: 0, before: nil, limit: 3)
    #expect(Self.ids(first) == ["D", "C", "B"] && first.more)
    let second = ring.page(
      RequestLineFilter(), after: 0, before: first.lines.last?.position, limit: 3)
    #expect(Self.ids(second) == ["A"] && !second.more)
  }

  @Test func `a full ring forgets the oldest line, and positions go on`() {
    let ring = Self.ring((1...25).map { Self.line("\($0)") }, capacity: 10)
    let page = ring.page(RequestLineFilter(), after: 0, before: nil, limit: 100)
    #expect(Self.ids(page) == (16...25).reversed().map { "\($0)" } && !page.more)
    #expect(page.lines.map(\.position) == Array((16...25).reversed()))
  }

  @Test func `an answer has so many lines, and says where the next begins`() async throws {
    try await ServerFixture { $0.limits.requestLogPage = 2 }.routes { client in
      func lines() async throws -> (count: Int?, next: JSON?) {
        let answer = try await client.admin("logs?limit=9")
        return (answer["log"]?.array?.count, answer["next"])
      }
      for _ in 0..<2 { _ = try await client.call("zones/list") }
      let whole = try await lines()
      #expect(whole.count == 2 && whole.next == nil)
      // The question itself is a line too.
      let part = try await lines()
      #expect(part.count == 2 && part.next != nil)
    }
  }

  @Test func `whoever follows gets what came after a position`() {
    let ring = Self.ring(["A", "B", "C"].map { Self.line($0) })
    #expect(
      Self.ids(ring.page(RequestLineFilter(), after: 1, before: nil, limit: 9)) == ["C", "B"])
    #expect(ring.page(RequestLineFilter(), after: 3, before: nil, limit: 9).lines.isEmpty)
    // A server that began anew counts from one.
    #expect(ring.page(RequestLineFilter(), after: 99, before: nil, limit: 9).lines.isEmpty)
  }

  @Test func `lines are found by request, by user and by their failure`() {
    let alice = UserID("_alice")
    let ring = Self.ring([
      Self.line("A1", by: .user(alice)), Self.line("B2", status: 404),
      Self.line("C3", status: 503, by: .serverKey(alice)), Self.line("D4", status: 499),
    ])
    func found(_ adjust: (inout RequestLineFilter) -> Void) -> [String] {
      var filter = RequestLineFilter()
      adjust(&filter)
      return Self.ids(ring.page(filter, after: 0, before: nil, limit: 9))
    }
    #expect(found { $0.requestID = "b2" } == ["B2"])
    #expect(found { $0.user = alice } == ["C3", "A1"])
    #expect(found { $0.isFailed = true } == ["C3", "B2"])
    #expect(found { $0.route = "/other" } == [])
  }

  // MARK: Over the routes

  @Test func `a request is found by its ID, without its parameters`()
    async throws
  {
    try await ServerFixture().routes { client in
      let saved = try await client.call(
        "records/modify",
        [
          "operations": [
            ["operationType": "create", "record": ["recordType": "Note", "recordName": "secret"]]
          ]
        ], device: "laptop")
      let id = try #require(saved.headers[.requestUUID])
      let log = try await client.admin("logs?request=\(id.lowercased())")
      let line = try #require(log["log"]?.array?.first, "\(log.text)")
      #expect(line["user"] == "alice" && line["status"] == 200 && line["method"] == "POST")
      #expect(
        line["route"]?.string?.hasSuffix("records/modify") == true
          && line["container"] == .string(ServerFixture.container))
      for secret in ["secret", "laptop", client.fixture.ready.apiToken] {
        #expect(!log.text.contains(secret), "\(secret) is in the log")
      }
    }
  }

  @Test func `what was refused has its code, and nobody's name`() async throws {
    try await ServerFixture().routes { client in
      let refused = try await client.send("/_brume/admin/users")
      let id = try #require(refused["uuid"]?.string)
      let line = try await client.admin("logs?request=\(id)")["log"]?.array?.first
      #expect(line?["status"] == 401 && line?["code"] == "AUTHENTICATION_FAILED")
      #expect(line?["user"] == nil && line?["operator"] == nil)
      let nothing = try await client.send("/nothing/here?ckWebAuthToken=x")
      let unknown = try #require(nothing["uuid"]?.string)
      let other = try await client.admin("logs?failed=true&request=\(unknown)")["log"]?.array
      #expect(other?.first?["route"] == "none" && other?.count == 1)
    }
  }

  @Test func `health checks and the console's files are not in the log`() async throws {
    try await ServerFixture().routes { client in
      for path in ["/_brume/health/live", "/_brume/console/", "/_brume/console/app.js"] {
        let status = try await client.send(path).status
        #expect(status == 200)
      }
      let log = try await client.admin("logs")["log"]?.array
      #expect(log?.isEmpty == true)
    }
  }

  @Test func `who follows a log is not in it, and who asks once is`() async throws {
    try await ServerFixture().routes { client in
      for path in ["logs?after=0", "push/log?after=0"] {
        let status = try await client.admin(path).status
        #expect(status == 200)
      }
      let none = try await client.admin("logs")["log"]?.array
      #expect(none?.isEmpty == true)
      let one = try await client.admin("logs")["log"]?.array
      #expect(one?.count == 1)
      // What is refused is always in it.
      _ = try await client.admin("logs?after=x")
      let refused = try await client.admin("logs?failed=true")["log"]?.array
      #expect(refused?.count == 1)
    }
  }

  @Test(arguments: [("limit=x", "limit"), ("after=-1", "after"), ("user=nobody", "nobody")])
  func `a question that makes no sense is refused`(query: String, named: String) async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.admin("logs?\(query)")
      #expect(answer.status >= 400 && answer.reason.contains("'\(named)'"), "\(answer.text)")
    }
  }
}
