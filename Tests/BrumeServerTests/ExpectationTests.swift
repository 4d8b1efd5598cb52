// `Expect: 100-continue` on real sockets: curl and Java's HttpClient wait for the word before they send a body. And the order of
// what a server says on a connection by itself, between the answers of the routes.

import BrumeWire
import Foundation
import Testing

@Suite struct ExpectationTests {
  private static let word = "HTTP/1.1 100 Continue\r\n\r\n"

  /// The head of a request with a body of two bytes to come.
  private static func head(
    _ fixture: ServerFixture, expects: String = "100-continue", version: String = "1.1"
  ) -> String {
    "POST \(fixture.path("zones/list"))?\(fixture.credentials("alice")) HTTP/\(version)\r\n"
      + "Host: localhost\r\nContent-Length: 2\r\nExpect: \(expects)\r\n\r\n"
  }

  private static let probe = "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"

  @Test(arguments: ["100-continue", "100-Continue"])
  func `a client that waits with its body gets the word, and then its answer`(
    expects: String
  ) async throws {
    try await ConnectionTests.live { fixture, socket in
      await socket.send(Self.head(fixture, expects: expects))
      let word = await socket.read { $0.hasSuffix("\r\n\r\n") }
      #expect(word == Self.word)
      await socket.send("{}")
      let answer = await socket.read { $0.contains("_defaultZone") } ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test func `a connection goes on after a body that was waited for`() async throws {
    try await ConnectionTests.live { fixture, socket in
      for _ in 0..<2 {
        await socket.send(Self.head(fixture))
        let word = await socket.read { $0.hasSuffix("\r\n\r\n") }
        #expect(word == Self.word)
        await socket.send("{}")
        let answer = await socket.read { $0.hasSuffix("}]}") } ?? ""
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
      }
    }
  }

  @Test func `a body that comes with its head is read without a word`() async throws {
    try await ConnectionTests.live { fixture, socket in
      await socket.send(Self.head(fixture) + "{}")
      let answer = await socket.read { $0.contains("_defaultZone") } ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test func `the word comes after the answer to an earlier request`() async throws {
    try await ConnectionTests.live { fixture, socket in
      await socket.send(Self.probe + Self.head(fixture))
      let text = await socket.read { $0.hasSuffix(Self.word) } ?? ""
      #expect(text.hasPrefix("HTTP/1.1 200 "), "\(text)")
      #expect(text.hasSuffix(#"{"status":"live"}"# + Self.word), "\(text)")
      await socket.send("{}")
      let answer = await socket.read { $0.contains("_defaultZone") } ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test func `another expectation is 417, and the error names the header`() async throws {
    try await ConnectionTests.live { fixture, socket in
      await socket.send(Self.head(fixture, expects: "200-maybe"))
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 417 "), "\(answer)")
      #expect(answer.contains("without the header 'Expect'"), "\(answer)")
    }
  }

  @Test func `a head that is refused gets its refusal and no word`() async throws {
    try await ConnectionTests.live { _, socket in
      await socket.send(
        "POST /x HTTP/1.1\r\nHost: a\r\nHost: b\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n"
      )
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
    }
  }

  @Test func `what a client of HTTP/1.0 expects is passed over`() async throws {
    try await ConnectionTests.live { fixture, socket in
      await socket.send(Self.head(fixture, version: "1.0") + "{}")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer)")
    }
  }

  @Test func `a refusal comes after the answer to an earlier request`() async throws {
    try await ConnectionTests.live { _, socket in
      await socket.send(Self.probe + "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n")
      let text = await socket.readToEnd() ?? ""
      let answers = text.components(separatedBy: "HTTP/1.1 ")
      #expect(answers.count == 3, "\(text)")
      #expect(answers.dropFirst().first?.hasPrefix("200 ") == true, "\(text)")
      #expect(answers.last?.hasPrefix("400 ") == true, "\(text)")
    }
  }

  @Test func `a body in a coding that is not read is 501`() async throws {
    try await ConnectionTests.live { _, socket in
      await socket.send(
        "POST /x HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"
      )
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 501 "), "\(answer)")
      #expect(answer.contains("no 'Transfer-Encoding' but 'chunked'"), "\(answer)")
    }
  }

  @Test(arguments: [
    ("\u{0}\u{1}hello\r\n\r\n", 400), ("GET / HTTP/1.1\r\nHost localhost\r\n\r\n", 400),
    ("GET / HTTP/1.1\r\nX-A: \(String(repeating: "a", count: 90_000))\r\n\r\n", 431),
  ])
  func `bytes that are no request get an error with the ID of a request`(
    bytes: String, status: Int
  ) async throws {
    try await ConnectionTests.live { _, socket in
      await socket.send(bytes)
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      let body = answer.components(separatedBy: "\r\n\r\n").last ?? ""
      let error = try JSON(parsing: Array(body.utf8))
      #expect(error["serverErrorCode"]?.string == "BAD_REQUEST")
      let uuid = error["uuid"]?.string ?? ""
      #expect(UUID(uuidString: uuid) != nil, "\(uuid)")
      #expect(answer.contains("X-Apple-Request-UUID: \(uuid)"), "\(answer)")
    }
  }
}
