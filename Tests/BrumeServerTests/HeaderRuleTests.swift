// Headers are texts that enter: what is read of them passes one rule, and what is refused is not answered back.

import HTTPTypes
import Testing

@testable import BrumeServer

@Suite struct HeaderRuleTests {
  @Test(arguments: [HTTPField.Name.accept, .contentType, .range, .ifRange, .ifNoneMatch, .origin])
  func `a header that is too long is refused by its name`(name: HTTPField.Name) async throws {
    try await ServerFixture().routes { client in
      for (bytes, isTaken) in [(4096, true), (4097, false)] {
        let answer = try await client.call(
          "changes/database", headers: [name: String(repeating: "x", count: bytes)])
        #expect((answer.status == 200) == isTaken, "\(answer.text)")
        #expect(answer.reason.contains("'\(name.rawName)'") != isTaken, "\(answer.text)")
      }
    }
  }

  @Test func `a preflight is not answered with a text that the rule refuses`() async throws {
    try await ServerFixture().routes { client in
      for (bytes, isTaken) in [(4096, true), (4097, false)] {
        let asked = String(repeating: "x", count: bytes)
        let answer = try await client.send(
          client.fixture.path("zones/list"), .options, nil,
          [.origin: "https://a.example", .accessControlRequestHeaders: asked])
        #expect(
          answer.headers[.accessControlAllowHeaders] == (isTaken ? asked : "content-type"))
        let other = try await client.send(
          client.fixture.path("zones/list"), .options, nil, [.origin: asked])
        #expect((other.headers[.accessControlAllowOrigin] == asked) == isTaken)
      }
    }
  }

  @Test func `a tab in a header is white space`() async throws {
    try await ServerFixture().routes { client in
      let answer = try await client.call(
        "changes/database", headers: [.accept: "text/plain;\tq=1"])
      #expect(answer.status == 200, "\(answer.text)")
    }
  }
}
