// What a broken connection proves about the request.

#if HTTPS
  import AsyncHTTPClient
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

    @Test func `a request whose time is up before it is sent is not sent again`() {
      let error = HTTPClientError.deadlineExceeded
      let failure = HTTPTransport.failure(error, call, mayBeTaken: false) as? CallFailure
      guard case .connectionFailed = failure else {
        Issue.record("\(String(describing: failure))")
        return
      }
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
