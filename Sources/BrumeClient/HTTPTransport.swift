// The transport of programs: AsyncHTTPClient, with connections kept open between requests. Streams
// have a client of their own, so that many waiting devices never keep a request from its turn.

#if HTTPS
  import AsyncHTTPClient
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOSSL

  /// Sends over connections that all sessions of the program share.
  package struct HTTPTransport: Transport {
    /// Ours: an answer of 200 records of 1 MB is the largest that makes sense.
    static let answerBytes = 256 << 20
    private static let requests = client(settings(connections: 32))
    static let streamSettings = settings(
      connections: 10_000, stall: .seconds(HTTPCall.streamStallSeconds))
    private static let streams = client(streamSettings)
    static let files = client(settings(connections: 8))

    package init() {}

    private static func client(_ settings: HTTPClient.Configuration) -> HTTPClient {
      HTTPClient(eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: settings)
    }

    private static func settings(
      connections: Int, stall: TimeAmount? = nil
    ) -> HTTPClient.Configuration {
      var configuration = HTTPClient.Configuration()
      configuration.timeout.connect = .seconds(10)
      configuration.timeout.read = stall
      configuration.timeout.write = stall
      // A refused connection is an answer; whether to try again is `Retry`'s to decide.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.redirectConfiguration = .disallow
      configuration.httpVersion = .http1Only
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
      return configuration
    }

    package func send(_ call: HTTPCall) async throws -> HTTPAnswer {
      let body = SentBody(call.body)
      do {
        return try await AnswerWait(call).answer(by: Self.requests) { _ in
          var request = request(call)
          if !call.body.isEmpty { request.body = .bytes(body) }
          return request
        }
      } catch {
        throw Self.failure(error, call, mayBeTaken: call.body.isEmpty || body.isBegun)
      }
    }

    package func receive(
      _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      try await receive(call, through: Self.streams, take)
    }

    /// Hands over a success piece by piece.
    ///
    /// - Parameter wait: nil for a stream, which may be alive for as long as it likes.
    func receive(
      _ call: HTTPCall, through client: HTTPClient, within wait: PartWait? = nil,
      _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      let response: HTTPClientResponse
      let late = HTTPClientError.deadlineExceeded
      do {
        response = try await wait.next(orThrow: late) {
          try await client.execute(request(call), deadline: .distantFuture)
        }
        guard response.status == .ok else {
          return try await AnswerWait(call).answer { try await Self.answer(response, noting: $0) }
        }
        try call.check(contentType: response.headers.first(name: "content-type"))
      } catch {
        throw Self.failure(error, call)
      }
      let parts = BodyParts(response.body)
      while true {
        let part: ByteBuffer?
        do {
          part = try await wait.next(orThrow: late) { try await parts.next() }
        } catch { throw Self.failure(error, call) }
        guard let part else { return nil }
        try await take(ArraySlice(part.readableBytesView))
      }
    }

    func request(_ call: HTTPCall) -> HTTPClientRequest {
      var request = HTTPClientRequest(url: call.base + call.target)
      request.method = .RAW(value: call.method)
      for header in call.headers { request.headers.add(name: header.name, value: header.value) }
      // The address of a Unix socket has no name in it.
      if call.base.hasPrefix("http+unix:") { request.headers.add(name: "Host", value: "localhost") }
      if !call.body.isEmpty { request.body = .bytes(call.body) }
      request.tlsConfiguration = tls(call.trust)
      return request
    }

    /// Nil: the library's own, which trusts the system's roots.
    private func tls(_ trust: HTTPCall.Trust) -> TLSConfiguration? {
      var configuration = TLSConfiguration.makeClientConfiguration()
      switch trust {
      case .roots(andOf: nil): return nil
      case .roots(andOf: .some(let file)): configuration.additionalTrustRoots = [.file(file)]
      case .anybody: configuration.certificateVerification = .none
      }
      return configuration
    }

    fileprivate static func answer(
      _ response: HTTPClientResponse, noting parts: AnswerWait.Parts
    ) async throws -> HTTPAnswer {
      let pieces = response.body.map { piece in
        parts.note()
        return piece
      }
      let body = try await pieces.collect(upTo: answerBytes)
      return HTTPAnswer(
        status: Int(response.status.code),
        headers: response.headers.map { HTTPCall.Header($0.name, $0.value) },
        body: Array(body.readableBytesView))
    }

    /// Distinguishes "never sent" from "sent, and nobody knows what became of it".
    ///
    /// - Parameter mayBeTaken: false if it is certain that the server has not got the whole request.
    static func failure(
      _ error: any Error, _ call: HTTPCall, mayBeTaken: Bool = true
    ) -> any Error {
      if error is CancellationError || error is CallFailure { return error }
      switch error as? HTTPClientError {
      case .cancelled: return CancellationError()
      case .invalidURL, .emptyHost, .emptyScheme: return CallFailure.invalidAddress(call)
      case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
        return CallFailure.notConnected(error, call)
      case .deadlineExceeded:
        return mayBeTaken
          ? CallFailure.notAnsweredInTime(error, call) : CallFailure.notSentInTime(error, call)
      default: return CallFailure(of: error, call, mayBeTaken: mayBeTaken)
      }
    }
  }

  /// The parts of a body.
  // Sendable because one is asked for at a time.
  private final class BodyParts: @unchecked Sendable {
    private var parts: HTTPClientResponse.Body.AsyncIterator

    init(_ body: HTTPClientResponse.Body) { parts = body.makeAsyncIterator() }

    func next() async throws -> ByteBuffer? { try await parts.next() }
  }

  extension AnswerWait {
    /// The library's own time would end with the head.
    ///
    /// - Parameter request: makes the request, which may note the parts of its own body.
    func answer(
      by client: HTTPClient, to request: @escaping @Sendable (Parts) -> HTTPClientRequest
    ) async throws -> HTTPAnswer {
      try await answer { parts in
        let request = request(parts)
        let response = try await client.execute(request, deadline: .distantFuture)
        parts.note()
        return try await HTTPTransport.answer(response, noting: parts)
      }
    }

    fileprivate func answer(
      _ body: @escaping @Sendable (Parts) async throws -> HTTPAnswer
    ) async throws -> HTTPAnswer {
      guard let answer = try await whole(body) else { throw HTTPClientError.deadlineExceeded }
      return answer
    }
  }
#endif
