// Answers that nobody reads: how much of them is in memory at once.

import BrumeModel
import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(10))) struct AnswerMemoryTests {
  @Test func `an answer for which there is no memory is 503, and others of the address are not`()
    async throws
  {
    try await HeldServer.live {
      $0.limits.largeAnswerBytes = 200
      $0.limits.answerBytesAtOncePerAddress = 1000
    } _: { server in
      func look(for count: Int) async throws -> String {
        let zones = (0..<count).map { #"{"zoneID":{"zoneName":"zone-\#($0)"}}"# }
        return try await server.answer(
          server.post("zones/lookup", #"{"zones":[\#(zones.joined(separator: ","))]}"#))
      }
      let refused = try await look(for: 20)
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused)")
      #expect(refused.contains("ask for less at once"))
      #expect(refused.lowercased().contains("retry-after: 1"))
      for _ in 0..<5 {
        #expect(try await look(for: 3).hasPrefix("HTTP/1.1 200 "))
        // The client has the last byte before the server knows that it has left.
        while server.fixture.server.answerMemory.held > 0 { await Task.yield() }
      }
    }
  }

  /// However it was made: at once, or of pieces.
  @Test(arguments: [[700], [299, 1, 0, 350, 50], [1, 699]])
  func `an answer counts until it is written, and is written in parts`(cuts: [Int]) async throws {
    let memory = HeldBytes(most: 1000, mostOfOne: 1000, refusal: "full")
    let bytes = (0..<700).map { UInt8($0 % 251) }
    var rest = bytes[...]
    let made = cuts.map { count in
      defer { rest = rest.dropFirst(count) }
      return Array(rest.prefix(count))
    }
    let reply = made.count == 1 ? Reply.json(bytes) : Reply(body: .pieces(made))
    let response = try reply.response(largeFrom: 300, in: memory.share(of: "a"))
    #expect(response.body.contentLength == 700)
    let (pieces, next) = AsyncStream.makeStream(of: ByteBuffer.self)
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    let body = response.body
    async let written: Void = body.write(SlowWriter(pieces: next, reads: reads))
    var sizes: [Int] = []
    var whole: [UInt8] = []
    for await piece in pieces {
      #expect(memory.held == 700, "nothing is free before the last piece has left")
      sizes.append(piece.readableBytes)
      whole += piece.readableBytesView
      read.yield()
    }
    try await written
    #expect(sizes == [300, 300, 100])
    #expect(whole == bytes)
    #expect(memory.held == 0)
  }

  @Test func `an answer that is never written is forgotten with its connection`() throws {
    let memory = HeldBytes(most: 1000, mostOfOne: 1000, refusal: "full")
    do {
      let reply = Reply.json([UInt8](repeating: 1, count: 700))
      let response = try reply.response(largeFrom: 300, in: memory.share(of: "a"))
      #expect(memory.held == 700)
      #expect(throws: (any Error).self) {
        try reply.response(largeFrom: 300, in: memory.share(of: "a"))
      }
      _ = response
    }
    #expect(memory.held == 0)
  }

  @Test func `an answer of fewer bytes does not count`() throws {
    var limits = Limits.apple
    limits.largeAnswerBytes = 300
    let memory = HeldBytes(most: 0, mostOfOne: 0, refusal: "full")
    let small = Reply.json([UInt8](repeating: 1, count: 299))
    let response = try small.response(
      largeFrom: limits.largeAnswerBytes, in: memory.share(of: "a"))
    #expect(response.body.contentLength == 299)
    let large = Reply(body: .pieces([[UInt8](repeating: 1, count: 299), [1]]))
    #expect(throws: (any Error).self) {
      try large.response(largeFrom: limits.largeAnswerBytes, in: memory.share(of: "a"))
    }
  }

  private static let limits: Limits = {
    var limits = Limits.apple
    limits.answerBytesAtOnce = 1000
    limits.answerBytesAtOncePerAddress = 600
    limits.bodyBytesAtOnce = 1000
    limits.bodyBytesAtOncePerAddress = 600
    return limits
  }()

  @Test(arguments: [false, true])
  func `bytes of all addresses together have a bound, and those of each`(
    areBodies: Bool
  ) throws {
    let memory = areBodies ? HeldBytes.ofBodies(Self.limits) : .ofAnswers(Self.limits)
    let (one, other) = (memory.share(of: "a"), memory.share(of: "b"))
    try one.take(600)
    #expect(throws: (any Error).self) { try one.take(1) }
    #expect(throws: (any Error).self) { try other.take(401) }
    try other.take(400)
    #expect(memory.held == 1000)
  }
}

/// A connection that takes a piece, and the next when the one before was read.
private struct SlowWriter: ResponseBodyWriter {
  let pieces: AsyncStream<ByteBuffer>.Continuation
  let reads: AsyncStream<Void>

  mutating func write(_ buffer: ByteBuffer) async throws {
    pieces.yield(buffer)
    for await _ in reads { break }
  }

  consuming func finish(_ trailers: HTTPFields?) async throws { pieces.finish() }
}
