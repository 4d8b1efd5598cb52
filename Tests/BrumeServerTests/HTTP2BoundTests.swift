// What one client of HTTP/2 may have open, send and hold on a connection: each bound at the last that may be and at
// the next. Independent clients go far beyond them in secure.py.

import BrumeModel
import NIOCore
import NIOHTTP2
import Testing

@testable import BrumeServer

@Suite struct HTTP2BoundTests {
  private static let calm = 11

  private static func client(
    _ change: (inout Limits) -> Void, acknowledges: Bool = true
  ) throws -> FrameClient {
    var limits = Limits.apple
    change(&limits)
    return try FrameClient(limits, acknowledges: acknowledges)
  }

  @Test func `a connection has so many requests open and no more`() throws {
    let client = try Self.client { $0.http2Streams = 3 }
    #expect(client.setting(3) == 3)
    for stream in [1, 3, 5] { client.begin(stream) }
    #expect(client.isOpen && !client.isRefused(5))
    client.begin(7)
    #expect(client.isRefused(7))
  }

  @Test func `a request that is over leaves its place to another`() throws {
    let client = try Self.client { $0.http2Streams = 3 }
    for stream in [1, 3, 5] { client.begin(stream) }
    client.reset(3)
    client.begin(7)
    #expect(client.isOpen && !client.isRefused(7))
  }

  @Test func `who does not say that he has read the bounds has the protocol's least`() throws {
    let client = try Self.client({ _ in }, acknowledges: false)
    for stream in stride(from: 1, to: 200, by: 2) { client.begin(stream) }
    #expect(client.isOpen && !client.isRefused(199))
    client.begin(201)
    #expect(client.isRefused(201))
  }

  @Test(arguments: [(0, true), (1, false)])
  func `the header of a request has so many bytes and no more`(more: Int, isTaken: Bool) throws {
    let client = try Self.client { $0.http2HeaderListBytes = 1000 }
    // A field counts its name, its value and 32 bytes (RFC 9113, 6.5.2): these are those of every request here.
    let every = [":methodPOST", ":schemehttps", ":path/", ":authoritya", "x"]
      .map { $0.utf8.count + 32 }.reduce(0, +)
    client.begin(1, [("x", String(repeating: "v", count: 1000 - every + more))])
    #expect(client.isRefused(1) != isTaken, "\(client.frames)")
  }

  @Test func `a body that nobody reads is sent ahead so far and no further`() throws {
    let client = try Self.client { $0.http2StreamWindow = 70_000 }
    #expect(client.setting(4) == 70_000)
    client.begin(1)
    client.body(1, bytes: 70_000)
    #expect(client.isOpen && !client.isRefused(1) && client.allowance(1) == 0)
    client.body(1, bytes: 1)
    #expect(client.isRefused(1))
  }

  @Test func `what may be sent ahead on a connection is never more than so many bytes`() throws {
    let most = 200_000
    let client = try Self.client { $0.http2ConnectionWindow = most }
    var (sent, largest) = (0, 0)
    for stream in stride(from: 1, to: 100, by: 2) {
      client.begin(stream)
      // In one frame, after which the server says what it allows.
      client.body(stream, bytes: 10_000)
      sent += 10_000
      // 65,535 are allowed before anything was said.
      largest = max(largest, 65_535 + client.allowance(0) - sent)
    }
    #expect(client.isOpen && largest == most)
  }

  @Test(arguments: [(0, true), (1, false)])
  func `who sends ahead on a connection all that he may is served, with one byte more it ends`(
    more: Int, isServed: Bool
  ) throws {
    let client = try Self.client { $0.http2ConnectionWindow = 20_000 }
    client.begin(1)
    var (sent, left) = (0, 65_535)
    // Until one frame can hold all that is left.
    while left > 16_000 {
      client.body(1, bytes: 1000)
      sent += 1000
      left = 65_535 + client.allowance(0) - sent
    }
    client.body(1, bytes: left + more)
    #expect(client.isOpen == isServed)
  }

  @Test func `so many requests are given up and no more`() throws {
    let client = try Self.client { $0.http2Resets = 5 }
    for stream in [1, 3, 5, 7, 9] {
      client.begin(stream)
      client.reset(stream)
    }
    #expect(client.isOpen)
    client.begin(11)
    client.reset(11)
    #expect(!client.isOpen && client.lastWord == Self.calm)
  }

  @Test func `a malformed request ends its stream alone, so many of them the connection`() throws {
    let client = try Self.client { $0.http2Resets = 5 }
    client.begin(1, [("large", "x")])
    for stream in [3, 5, 7, 9, 11] {
      client.begin(stream, [("Large", "x")])
      #expect(client.isRefused(stream) && !client.isRefused(1), "\(stream)")
    }
    client.begin(13)
    #expect(client.isOpen && !client.isRefused(13))
    client.begin(15, [("Large", "x")])
    #expect(!client.isOpen && client.lastWord == Self.calm)
  }

  @Test func `a window that is opened by nothing ends its stream, the connection's all of them`()
    throws
  {
    let client = try Self.client { _ in }
    client.begin(1)
    client.begin(3)
    client.send(.windowUpdate, stream: 1, FrameClient.bytes(0))
    #expect(client.isOpen && client.isRefused(1) && !client.isRefused(3))
    client.send(.windowUpdate, FrameClient.bytes(0))
    #expect(!client.isOpen && client.lastWord != nil)
  }

  @Test func `so many frames steer a connection and no more`() throws {
    let client = try Self.client { $0.http2ControlFrames = 10 }
    // Its settings, and that it has read the server's, are two.
    for _ in 0..<8 { client.ping() }
    #expect(client.isOpen)
    client.ping()
    #expect(!client.isOpen && client.lastWord == Self.calm)
  }

  @Test func `what was longer ago than the counted time is not counted`() throws {
    // The library has a clock of its own, which no test can move: a time of nothing, in which two never fall.
    let client = try Self.client {
      $0.http2ControlFrames = 10
      $0.http2Resets = 5
      $0.http2CountedTime = 0
    }
    for _ in 0..<100 { client.ping() }
    for stream in stride(from: 1, to: 100, by: 2) {
      client.begin(stream)
      client.reset(stream)
    }
    #expect(client.isOpen)
    var limits = Limits.apple
    limits.http2CountedTime = 7
    let configuration = NIOHTTP2Handler.Configuration(limits)
    #expect(configuration.connection.controlFrameRateLimit.windowLength == .milliseconds(7))
    #expect(configuration.stream.streamResetFrameRateLimit.windowLength == .milliseconds(7))
    #expect(configuration.stream.streamErrorRateLimit.windowLength == .milliseconds(7))
  }

  @Test func `so many frames without content come in a row and no more`() throws {
    let client = try Self.client { $0.http2EmptyFrames = 3 }
    client.begin(1)
    for _ in 0..<3 { client.send(.data, stream: 1) }
    #expect(client.isOpen)
    client.send(.data, stream: 1)
    #expect(!client.isOpen && client.lastWord == Self.calm)
  }

  @Test func `so many acknowledgements wait for a client that does not read, and no more`() throws {
    let client = try Self.client { $0.http2UnsentFrames = 3 }
    client.stopReading()
    for _ in 0..<3 { client.ping() }
    #expect(client.isOpen)
    client.ping()
    #expect(!client.isOpen && client.lastWord == Self.calm)
  }
}
