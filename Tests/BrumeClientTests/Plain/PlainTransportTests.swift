// HTTP without TLS and without a library for it: what answers say, and what broken ones prove.

import Foundation
import NIOCore
import NIOHTTP1
import Synchronization
import Testing

@testable import BrumeClient

struct PlainTransportTests {
  private let transport = PlainTransport()

  private func call(
    _ base: String, method: String = "POST", body: String = "please",
    timeout: Duration = .seconds(3600)
  ) -> HTTPCall {
    HTTPCall(
      method: method, base: base, target: "/path?a=b", headers: [.init("X-One", "1")],
      body: Array(body.utf8), timeout: timeout)
  }

  private static func answer(_ body: String, _ headers: String = "") -> String {
    "HTTP/1.1 200 OK\r\n\(headers)Content-Length: \(body.utf8.count)\r\n\r\n\(body)"
  }

  private func failure(_ body: () async throws -> Void) async -> CallFailure? {
    do {
      try await body()
      return nil
    } catch { return error as? CallFailure }
  }

  @Test func `answers with a length and in chunks arrive whole, on one connection`() async throws {
    let chunked =
      "HTTP/1.1 404 Not Found\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n1\r\n!\r\n0\r\n\r\n"
    try await ScriptedServer.run { text in
      guard text.hasSuffix("\r\n\r\nplease") else { return [] }
      let isWhole =
        text.contains("POST /path?a=b HTTP/1.1\r\n") && text.contains("X-One: 1\r\n")
        && text.contains("content-length: 6\r\n") && text.contains("host: 127.0.0.1:")
      return [.say(isWhole ? Self.answer("yes", "X-Two: 2\r\n") : chunked)]
    } _: { server, base in
      let first = try await transport.send(call(base))
      #expect(first.status == 200 && first.header("x-two") == "2")
      #expect(first.body == Array("yes".utf8))
      var other = call(base)
      other.target = "/other"
      let second = try await transport.send(other)
      #expect(second.status == 404 && second.body == Array("no!".utf8))
      #expect(server.opened == 1)
    }
  }

  @Test func `a connection that the server is done with is not used again`() async throws {
    try await ScriptedServer.run { text in
      text.hasSuffix("please") ? [.say(Self.answer("yes", "Connection: close\r\n")), .close] : []
    } _: { server, base in
      for _ in 0..<2 { _ = try await transport.send(call(base)) }
      #expect(server.opened == 2)
    }
  }

  @Test func `who comes when all connections are in use has the next turn`() async throws {
    let connections = PlainConnections(most: 1)
    try await ScriptedServer.run { text in
      text.hasSuffix("\r\n\r\n") ? [.say(Self.answer("yes"))] : []
    } _: { server, base in
      let address = try PlainAddress(call(base))
      try await withThrowingTaskGroup(of: Int.self) { group in
        for _ in 0..<5 {
          group.addTask(operation: {
            try await connections.use(address) { connection in
              let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/")
              try await connection.send(.head(head), .end(nil))
              let (answer, mayBeReused) = try await PlainAnswer.whole(from: connection)
              return (answer.status, mayBeReused)
            }
          })
        }
        for try await status in group { #expect(status == 200) }
      }
      #expect(server.opened == 1)
    }
  }

  @Test func `an answer that breaks off may belong to a request that was carried out`() async throws
  {
    let broken = "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"
    for steps: [ScriptedServer.Step] in [[.close], [.say(broken), .close]] {
      try await ScriptedServer.run {
        $0.hasSuffix("please") ? steps : []
      } _: { _, base in
        guard case .responseLost = await failure({ _ = try await transport.send(call(base)) })
        else {
          Issue.record("not reported as lost")
          return
        }
      }
    }
  }

  @Test func `a server that says nothing is waited for as long as the call allows`() async throws {
    let (asked, ask) = AsyncStream<Void>.makeStream()
    try await ScriptedServer.run {
      if $0.hasSuffix("please") { ask.yield() }
      return []
    } _: { server, base in
      let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
      let transport = PlainTransport(wait: { call in
        let limits = AnswerWait(call)
        return AnswerWait(
          time: limits.time, wholeTime: limits.wholeTime, now: { clock.withLock { $0 } }
        ) { time in
          #expect(time == .seconds(20))
          for await _ in asked { break }
          clock.withLock { $0 = $0 + time }
        }
      })
      let call = call(base, timeout: .seconds(20))
      guard case .timedOut = await failure({ _ = try await transport.send(call) }) else {
        Issue.record("not reported as late")
        return
      }
      await server.closed()
    }
  }

  @Test func `who cancels has the connection closed`() async throws {
    let (asked, ask) = AsyncStream<Void>.makeStream()
    try await ScriptedServer.run {
      if $0.hasSuffix("please") { ask.yield() }
      return []
    } _: { server, base in
      let call = call(base)
      await #expect(throws: CancellationError.self) {
        _ = try await withThrowingTaskGroup(of: HTTPAnswer.self) { group in
          group.addTask(operation: { try await transport.send(call) })
          for await _ in asked { break }
          group.cancelAll()
          return try await group.next()
        }
      }
      await server.closed()
    }
  }

