// What a broken connection proves about the request.

#if HTTPS
  import AsyncHTTPClient
  import Foundation
  import NIOCore
  import Testing

  @testable import BrumeClient

  struct HTTPTransportTests {
    private let call = HTTPCall(
      method: "POST", base: "http://server", target: "/", headers: [], body: [1], timeout: .zero)
    private static let breaks: [any Error & Sendable] = [
      HTTPClientError.remoteConnectionClosed, IOError(errnoCode: 104, reason: "reset"),
      ChannelError.ioOnClosedChannel,
    ]

    @Test(arguments: breaks)
    func `a connection that ends before the body is asked for took nothing in`(
      error: any Error & Sendable
    ) {
      let failure = HTTPTransport.failure(error, call, mayBeTaken: false) as? CallFailure
      guard case .notTaken = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }

    @Test(arguments: breaks)
    func `a connection that ends later may have taken everything in`(error: any Error & Sendable) {
      let failure = HTTPTransport.failure(error, call, mayBeTaken: true) as? CallFailure
      guard case .responseLost = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }

    @Test func `a request whose time is up when it was sent may have been taken in`() {
      let error = HTTPClientError.deadlineExceeded
      let failure = HTTPTransport.failure(error, call, mayBeTaken: true) as? CallFailure
      guard case .timedOut = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }

    @Test func `a request whose time is up before it is sent is not sent again`() {
      let error = HTTPClientError.deadlineExceeded
      let failure = HTTPTransport.failure(error, call, mayBeTaken: false) as? CallFailure
      guard case .connectionFailed = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
    }

    @Test(
      arguments: [
        IOError(errnoCode: ECONNREFUSED, reason: "refused"),
        // A Unix socket that is not there.
        IOError(errnoCode: ENOENT, reason: "missing"),
        IOError(errnoCode: ENETUNREACH, reason: "away"), ChannelError.ioOnClosedChannel,
      ] as [any Error & Sendable], [true, false])
    func `the same failure is the same in both transports`(
      error: any Error & Sendable, mayBeTaken: Bool
    ) {
      let one = HTTPTransport.failure(error, call, mayBeTaken: mayBeTaken) as? CallFailure
      let other = PlainFailure.reported(error, call, mayBeTaken: mayBeTaken) as? CallFailure
      #expect(one == other && one != nil)
    }

    @Test func `a Unix socket that is not there is no lost answer`() async {
      let call = HTTPCall(
        method: "GET", base: "http+unix://%2Fnever%2Fthere", target: "/", timeout: .seconds(60))
      for transport in [HTTPTransport(), PlainTransport()] as [any Transport] {
        let failure = await #expect(throws: CallFailure.self) { _ = try await transport.send(call) }
        guard case .connectionFailed = failure else {
          Issue.record("\(String(describing: failure))")
          continue
        }
      }
    }

    @Test(arguments: [
      ("text/html", false), ("text/event-stream", true), ("text/event-stream; charset=utf-8", true),
    ])
    func `only an event stream is taken for one`(type: String, isTaken: Bool) async throws {
      let words =
        "HTTP/1.1 200 OK\r\nContent-Type: \(type)\r\nContent-Length: 3\r\nConnection: close\r\n\r\n:a\n"
      try await ScriptedServer.run { text in
        text.hasSuffix("\r\n\r\n") ? [.say(words), .close] : []
      } _: { _, base in
        let call = HTTPCall(
          method: "GET", base: base, target: "/", headers: [.init("Accept", "text/event-stream")],
          timeout: .seconds(60))
        for transport in [HTTPTransport(), PlainTransport()] as [any Transport] {
          var failure: CallFailure?
          var taken = ""
          do {
            _ = try await transport.receive(call) { taken += String(decoding: $0, as: UTF8.self) }
          } catch { failure = error as? CallFailure }
          #expect(taken == (isTaken ? ":a\n" : ""))
          let isMalformed = if case .malformedAnswer = failure { true } else { false }
          #expect(isMalformed == !isTaken && (failure == nil) == isTaken)
        }
      }
    }

    @Test func `a stream that brings nothing is given up in both transports`() {
      #expect(HTTPTransport.streamSettings.timeout.read == .seconds(90))
      #expect(PlainTransport.streams.stall == .seconds(90))
    }

    @Test func `a body begins with its first byte, not with its length`() {
      let body = SentBody([1, 2, 3])
      let request = HTTPClientRequest.Body.bytes(body)
      #expect(body.count == 3)
      #expect(!body.isBegun)
      #expect(ByteBuffer(bytes: body) == ByteBuffer(bytes: [1, 2, 3]))
      #expect(body.isBegun)
      withExtendedLifetime(request) {}
    }
  }
#endif
