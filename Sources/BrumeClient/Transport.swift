// What carries requests: the only access to the network. AsyncHTTPClient in programs, SwiftNIO in those that are built
// without HTTPS, the server in the same process in tests.

#if HTTPS
  /// What programs speak.
  package typealias ProgramTransport = HTTPTransport
#else
  /// What programs speak: HTTP without TLS.
  package typealias ProgramTransport = PlainTransport
#endif

/// A request, ready to be sent.
package struct HTTPCall: Equatable, Sendable {
  /// Whom a call by https believes.
  package enum Trust: Equatable, Sendable {
    /// Servers whose certificate leads to a root of the system, or of this PEM file.
    case roots(andOf: String?)
    /// Whoever answers. For the server of a data folder on this machine: which process that is, its owner knows
    /// as well as with plain HTTP, and its certificate has the name that others call it by.
    case anybody

    /// The PEM file, if one is named.
    package var file: String? {
      switch self {
      case .roots(let file): file
      case .anybody: nil
      }
    }
  }
  /// A header field.
  package struct Header: Equatable, Sendable {
    package var name: String
    package var value: String
    package init(_ name: String, _ value: String) {
      self.name = name
      self.value = value
    }
  }
  package var method: String
  /// Scheme, host and port.
  package var base: String
  /// Path and query, percent-encoded.
  package var target: String
  package var headers: [Header]
  package var body: [UInt8]
  /// The longest wait for anything of the answer, and for the next piece of a file to go.
  package var timeout: Duration
  /// The longest time for the whole of it.
  package var wholeTimeout: Duration
  package var trust: Trust

  package init(
    method: String, base: String, target: String, headers: [Header] = [], body: [UInt8] = [],
    timeout: Duration, wholeTimeout: Duration = RequestTimeout.longestWhole,
    trust: Trust = .roots(andOf: nil)
  ) {
    self.trust = trust
    self.method = method
    self.base = base
    self.target = target
    self.headers = headers
    self.body = body
    self.timeout = timeout
    self.wholeTimeout = wholeTimeout
  }
}

extension HTTPCall {
  /// Ours: an event stream that brings nothing for so long is dead. Servers write something every 15 seconds.
  static let streamStallSeconds: Int64 = 90

  /// Throws if an event stream was asked for and the success has content of another type: it is somebody else's, such as
  /// the sign-in page of a network.
  func check(contentType: String?) throws(CallFailure) {
    let wanted = "text/event-stream"
    guard headers.contains(Header("Accept", wanted)) else { return }
    if let contentType, contentType.lowercased().hasPrefix(wanted) { return }
    throw .malformedAnswer(
      "\(base) answers with '\(contentType ?? "")' in place of \(wanted); sign in to the network, "
        + "or have the proxy pass /_brume/stream on")
  }
}

/// An answer that has arrived.
package struct HTTPAnswer: Equatable, Sendable {
  package var status: Int
  package var headers: [HTTPCall.Header]
  package var body: [UInt8]

  package init(status: Int, headers: [HTTPCall.Header] = [], body: [UInt8]) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The first header of a name, whatever its case.
  package func header(_ name: String) -> String? {
    headers.first { $0.name.lowercased() == name.lowercased() }?.value
  }
}

/// A way to a server. Every call throws `CallFailure` or `CancellationError`, and what its closures throw.
package protocol Transport: Sendable {
  /// Sends a request and reads the whole answer. It throws `CallFailure` or `CancellationError`.
  func send(_ call: HTTPCall) async throws -> HTTPAnswer

  /// Sends a request and hands over the answer's body as it arrives. It returns the whole answer
  /// instead if it is no success; returns nil when the body ended.
  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer?

  /// Sends a file as the body. `progress` is called with the number of bytes sent. It throws as `send`, and an
  /// `OutgoingFile.Failure` if the file changes.
  func upload(
    _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
  ) async throws -> HTTPAnswer

  /// As `receive`, for the content of a file, which has an end.
  func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer?
}
