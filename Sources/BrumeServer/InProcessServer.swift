// The server without a socket, for tests of clients in the same process: a request goes through the
// same router, middleware and handlers as one that came over the network.

import BrumeModel
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// Requests to a server in the same process.
package struct InProcessServer: Sendable {
  /// A header field of a request or of an answer.
  package typealias Header = (name: String, value: String)

  /// A whole answer.
  package struct Answer: Sendable {
    package let status: Int
    package let headers: [Header]
    package let body: [UInt8]
    /// The `CKError` number of a connection that a fault broke.
    package var brokenConnection: (ckError: Int, retryAfter: Double?)? {
      guard let number = value(of: "X-Brume-Fault").flatMap({ Int($0) }) else { return nil }
      return (number, value(of: "Retry-After").flatMap { Double($0) })
    }
    /// The first header of this name, whatever the case of its letters.
    package func value(of name: String) -> String? {
      headers.first { $0.name.lowercased() == name.lowercased() }?.value
    }
  }

  private let responder: RouterResponder<RequestState>
  private let logger: Logger

  /// From now on the server says that it is ready.
  package init(_ server: Composition) {
    responder = RouteTable.router(for: server).buildResponder()
    logger = server.logger
    server.health.serving(true)
  }

  /// Answers a request as a whole.
  ///
  /// - Throws: what a handler's stream throws; an error of the rules is an answer.
  package func send(
    method: String, target: String, headers: [Header], body: [UInt8]
  ) async throws -> Answer {
    try await Self.whole(respond(method, target, headers, body))
  }

  /// Hands over the body of a success as it is written. It returns anything else as a whole.
  ///
  /// - Throws: what `take` throws; `CancellationError`.
  package func receive(
    method: String, target: String, headers: [Header],
    _ take: @escaping @Sendable (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> Answer? {
    let response = try await respond(method, target, headers, [])
    guard response.status == .ok else { return try await Self.whole(response) }
    try await response.body.write(ForwardingWriter(take: take))
    return nil
  }

  /// What a fault broke has no body.
  private static func whole(_ response: Response) async throws -> Answer {
    let collected = Collected()
    if response.headers[.fault] == nil {
      try await response.body.write(CollectingWriter(collected: collected))
    }
    return Answer(
      status: response.status.code,
      headers: response.headers.map { ($0.name.rawName, $0.value) }, body: collected.bytes)
  }

  private func respond(
    _ method: String, _ target: String, _ headers: [Header], _ body: [UInt8]
  ) async throws -> Response {
    var fields = HTTPFields()
    for header in headers {
      guard let name = HTTPField.Name(header.name) else { continue }
      fields.append(HTTPField(name: name, value: header.value))
    }
    fields[.contentLength] = String(body.count)
    let head = HTTPRequest(
      method: HTTPRequest.Method(method) ?? .get, scheme: "http", authority: "localhost",
      path: target, headerFields: fields)
    let request = Request(head: head, body: RequestBody(buffer: ByteBuffer(bytes: body)))
    return try await responder.respond(
      to: request, context: RequestState(core: .init(source: Source(logger: logger))))
  }

  private struct Source: RequestContextSource {
    let logger: Logger
  }
}

/// The bytes of one answer, which one task writes.
// Sendable because only the task that waits for the answer touches it.
private final class Collected: @unchecked Sendable {
  var bytes: [UInt8] = []
}

private struct CollectingWriter: ResponseBodyWriter {
  let collected: Collected
  mutating func write(_ buffer: ByteBuffer) async throws {
    collected.bytes += buffer.readableBytesView
  }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}

private struct ForwardingWriter: ResponseBodyWriter, Sendable {
  let take: @Sendable (ArraySlice<UInt8>) async throws -> Void
  mutating func write(_ buffer: ByteBuffer) async throws {
    try await take(ArraySlice(buffer.readableBytesView))
  }
  consuming func finish(_ trailingHeaders: HTTPFields?) async throws {}
}
