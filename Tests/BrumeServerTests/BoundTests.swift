// Bounds of a request's head and of what operators are answered, each at the last that may be and at the next.

import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

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