  @Test func `where nobody listens, the request was not sent`() async throws {
    var address = ""
    try await ScriptedServer.run { _ in
      []
    } _: {
      address = $1
    }
    let base = address
    guard case .connectionFailed = await failure({ _ = try await transport.send(call(base)) })
    else {
      Issue.record("not reported as no connection")
      return
    }
    let socket = "http+unix://%2Ftmp%2Fbrume-no-such-socket"
    guard case .connectionFailed = await failure({ _ = try await transport.send(call(socket)) })
    else {
      Issue.record("not reported as no connection")
      return
    }
  }

  @Test func `an address of https says what the program was built without`() async throws {
    let reason = await failure { _ = try await transport.send(call("https://localhost")) }
    guard case .notConfigured(let text) = reason else {
      Issue.record("\(String(describing: reason))")
      return
    }
    #expect(text.contains("https://localhost") && text.contains(#"traits: ["HTTPS"]"#))
    for base in ["ftp://localhost", "localhost", ""] {
      let reason = await failure { _ = try await transport.send(call(base)) }
      guard case .notConfigured(let text) = reason else {
        Issue.record("\(base): \(String(describing: reason))")
        continue
      }
      #expect(text.contains("'\(base)' is not valid; it must look like http:"))
    }
  }

  @Test func `a body arrives in pieces, and what its taker throws is thrown`() async throws {
    struct Enough: Error {}
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    try await ScriptedServer.run { text in
      text.hasSuffix("\r\n\r\n") ? [.say(head + "3\r\none\r\n3\r\ntwo\r\n")] : []
    } _: { server, base in
      var pieces: [String] = []
      await #expect(throws: Enough.self) {
        _ = try await transport.receive(call(base, method: "GET", body: "")) { piece in
          pieces.append(String(decoding: piece, as: UTF8.self))
          if pieces.count == 2 { throw Enough() }
        }
      }
      #expect(pieces == ["one", "two"])
      await server.closed()
    }
  }

  @Test func `a stream that falls silent is given up, and its connection closed`() async throws {
    let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    let streams = PlainConnections(most: 1, stall: .milliseconds(10))
    let transport = PlainTransport(streams: streams)
    try await ScriptedServer.run { text in
      text.hasSuffix("\r\n\r\n") ? [.say(head)] : []
    } _: { server, base in
      let call = call(base, method: "GET", body: "")
      let reason = await failure { _ = try await transport.receive(call) { _ in } }
      guard case .responseLost = reason else {
        Issue.record("\(String(describing: reason))")
        return
      }
      await server.closed()
    }
  }

  @Test func `a file is sent with its length, and an early answer is its answer`() async throws {
    let file = FileManager.default.temporaryDirectory.appending(path: "plain-\(UUID().uuidString)")
    try Data(repeating: 0x61, count: 600_000).write(to: file)
    defer { try? FileManager.default.removeItem(at: file) }
    let outgoing = try OutgoingFile(file)
    try await ScriptedServer.run { text in
      let body = text.split(separator: "\r\n\r\n", maxSplits: 1).dropFirst().first ?? ""
      let isWhole = text.contains("content-length: 600000\r\n") && body.utf8.count == 600_000
      return isWhole ? [.say(Self.answer("got it"))] : []
    } _: { _, base in
      var counts: [Int64] = []
      let answer = try await transport.upload(call(base, body: ""), outgoing) { counts.append($0) }
      #expect(answer.body == Array("got it".utf8))
      #expect(counts == (1...18).map { $0 * 32_768 } + [600_000])
    }
    try await ScriptedServer.run { _ in
      [.say("HTTP/1.1 413 Too Large\r\nConnection: close\r\nContent-Length: 0\r\n\r\n"), .close]
    } _: { _, base in
      // The end of the connection may arrive before the answer, which is then lost.
      let answer = try? await transport.upload(call(base, body: ""), outgoing) { _ in }
      #expect(answer == nil || answer?.status == 413)
    }
  }
}
