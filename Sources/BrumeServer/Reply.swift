// What handlers give back, and the response that becomes of it.

package import BrumeWire
package import HTTPTypes
package import Hummingbird
import NIOCore

/// What a handler answers.
package struct Reply: Sendable {
  /// What is sent after the head.
  package enum Body: Sendable {
    case bytes([UInt8])
    /// One after the other.
    case pieces([[UInt8]])
    /// Written piece by piece until the closure returns.
    case stream(@concurrent @Sendable (inout any ResponseBodyWriter) async throws -> Void)

    /// How many there are; 0 if they are made while they are written.
    package var count: Int {
      switch self {
      case .bytes(let bytes): bytes.count
      case .pieces(let pieces): pieces.reduce(0) { $0 + $1.count }
      case .stream: 0
      }
    }
  }
  package var status: HTTPResponse.Status = .ok
  package var contentType = "application/json"
  package var headers: HTTPFields = [:]
  package var body: Body
  /// How much of a stream is in memory at once, where that is counted.
  package var streamed = 0

  /// JSON that is written already.
  package static func json(_ bytes: [UInt8]) -> Reply { Reply(body: .bytes(bytes)) }
  /// JSON, status 200.
  package static func json(_ json: JSON) -> Reply { Reply(body: .bytes(json.bytes())) }
  /// A file of a page of ours.
  ///
  /// - Parameters:
  ///   - policy: what the page may load and run.
  ///   - caching: how long browsers keep it.
  static func page(
    _ bytes: [UInt8], _ type: String, policy: String, caching: String
  ) -> Reply {
    let headers: HTTPFields = [
      .contentSecurityPolicy: policy, .xContentTypeOptions: "nosniff",
      .referrerPolicy: "no-referrer", .cacheControl: caching,
    ]
    return Reply(contentType: type, headers: headers, body: .bytes(bytes))
  }

  /// The same for one that stands in nobody's frame.
  static func unframed(
    _ bytes: [UInt8], _ type: String, policy: String, caching: String
  ) -> Reply {
    var reply = page(bytes, type, policy: policy, caching: caching)
    reply.headers[.frameOptions] = "DENY"
    return reply
  }

  /// `{}`: done, and nothing to say.
  package static let empty = Reply.json(Array("{}".utf8))

  /// The same for Hummingbird.
  package var response: Response {
    switch body {
    case .bytes(let bytes): made(ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    case .pieces(let pieces): made(ResponseBody(byteBuffer: Self.joined(pieces)))
    case .stream(let write): made(ResponseBody(write))
    }
  }

  private static func joined(_ pieces: [[UInt8]]) -> ByteBuffer {
    var buffer = ByteBuffer()
    buffer.reserveCapacity(Body.pieces(pieces).count)
    for piece in pieces { buffer.writeBytes(piece) }
    return buffer
  }

  /// The same, where a large answer counts as memory until it is written, or has left. There is no second copy of it, and
  /// none at all of one that is refused.
  ///
  /// - Parameters:
  ///   - bytes: from how many on it is large.
  ///   - memory: what is free for it.
  ///   - isWatched: whether somebody else gives that back, when the answer has left.
  /// - Throws: `RefusedRequest` if there is no room for it.
  package func response(
    largeFrom bytes: Int, in memory: @autoclosure () -> HeldBytes.Share, isWatched: Bool = false
  ) throws -> Response {
    let pieces: [[UInt8]]
    switch body {
    case .bytes(let whole): pieces = [whole]
    case .pieces(let all): pieces = all
    case .stream: return response
    }
    let count = body.count
    guard count >= bytes else { return response }
    let share = memory()
    try share.fit(count)
    return made(
      .held(pieces, count: count, part: bytes) { if !isWatched { share.giveBack() } })
  }

  private func made(_ body: ResponseBody) -> Response {
    var headers = headers
    headers[.contentType] = contentType
    return Response(status: status, headers: headers, body: body)
  }
}

extension ResponseBody {
  /// Bytes that are written as fast as the client reads, and counted until then: a connection takes the next part
  /// when the one before has left.
  fileprivate static func held(
    _ pieces: [[UInt8]], count: Int, part size: Int, written: @escaping @Sendable () -> Void
  ) -> ResponseBody {
    ResponseBody(contentLength: count) { writer in
      defer { written() }
      var part = ByteBuffer()
      for piece in pieces {
        var rest = piece[...]
        while !rest.isEmpty {
          let next = rest.prefix(size - part.readableBytes)
          part.writeBytes(next)
          rest = rest.dropFirst(next.count)
          guard part.readableBytes == size else { continue }
          try await writer.write(part)
          part = ByteBuffer()
        }
      }
      if part.readableBytes > 0 { try await writer.write(part) }
      try await writer.finish(nil)
    }
  }
}
