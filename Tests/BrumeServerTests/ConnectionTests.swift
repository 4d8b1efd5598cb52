// The HTTP edge on real sockets: slow and rude clients (docs/operating/load.md).

import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation
import Testing

@Suite struct ConnectionTests {
  /// - Parameters:
  ///   - headerSeconds: short where it is the subject.
  ///   - bodySeconds: short where it is the subject.
  static func live(
    headerSeconds: Int = 300, bodySeconds: Int = 300,
    _ body: @escaping @Sendable (ServerFixture, RawSocket) async throws -> Void
  ) async throws {
    let fixture = try await ServerFixture {
      $0.timeouts.header = headerSeconds
      $0.timeouts.body = bodySeconds
      $0.limits.requestBodyBytes = 100_000
    }
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      try await body(fixture, socket)
    }
  }

  @Test(arguments: ["", "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\nX-A: "])
  func
    `a connection without a whole header gets the answer that nothing was taken in, and is closed`(
      start: String
    ) async throws
  {
    try await Self.live(headerSeconds: 1) { _, socket in
      if !start.isEmpty { await socket.send(start) }
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 408 "), "\(answer)")
      #expect(answer.lowercased().contains("connection: close"))
      #expect(answer.contains("TRY_AGAIN_LATER"))
    }
  }

  @Test func `a body that stops coming is closed`() async throws {
    try await Self.live(bodySeconds: 1) { fixture, socket in
      let target = "\(fixture.path("records/modify"))?\(fixture.credentials("alice"))"
      await socket.send(
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 500\r\n\r\n{")
      #expect(await socket.readToEnd() == "")
    }
  }

  @Test func `an upload that is announced too large gets 413 and the connection ends`() async throws
  {
    try await Self.live { fixture, socket in
      let target = "\(fixture.path("records/modify"))?\(fixture.credentials("alice"))"
      await socket.send(
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100001\r\n\r\n{")
      let answer = await socket.readToEnd()
      #expect(answer?.hasPrefix("HTTP/1.1 413 ") == true, "\(answer ?? "nothing")")
      #expect(answer?.lowercased().contains("connection: close") == true)
    }
  }

  @Test func `a chunked upload without end gets 413 and the connection ends`() async throws {
    try await Self.live { fixture, socket in
      let target = "\(fixture.path("records/modify"))?\(fixture.credentials("alice"))"
      await socket.send(
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n")
      let chunk = "4000\r\n" + String(repeating: " ", count: 0x4000) + "\r\n"
      // Far more than any buffer on the way: only a closed connection stops it.
      var sent = 0
      while sent < 100_000, await socket.send(chunk) { sent += 1 }
      #expect(sent < 100_000)
    }
  }

  @Test(arguments: ["zz\r\n{}\r\n0\r\n\r\n", "2\r\n{}zz0\r\n\r\n"])
  func `a body with a malformed chunk is 400 and the connection ends`(body: String) async throws {
    try await Self.live { fixture, socket in
      let target = "\(fixture.path("zones/list"))?\(fixture.credentials("alice"))"
      await socket.send(
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "one answer: \(answer)")
      #expect(answer.lowercased().contains("connection: close"))
      #expect(answer.contains("BAD_REQUEST") && answer.contains("the request body cannot be read"))
    }
  }

  @Test(arguments: ["", "Host: a\r\nHost: b\r\n"])
  func `a request without exactly one Host is 400`(hosts: String) async throws {
    try await Self.live { _, socket in
      await socket.send("GET /_brume/health/live HTTP/1.1\r\n\(hosts)\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 400 "))
      #expect(answer.contains("Host headers; send exactly one"), "\(answer)")
    }
  }

  @Test(arguments: ["evil.example", "evil.example:8787", "127.0.0.1.evil.example", ""])
  func `a page that leads its own name here reads nothing`(name: String) async throws {
    try await Self.live { _, socket in
      await socket.send("GET /_brume/metrics HTTP/1.1\r\nHost: \(name)\r\n\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 403 "))
      #expect(answer.contains("--allowed-hosts"), "\(answer)")
    }
  }

  @Test(arguments: [
    ("http://evil.example/_brume/metrics HTTP/1.1", "Host: localhost\r\n", 403),
    ("HTTP://evil.example:8787/_brume/metrics HTTP/1.1", "Host: localhost\r\n", 403),
    ("http://localhost@evil.example/_brume/metrics HTTP/1.1", "Host: localhost\r\n", 403),
    ("http://user@localhost/_brume/metrics HTTP/1.1", "Host: localhost\r\n", 403),
    ("http://evil.example HTTP/1.0", "", 403),
    ("http://localhost:8787/_brume/health/live HTTP/1.1", "Host: evil.example\r\n", 200),
    ("https://127.0.0.1/_brume/health/live?a=http://evil.example/ HTTP/1.1", "Host: \r\n", 200),
    ("http://localhost/_brume/health/live HTTP/1.0", "", 200),
    ("http://localhost?/nowhere HTTP/1.1", "Host: localhost\r\n", 200),
    ("http://localhost HTTP/1.1", "Host: localhost\r\n", 200),
    ("http://localhost/nowhere HTTP/1.1", "Host: localhost\r\n", 404),
    ("http://localhost/_brume/health/live HTTP/1.1", "", 400),
    ("http://localhost/ HTTP/1.1", "Host: localhost\r\nHost: localhost\r\n", 400),
  ])
  func `a target that is a whole address says whom the request is for, whatever Host says`(
    target: String, hosts: String, status: Int
  ) async throws {
    try await Self.live { _, socket in
      await socket.send("GET \(target)\r\n\(hosts)Connection: close\r\n\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
      if status == 403 { #expect(answer.contains("--allowed-hosts"), "\(answer)") }
    }
  }

  @Test(arguments: ["", "Host: localhost\r\n", "Connection: keep-alive\r\n"])
  func `HTTP/1.0 needs no Host, and its connection ends with the answer`(
    fields: String
  ) async throws {
    try await Self.live { _, socket in
      await socket.send("GET /_brume/health/live HTTP/1.0\r\n\(fields)\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix(#"{"status":"live"}"#))
    }
  }

  @Test(arguments: ["close", "Close", "close, TE", "TE ,\tclose"])
  func `a client that wants the connection to end with the answer gets that`(
    option: String
  ) async throws {
    try await Self.live { _, socket in
      let request = "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n"
      // What comes behind its last request is nobody's.
      await socket.send(request + "Connection: \(option)\r\n\r\n" + request + "\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 200 ") && answer.hasSuffix(#"{"status":"live"}"#))
      #expect(answer.lowercased().contains("connection: close"), "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2)
    }
  }

  @Test(arguments: [
    ("POST /nowhere", 404), ("PUT /_brume/signout", 405),
    ("POST /database/1/\(ServerFixture.container)/development/public/records/query", 413),
  ])
  func `a client that sends its whole body first gets to read why it is refused`(
    request: String, status: Int
  ) async throws {
    let fixture = try await ServerFixture {
      // As long as it takes; the client ends the connection.
      $0.limits.refusedLinger = 300_000
    }
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      // More than the system's buffers hold, and than a request may have.
      let size = fixture.server.settings.limits.requestBodyBytes + 1
      await socket.send(
        "\(request) HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
          + "Content-Length: \(size)\r\n\r\n")
      #expect(await socket.send(String(repeating: "x", count: size)))
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 \(status) "), "\(answer)")
    }
  }

  @Test func `what comes with a request whose answer ends the connection is not carried out`()
    async throws
  {
    let fixture = try await ServerFixture { $0.limits.requestBodyBytes = 1000 }
    try await fixture.live { port in
      let socket = try RawSocket(port: port)
      defer { socket.close() }
      let target = "\(fixture.path("zones/modify"))?\(fixture.credentials("alice"))"
      let zone =
        #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Late"}}}]}"#
      let requests = [String(repeating: " ", count: 1001), zone].map { body in
        "POST \(target) HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
      }
      await socket.send(requests.joined())
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 413 "), "\(answer)")
      #expect(answer.components(separatedBy: "HTTP/1.1 ").count == 2, "\(answer)")
      let database = DatabaseKey(
        in: ServerFixture.containerEnvironment, owner: fixture.user("alice"))
      let key = ZoneKey(database: database, name: "Late")
      #expect(try await fixture.server.store.read { try $0.zones.find(key) } == nil)
    }
  }

  @Test func `a target of 20 KB is 414`() async throws {
    try await Self.live { _, socket in
      let name = String(repeating: "a", count: 20_000)
      await socket.send("GET /\(name) HTTP/1.1\r\nHost: localhost\r\n\r\n")
      let answer = await socket.readToEnd() ?? ""
      #expect(answer.hasPrefix("HTTP/1.1 414 "))
      #expect(answer.contains("send what is long in its body"), "\(answer)")
    }
  }

  @Test func `bytes that are no HTTP end the connection`() async throws {
    try await Self.live { _, socket in
      await socket.send("\u{0}\u{1}hello\r\n\r\n")
      #expect(await socket.readToEnd() != nil)
    }
  }

  @Test func `two requests on one connection both get their answer`() async throws {
    try await Self.live { _, socket in
      let request = "GET /_brume/health/live HTTP/1.1\r\nHost: localhost\r\n\r\n"
      await socket.send(request + request)
      let answer = await socket.read { $0.components(separatedBy: "\"live\"").count == 3 }
      #expect(answer?.components(separatedBy: "HTTP/1.1 200").count == 3)
    }
  }
}
