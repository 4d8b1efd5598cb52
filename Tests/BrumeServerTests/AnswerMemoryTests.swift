// Answers that nobody reads: how much of them is in memory at once.

import BrumeModel
import BrumeWire
import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import NIOEmbedded
import NIOHTTPTypes
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

  /// The answer has the whole record.
  private static func save(
    _ bytes: Int, in field: String = "text", by kind: String = "forceUpdate", _ more: String = "",
    on server: HeldServer
  ) async throws -> String {
    let text = String(repeating: "x", count: bytes)
    let fields = #"{"\#(field)":{"value":"\#(text)"}}"#
    let record = #"{"recordName":"note","recordType":"Note","fields":\#(fields)}"#
    let operation = #"{"operationType":"\#(kind)","record":\#(record)}"#
    return try await server.answer(
      server.post("records/modify", #"{"operations":[\#(operation)]\#(more)}"#))
  }

  @Test(arguments: [20_000, 300_000])
  func `a save for whose answer there is no memory is not carried out`(bytes: Int) async throws {
    try await HeldServer.live {
      $0.limits.answerBytesAtOnce = 800_000
      $0.limits.answerBytesAtOncePerAddress = 800_000
    } _: { server in
      let made = server.fixture.server
      let isLarge = bytes >= made.settings.limits.largeAnswerBytes
      let memory = isLarge ? made.answerMemory : made.smallAnswerMemory
      let others = memory.share(of: "127.0.0.1")
      try others.take(isLarge ? 800_000 : 400_000)
      let refused = try await Self.save(bytes, by: "create", on: server)
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused.prefix(200))")
      // The answer is without the record, and needs no room.
      let short = try await Self.save(bytes, by: "create", #","desiredKeys":[]"#, on: server)
      #expect(short.hasPrefix("HTTP/1.1 200 "), "\(short.prefix(200))")
      #expect(!short.contains("serverErrorCode"), "it is not there yet: \(short.prefix(999))")
      others.giveBack()
      // Of this nothing is answered but an error.
      let zone = #","zoneID":{"zoneName":"Ghost"}"#
      #expect(try await Self.save(bytes, zone, on: server).contains("ZONE_NOT_FOUND"))
      while memory.held > 0 { await Task.yield() }
    }
  }

  @Test func `an answer that has more than the save brought is measured as a whole`() async throws {
    try await HeldServer.live {
      $0.limits.answerBytesAtOnce = 200_000
      $0.limits.answerBytesAtOncePerAddress = 200_000
    } _: { server in
      // A user has 50,000 bytes, or one answer.
      for field in ["text", "more"] {
        let answer = try await Self.save(40_000, in: field, on: server)
        #expect(answer.hasPrefix("HTTP/1.1 200 "), "\(answer.prefix(200))")
        while server.fixture.server.smallAnswerMemory.held > 0 { await Task.yield() }
      }
    }
  }

  @Test func `room grows and shrinks to what is needed, and stays where that has none`() throws {
    let memory = HeldBytes(most: 100, mostOfOne: 60, takesFirst: true, refusal: "full")
    let share = memory.share(of: "a", and: "alice")
    try share.fit(40)
    try share.fit(10)
    #expect(memory.held == 10)
    // It is still the first of its owners.
    try share.fit(90)
    let other = memory.share(of: "a", and: "bob")
    #expect(throws: (any Error).self) { try other.fit(1) }
    try share.fit(50)
    try other.fit(10)
    #expect(throws: (any Error).self) { try other.fit(11) }
    #expect(throws: (any Error).self) { try share.fit(51) }
    #expect(memory.held == 60)
    share.giveBack()
    other.giveBack()
    #expect(memory.held == 0)
  }

  @Test func `smaller answers for which there is no memory are 503, a caller's first is not`()
    async throws
  {
    try await HeldServer.live {
      $0.limits.answerBytesAtOnce = 60_000
      $0.limits.answerBytesAtOncePerAddress = 60_000
    } _: { server in
      let memory = server.fixture.server.smallAnswerMemory
      func save(_ bytes: Int) async throws -> String { try await Self.save(bytes, on: server) }
      let (here, elsewhere) = (memory.share(of: "127.0.0.1"), memory.share(of: "192.0.2.1"))
      // Half of what large ones may take, as all of the address and as all that there is.
      try here.take(20_000)
      let refused = try await save(20_000)
      #expect(refused.hasPrefix("HTTP/1.1 503 "), "\(refused.prefix(200))")
      #expect(refused.contains("read those that are on their way"))
      #expect(try await save(1000).hasPrefix("HTTP/1.1 200 "))
      here.giveBack()
      try elsewhere.take(20_000)
      try here.take(1)
      #expect(try await save(20_000).hasPrefix("HTTP/1.1 503 "))
      here.giveBack()
      for _ in 0..<2 {
        #expect(try await save(20_000).hasPrefix("HTTP/1.1 200 "))
        while memory.held > 20_000 { await Task.yield() }
      }
      elsewhere.giveBack()
    }
  }

  @Test func `a large answer counts until it has left, where somebody sees that`() async throws {
    let memory = HeldBytes(most: 1000, mostOfOne: 1000, refusal: "full")
    let share = memory.share(of: "a")
    let (pieces, next) = AsyncStream.makeStream(of: ByteBuffer.self)
    let (reads, read) = AsyncStream.makeStream(of: Void.self)
    read.finish()
    let reply = Reply.json([UInt8](repeating: 1, count: 700))
    let response = try reply.response(largeFrom: 300, in: share, isWatched: true)
    try await response.body.write(SlowWriter(pieces: next, reads: reads))
    var bytes = 0
    for await piece in pieces { bytes += piece.readableBytes }
    #expect(bytes == 700 && memory.held == 700)
    share.giveBack()
    #expect(memory.held == 0)
  }

  @Test func `a smaller answer counts until it has left, though it was written at once`() throws {
    let memory = HeldBytes(most: 1000, mostOfOne: 1000, refusal: "full")
    let work = RequestWork(on: globalConcurrentExecutor)
    let hosts = AllowedHosts(listener: "localhost", baseURL: nil, others: [])
    let watch = ConnectionGuard(limits: ConnectionRules.Limits(), hosts: hosts, uuid: { "A" })
    watch.work = work
    let channel = EmbeddedChannel()
    try channel.pipeline.syncOperations.addHandler(watch)
    for _ in 0..<2 {
      let share = memory.share(of: "a")
      try share.take(700)
      work.keep(share)
      channel.write(HTTPResponsePart.head(HTTPResponse(status: .ok)), promise: nil)
      channel.write(HTTPResponsePart.body(ByteBuffer(bytes: [1, 2])), promise: nil)
      channel.write(HTTPResponsePart.end(nil), promise: nil)
      #expect(memory.held == 700)
      channel.flush()
      #expect(memory.held == 0)
    }
    _ = try? channel.finish()
  }

  @Test func `a user leaves others at the address room for answers that are not large`() throws {
    let memory = HeldBytes.ofSmallAnswers(Self.limits)
    let alice = memory.share(of: "a", and: "alice")
    try alice.take(150)
    #expect(throws: (any Error).self) { try alice.take(1) }
    #expect(throws: (any Error).self) { try memory.share(of: "b", and: "alice").take(1) }
    let bob = memory.share(of: "a", and: "bob")
    try bob.take(150)
    #expect(throws: (any Error).self) { try memory.share(of: "a", and: "carol").take(1) }
    #expect(memory.held == 300)
    alice.giveBack()
    bob.giveBack()
  }

  @Test func `a file for which its address has no memory is 503`() async throws {
    try await HeldServer.live {
      $0.limits.answerBytesAtOncePerAddress = 30_000
    } _: { server in
      func json(_ request: String) async throws -> JSON {
        let answer = try await server.answer(request)
        let body = try #require(answer.range(of: "\r\n\r\n"), "\(answer)").upperBound
        return try JSON(parsing: Array(answer[body...].utf8))
      }
      let token = #"{"recordType":"Note","recordName":"one","fieldName":"photo"}"#
      let tickets = try await json(server.post("assets/upload", #"{"tokens":[\#(token)]}"#))
      let upload = try #require(tickets["tokens"]?.array?.first?["url"]?.string, "\(tickets)")
      let bytes = String(repeating: "x", count: 20_000)
      let sent = try await json(
        "POST \(AssetRouteTests.target(upload)) HTTP/1.1\r\nHost: localhost\r\n"
          + "Content-Length: 20000\r\n\r\n" + bytes)
      let file = try #require(sent["singleFile"], "\(sent)")
      let fields = #"{"photo":{"value":\#(String(decoding: file.bytes(), as: UTF8.self))}}"#
      let record = #"{"recordType":"Note","recordName":"one","fields":\#(fields)}"#
      let operation = #"{"operationType":"create","record":\#(record)}"#
      let saved = try await json(
        server.post("records/modify", #"{"operations":[\#(operation)]}"#))
      let value = saved["records"]?.array?.first?["fields"]?["photo"]?["value"]
      let url = try #require(value?["downloadURL"]?.string, "\(saved)")
      let get = "GET \(AssetRouteTests.target(url)) HTTP/1.1\r\nHost: localhost\r\n\r\n"
      let memory = server.fixture.server.fileMemory
      let others = memory.share(of: "127.0.0.1")
      try others.take(20_000)
      #expect(try await server.answer(get).hasPrefix("HTTP/1.1 503 "))
      others.giveBack()
      for _ in 0..<2 {
        #expect(try await server.answer(get).hasPrefix("HTTP/1.1 200 "))
        while memory.held > 0 { await Task.yield() }
      }
    }
  }

  @Test func `an address and a user that hold nothing have room for one answer`() throws {
    let memory = HeldBytes(most: 100, mostOfOne: 60, takesFirst: true, refusal: "full")
    let others = memory.share(of: "a", and: "alice")
    try others.take(100)
    for (address, user) in [("a", nil), ("a", "bob"), ("b", "alice")] as [(String, String?)] {
      #expect(throws: (any Error).self) { try memory.share(of: address, and: user).take(1) }
    }
    let first = memory.share(of: "b", and: "bob")
    try first.take(10)
    #expect(throws: (any Error).self) { try memory.share(of: "b", and: "bob").take(1) }
    first.giveBack()
    try memory.share(of: "b", and: "bob").take(10)
    others.giveBack()
    #expect(memory.held == 0)
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

  @Test func `values of one user have a bound, and the first request has room, however large`()
    throws
  {
    // In all half of what bodies may have, and of one user half of what an address may.
    let memory = HeldBytes.ofValues(Self.limits)
    let alice = memory.share(of: "a", and: "alice")
    try alice.fitOrFill(5000)
    #expect(memory.held == 300)
    let other = memory.share(of: "b", and: "alice")
    #expect(throws: BrumeError.self) { try other.fitOrFill(1) }
    let bob = memory.share(of: "a", and: "bob")
    try bob.fitOrFill(200)
    #expect(throws: BrumeError.self) { try bob.fitOrFill(201) }
    #expect(memory.held == 500)
    let carol = memory.share(of: "c", and: "carol")
    try carol.fitOrFill(1)
    #expect(memory.held == 501)
    for share in [alice, bob, carol] { share.giveBack() }
    #expect(memory.held == 0)
  }

  @Test(arguments: [false, true])
  func `one user has room for as much as two of the largest answers, and an address for more`(
    areFiles: Bool
  ) throws {
    let limits = Limits.apple
    let largest = 72 << 20
    let memory = areFiles ? HeldBytes.ofFiles(limits) : .ofAnswers(limits)
    let alice = memory.share(of: "a", and: "alice")
    try alice.take(largest)
    #expect(throws: (any Error).self) { try alice.take(1) }
    let other = memory.share(of: "b", and: "alice")
    #expect(throws: (any Error).self) { try other.take(1) }
    let bob = memory.share(of: "a", and: "bob")
    try bob.take(limits.answerBytesAtOncePerAddress - largest)
    #expect(throws: (any Error).self) { try bob.take(1) }
    #expect(memory.held == limits.answerBytesAtOncePerAddress)
    alice.giveBack()
    bob.giveBack()
    #expect(memory.held == 0)
  }

  @Test(arguments: [Limits.apple, .relaxed, .tiny])
  func `a body as large as it may be has room, with all arrays and objects that it may have`(
    limits: Limits
  ) throws {
    let memory = HeldBytes.ofBodies(limits)
    let branches = JSONBounds.values * JSONBounds.bytesOfBranch
    let share = memory.share(of: "a")
    try share.take(limits.requestBodyBytes + branches)
    withExtendedLifetime(share) { #expect(memory.held == limits.requestBodyBytes + branches) }
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
