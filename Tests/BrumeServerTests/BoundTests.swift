// Bounds of a request's head and of what operators are answered, each at the last that may be and at the next.

import BrumeModel
import BrumeWire
import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct BoundTests {
  private static func limits(_ change: (inout Limits) -> Void) -> Limits {
    var limits = Limits.apple
    change(&limits)
    return limits
  }

  @Test func `a parameter has a maximum of bytes, name and value each`() throws {
    let limits = Self.limits { $0.parameterBytes = 3 }
    #expect(try QueryString(target: "/?abc=def", limits: limits)["abc"] == "def")
    for target in ["/?abcd=def", "/?abc=defg", "/?abc=%64ef%67"] {
      #expect(throws: BrumeError.self) { try QueryString(target: target, limits: limits) }
    }
  }

  @Test func `a header that is read has a maximum of bytes, others have none here`() throws {
    let limits = Self.limits { $0.headerBytes = 3 }
    func check(_ name: HTTPField.Name, _ value: String) throws {
      try HeaderRules.check(HTTPFields([HTTPField(name: name, value: value)]), limits: limits)
    }
    try check(.origin, "abc")
    #expect(throws: BrumeError.self) { try check(.origin, "abcd") }
    try check(.userAgent, "abcd")
  }

  @Test func `a body that comes without credentials has a bound of its own`() async throws {
    try await ServerFixture { $0.limits.openBodyBytes = 100 }.routes { client in
      for (length, isTaken) in [(100, true), (101, false)] {
        let start = #"{"unknown":""#
        let text = start + String(repeating: "x", count: length - start.utf8.count - 2) + #""}"#
        let answer = try await client.send("/_brume/signin/password", .post, Array(text.utf8))
        #expect((answer.status == 413) != isTaken, "\(answer.status) \(answer.text)")
      }
    }
  }

  @Test func `the form of a file is larger than the file by so many bytes and no more`()
    async throws
  {
    let size = AssetRouteTests.file.count
    try await ServerFixture {
      $0.limits.assetBytes = Int64(size)
      $0.limits.assetFormBytes = 200
    }.routes { client in
      for (more, isTaken) in [(200, true), (201, false)] {
        let target = try await AssetRouteTests.uploadTarget(client)
        let head = "--b\r\nContent-Disposition: form-data; name=\"files\"\r\nX-Padding: "
        let (begin, end) = ("\r\n\r\n", "\r\n--b--\r\n")
        let padding = more - (head + begin + end).utf8.count
        let body =
          Array((head + String(repeating: "x", count: padding) + begin).utf8)
          + AssetRouteTests.file + Array(end.utf8)
        let answer = try await client.send(
          target, .post, body, [.contentType: "multipart/form-data; boundary=b"])
        #expect((answer.status == 200) == isTaken, "\(answer.status) \(answer.text)")
      }
    }
  }

  @Test(arguments: [(1, false), (2, true)])
  func `so many passwords are checked at once`(most: Int, isTaken: Bool) async throws {
    try await ServerFixture { $0.limits.passwordChecks = most }.routes { client in
      let passwords = client.fixture.server.passwords
      let address = ClientAddress(peer: nil, forwarded: nil, trustedProxies: [])
      let second = try await passwords.attempt("alice", at: address) {
        let isTaken: Bool
        do {
          try await passwords.hash {}
          isTaken = true
        } catch let error as BrumeError where error.code == .throttled { isTaken = false }
        return { isTaken }
      }
      #expect(second == isTaken)
    }
  }

  @Test func `so many last uses are remembered, and all are forgotten beyond it`() {
    var uses = LastUses(capacity: 2)
    for name in ["a", "b", "a"] { uses.note(name, at: 1) }
    #expect(uses.times == ["a": 1, "b": 1])
    uses.note("c", at: 2)
    #expect(uses.times == ["c": 2])
  }

  @Test func `an operator gets so many accounts at once, and then the rest`() async throws {
    try await ServerFixture { $0.limits.operatorListUsers = 4 }.routes { client in
      for name in ["dora", "emil"]
      where try await client.admin("users")["users"]?.array?.count ?? 4 < 4 {
        _ = try await client.admin("users", ["name": .string(name)])
      }
      let full = try await client.admin("users")
      #expect(full["users"]?.array?.count == 4 && full["after"] == nil, "\(full.text)")
      _ = try await client.admin("users", ["name": "carol"])
      let page = try await client.admin("users")
      #expect(page["users"]?.array?.count == 4 && page["after"] != nil, "\(page.text)")
    }
  }

  @Test func `an operator gets so many mistakes of a schema at once`() async throws {
    try await ServerFixture { $0.limits.schemaFaults = 2 }.routes { client in
      for (count, listed) in [(2, 2), (3, 2)] {
        let types = (0..<count).map { "RECORD TYPE T\($0) (a WRONG);" }
        let answer = try await client.admin(
          "schema/validate",
          [
            "schema": .string("DEFINE SCHEMA " + types.joined(separator: "\n")),
            "container": .string(ServerFixture.container), "environment": "development",
          ])
        let faults = answer["errors"]?.array
        #expect(faults?.count == listed, "\(answer.text)")
      }
    }
  }
}
