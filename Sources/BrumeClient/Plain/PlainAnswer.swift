// Answers, read part by part.

import NIOCore
import NIOHTTP1

enum PlainAnswer {
  static func head(from connection: PlainConnection) async throws -> HTTPResponseHead {
    guard case .head(let head)? = try await connection.next() else { throw PlainFailure.endedEarly }
    return head
  }

  /// The next piece of a body; nil at its end.
  static func body(from connection: PlainConnection) async throws -> ByteBuffer? {
    switch try await connection.next() {
    case .body(let piece): piece
    case .end: nil
    case .head, nil: throw PlainFailure.endedEarly
    }
  }

  /// The answer, and whether the connection may carry another request.
  static func whole(
    from connection: PlainConnection, noting parts: AnswerWait.Parts? = nil
  ) async throws -> (answer: HTTPAnswer, mayBeReused: Bool) {
    let head = try await head(from: connection)
    parts?.note()
    return try await whole(from: connection, after: head, noting: parts)
  }

  /// The same, from the body on.
  static func whole(
    from connection: PlainConnection, after head: HTTPResponseHead,
    noting parts: AnswerWait.Parts?
  ) async throws -> (answer: HTTPAnswer, mayBeReused: Bool) {
    var bytes: [UInt8] = []
    while let piece = try await body(from: connection) {
      parts?.note()
      guard bytes.count + piece.readableBytes <= PlainTransport.answerBytes else {
        throw PlainFailure.answerTooLarge
      }
      bytes += piece.readableBytesView
    }
    let headers = head.headers.map { HTTPCall.Header($0.name, $0.value) }
    let answer = HTTPAnswer(status: Int(head.status.code), headers: headers, body: bytes)
    return (answer, head.isKeepAlive)
  }
}
