// The transport of programs that are built without the trait HTTPS: HTTP/1.1 over SwiftNIO, to servers on this machine
// or behind something that speaks TLS. Streams have connections of their own, so that many waiting devices never keep a
// request from its turn. Decision 0054.

import NIOCore
import NIOHTTP1
import NIOPosix

/// Sends over connections that all sessions of the program share.
package struct PlainTransport: Transport {
  /// Ours: an answer of 200 records of 1 MB is the largest that makes sense.
  static let answerBytes = 256 << 20
  private static let requests = PlainConnections(most: 32)
  static let streams = PlainConnections(
    most: 10_000, stall: .seconds(HTTPCall.streamStallSeconds))
  private static let files = PlainConnections(most: 8)

  private let streams: PlainConnections
  private let wait: @Sendable (HTTPCall) -> AnswerWait

  package init() { self.init(streams: Self.streams) }

  /// - Parameters:
  ///   - streams: the connections of streams.
  ///   - wait: the wait of a call that is no stream.
  init(
    streams: PlainConnections = Self.streams,
    wait: @escaping @Sendable (HTTPCall) -> AnswerWait = { AnswerWait($0) }
  ) {
    self.streams = streams
    self.wait = wait
  }

  package func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    let sent = SentState()
    do {
      let address = try PlainAddress(call)
      let answer = try await wait(call).whole { parts in
        try await Self.requests.use(address) { connection in
          try await write(call, to: connection, address, sent)
          return try await PlainAnswer.whole(from: connection, noting: parts)
        }
      }
      guard let answer else { throw PlainFailure.outOfTime }
      return answer
    } catch {
      throw PlainFailure.reported(error, call, mayBeTaken: sent.mayBeTaken)
    }
  }

  package func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    try await receive(call, through: streams, take)
  }

  package func download(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    try await receive(call, through: Self.files, within: PartWait(wait(call)), take)
  }

  package func upload(
    _ call: HTTPCall, _ file: OutgoingFile, progress: (Int64) async -> Void
  ) async throws -> HTTPAnswer {
    try await reporting(progress) { sent in
      do {
        let address = try PlainAddress(call)
        // Who waits for others' files has not begun.
        return try await Self.files.use(address) { connection in
          let answer = try await wait(call).whole { parts in
            try await exchange(call, file, on: connection, to: address, noting: parts, sent)
          }
          guard let answer else { throw PlainFailure.outOfTime }
          return answer
        }
      } catch let failure as OutgoingFile.Failure {
        throw failure
      } catch {
        throw PlainFailure.reported(error, call)
      }
    }
  }

  private func exchange(
    _ call: HTTPCall, _ file: OutgoingFile, on connection: PlainConnection,
    to address: PlainAddress,
    noting parts: AnswerWait.Parts, _ sent: @escaping @Sendable (Int64) -> Void
  ) async throws -> (answer: HTTPAnswer, mayBeReused: Bool) {
    var head = head(of: call, address)
    head.headers.add(name: "content-length", value: "\(file.state.size)")
    try await connection.send(.head(head))
    // What a server says before it has all, such as that the file is too large, is its answer.
    do { try await send(file, on: connection, noting: parts, sent) } catch let error
      where error is ChannelError || error is IOError
    {
      guard let early = try? await PlainAnswer.whole(from: connection, noting: parts) else {
        throw error
      }
      return (early.answer, false)
    }
    return try await PlainAnswer.whole(from: connection, noting: parts)
  }

  private func send(
    _ file: OutgoingFile, on connection: PlainConnection, noting parts: AnswerWait.Parts,
    _ sent: (Int64) -> Void
  ) async throws {
    var offset: Int64 = 0
    while case let piece = try file.piece(at: offset), !piece.isEmpty {
      try await connection.send(.body(.byteBuffer(ByteBuffer(bytes: piece))))
      offset += Int64(piece.count)
      parts.note()
      sent(offset)
    }
    try await connection.send(.end(nil))
  }

  /// Hands over a success piece by piece.
  ///
  /// - Parameter wait: nil for a stream, which may be alive for as long as it likes.
  private func receive(
    _ call: HTTPCall, through connections: PlainConnections, within wait: PartWait? = nil,
    _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    // What the taker throws is the caller's, and goes through as it is.
    var refusal: (any Error)?
    do {
      let address = try PlainAddress(call)
      return try await connections.use(address) { connection in
        try await write(call, to: connection, address, SentState())
        let late = PlainFailure.outOfTime
        let head = try await wait.next(orThrow: late) {
          try await PlainAnswer.head(from: connection)
        }
        guard head.status == .ok else {
          let refused = try await AnswerWait(call).whole {
            try await PlainAnswer.whole(from: connection, after: head, noting: $0)
          }
          guard let refused else { throw PlainFailure.outOfTime }
          return (refused.answer, refused.mayBeReused)
        }
        try call.check(contentType: head.headers.first(name: "content-type"))
        func body() async throws -> ByteBuffer? {
          try await wait.next(orThrow: late) { try await PlainAnswer.body(from: connection) }
        }
        while let piece = try await body() {
          do { try await take(ArraySlice(piece.readableBytesView)) } catch {
            refusal = error
            throw error
          }
        }
        return (nil, head.isKeepAlive)
      }
    } catch {
      throw refusal ?? PlainFailure.reported(error, call)
    }
  }
}

// MARK: Requests

extension PlainTransport {
  private func head(of call: HTTPCall, _ address: PlainAddress) -> HTTPRequestHead {
    var headers = HTTPHeaders([("host", address.authority)])
    for header in call.headers { headers.add(name: header.name, value: header.value) }
    return HTTPRequestHead(
      version: .http1_1, method: .RAW(value: call.method), uri: call.target, headers: headers)
  }

  private func write(
    _ call: HTTPCall, to connection: PlainConnection, _ address: PlainAddress, _ sent: SentState
  ) async throws {
    var head = head(of: call, address)
    guard !call.body.isEmpty else {
      if call.method != "GET" { head.headers.add(name: "content-length", value: "0") }
      sent.begin()
      return try await connection.send(.head(head), .end(nil))
    }
    head.headers.add(name: "content-length", value: "\(call.body.count)")
    // Until its body begins, no server can have the whole request.
    try await connection.send(.head(head))
    sent.begin()
    try await connection.send(.body(.byteBuffer(ByteBuffer(bytes: call.body))), .end(nil))
  }
}
