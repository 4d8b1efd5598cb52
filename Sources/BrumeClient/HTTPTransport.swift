// The transport of programs: AsyncHTTPClient, with connections kept open between requests. Streams
// have a client of their own, so that many waiting devices never keep a request from its turn.

#if HTTPS
  import AsyncHTTPClient
  import Foundation
  import NIOCore
  import NIOHTTP1
  import NIOPosix
  import NIOSSL

  /// Sends over connections that all sessions of the program share.
  package struct HTTPTransport: Transport {
    /// Ours: an answer of 200 records of 1 MB is the largest that makes sense.
    static let answerBytes = 256 << 20
    private static let requests = client(connections: 32)
    private static let streams = client(connections: 10_000)
    /// For files: a transfer that does not move for a minute is given up.
    static let files = client(connections: 8, stall: .seconds(60))

    package init() {}

    private static func client(connections: Int, stall: TimeAmount? = nil) -> HTTPClient {
      var configuration = HTTPClient.Configuration()
      configuration.timeout.connect = .seconds(10)
      configuration.timeout.read = stall
      configuration.timeout.write = stall
      // A refused connection is an answer; whether to try again is `Retry`'s to decide.
      configuration.connectionPool.retryConnectionEstablishment = false
      configuration.redirectConfiguration = .disallow
      configuration.httpVersion = .http1Only
      configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = connections
      return HTTPClient(
        eventLoopGroup: HTTPClient.defaultEventLoopGroup, configuration: configuration)
    }

    package func send(_ call: HTTPCall) async throws -> HTTPAnswer {
      var request = request(call)
      let body = SentBody(call.body)
      if !call.body.isEmpty { request.body = .bytes(body) }
      do {
        let response = try await Self.requests.execute(request, timeout: call.timeAmount)
        return try await answer(response)
      } catch {
        throw Self.failure(error, call, mayBeTaken: call.body.isEmpty || body.isBegun)
      }
    }

    package func receive(
      _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      try await receive(call, through: Self.streams, take)
    }

    /// Hands over a success piece by piece, however long it takes: a deadline would cut a stream, whose
    /// dead server shows as a missing heartbeat, and a file that still moves.
    func receive(
      _ call: HTTPCall, through client: HTTPClient,
      _ take: (ArraySlice<UInt8>) async throws -> Void
    ) async throws -> HTTPAnswer? {
      let response: HTTPClientResponse
      do {
        response = try await client.execute(request(call), deadline: .distantFuture)
        guard response.status == .ok else { return try await answer(response) }
      } catch {
        throw Self.failure(error, call)
      }
      var parts = response.body.makeAsyncIterator()
      while true {
        let part: ByteBuffer?
        do { part = try await parts.next() } catch { throw Self.failure(error, call) }
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

    func answer(_ response: HTTPClientResponse) async throws -> HTTPAnswer {
      let body = try await response.body.collect(upTo: Self.answerBytes)
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
      if error is CancellationError { return error }
      let place = "\(call.base): \(error)"
      switch error {
      case let error as HTTPClientError: return failure(error, call, place, mayBeTaken)
      case let error as IOError where error.isOfConnecting:
        return CallFailure.connectionFailed("cannot connect to \(place); is the server running?")
      case let error as IOError where error.isWithoutNetwork:
        return CallFailure.unreachable("no network leads to \(place)")
      case let error as NIOConnectionError:
        return error.connectionErrors.isEmpty
          ? CallFailure.unreachable("cannot find \(place)")
          : CallFailure.connectionFailed("cannot connect to \(place); is the server running?")
      default: return broken(place, mayBeTaken)
      }
    }

    private static func broken(_ place: String, _ mayBeTaken: Bool) -> CallFailure {
      mayBeTaken
        ? .responseLost("the answer of \(place) did not arrive")
        : .notTaken("the connection to \(place) ended before the request was sent")
    }

    private static func failure(
      _ error: HTTPClientError, _ call: HTTPCall, _ place: String, _ mayBeTaken: Bool
    ) -> any Error {
      switch error {
      case .cancelled: CancellationError()
      case .invalidURL, .emptyHost, .emptyScheme:
        CallFailure.notConfigured("the server's address \(call.base) is not valid")
      case .connectTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout:
        CallFailure.connectionFailed("cannot connect to \(place)")
      // The caller's time is used up: no further attempt.
      case .deadlineExceeded where !mayBeTaken:
        CallFailure.connectionFailed("the request could not be sent in time to \(place)")
      default: broken(place, mayBeTaken)
      }
    }
  }

  extension HTTPCall {
    fileprivate var timeAmount: TimeAmount {
      let (seconds, attoseconds) = timeout.components
      return .seconds(min(seconds, 1 << 32)) + .nanoseconds(attoseconds / 1_000_000_000)
    }
  }

  /// What an address without a name to look up fails with.
  extension IOError {
    fileprivate var isOfConnecting: Bool {
      [ECONNREFUSED, EHOSTUNREACH, EADDRNOTAVAIL].contains(errnoCode)
    }
    fileprivate var isWithoutNetwork: Bool { [ENETUNREACH, ENETDOWN].contains(errnoCode) }
  }
#endif
