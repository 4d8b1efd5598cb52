// A client of HTTP/2 that writes frames as it likes, at the end of a connection without a socket. What serves the
// connection is what serves one by TLS, without what reads the requests: bodies stay unread.

import BrumeModel
import NIOCore
import NIOEmbedded
import NIOHTTP2

@testable import BrumeServer

final class FrameClient {
  struct Frame {
    var type: UInt8
    var stream: Int
    var payload: [UInt8]
  }
  enum Kind: UInt8 {
    case data, headers, priority, reset, settings, push, ping, goAway, windowUpdate
  }
  private let channel = EmbeddedChannel()
  private let streams: NIOHTTP2Handler.AsyncStreamMultiplexer<Bool>
  private var unread: [UInt8] = []
  /// All that the server has sent.
  private(set) var frames: [Frame] = []

  /// - Parameter acknowledges: the client has read what the server allows; until then the protocol's own bounds hold.
  init(_ limits: Limits, acknowledges: Bool = true) throws {
    let connection = HTTP2Guard(limits: HTTP2Rules.Limits(limits: limits))
    let informs = HTTP2Streams(of: connection, on: channel.eventLoop)
    streams = try channel.pipeline.syncOperations.configureAsyncHTTP2Pipeline(
      mode: .server, streamDelegate: informs, frameDelegate: informs,
      configuration: NIOHTTP2Handler.Configuration(limits)
    ) { $0.setOption(.autoRead, value: false).map { true } }
    try channel.pipeline.syncOperations.addHandler(connection)
    try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 443)).wait()
    write(Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8))
    send(.settings)
    if acknowledges { send(.settings, flags: 1) }
  }

  // MARK: What is seen

  var isOpen: Bool { channel.isActive }

  /// The error with which the server said farewell.
  var lastWord: Int? {
    frames.last { $0.type == Kind.goAway.rawValue }.map { Self.number($0.payload[4...]) }
  }

  /// Whether the server gave this stream up, or the connection.
  func isRefused(_ stream: Int) -> Bool {
    !isOpen || frames.contains { $0.type == Kind.reset.rawValue && $0.stream == stream }
  }

  /// The last value of one of the server's settings.
  func setting(_ identifier: UInt8) -> Int? {
    let all = frames.filter { $0.type == Kind.settings.rawValue }.flatMap(\.payload)
    let places = stride(from: 0, to: all.count, by: 6).filter { all[$0 + 1] == identifier }
    return places.last.map { Self.number(all[($0 + 2)..<($0 + 6)]) }
  }

  /// How much more the server has allowed on a stream, or with 0 on the connection.
  func allowance(_ stream: Int) -> Int {
    frames.filter { $0.type == Kind.windowUpdate.rawValue && $0.stream == stream }
      .map { Self.number($0.payload[...]) }.reduce(0, +)
  }

  private static func number(_ bytes: ArraySlice<UInt8>) -> Int {
    bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
  }

  // MARK: What is sent

  func send(_ kind: Kind, flags: UInt8 = 0, stream: Int = 0, _ payload: [UInt8] = []) {
    let size = payload.count
    write(
      [UInt8(size >> 16), UInt8(size >> 8 & 255), UInt8(size & 255), kind.rawValue, flags]
        + Self.bytes(stream) + payload)
  }

  /// A request whose body is to come.
  func begin(_ stream: Int, _ fields: [(name: String, value: String)] = []) {
    let head: [UInt8] = [0x83, 0x87, 0x84, 0x41, 1, UInt8(ascii: "a")]
    let more: [UInt8] = fields.flatMap { name, value -> [UInt8] in
      [0] + Self.literal(name) + Self.literal(value)
    }
    send(.headers, flags: 4, stream: stream, head + more)
  }

  /// So many bytes of a body, in frames of the usual size.
  func body(_ stream: Int, bytes: Int) {
    for begin in stride(from: 0, to: bytes, by: 16_384) {
      send(.data, stream: stream, [UInt8](repeating: 0, count: min(16_384, bytes - begin)))
    }
  }

  func reset(_ stream: Int) { send(.reset, stream: stream, Self.bytes(8)) }

  func ping() { send(.ping, [UInt8](repeating: 1, count: 8)) }

  /// The client no longer reads.
  func stopReading() {
    channel.isWritable = false
    channel.pipeline.fireChannelWritabilityChanged()
  }

  static func bytes(_ number: Int) -> [UInt8] {
    [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: number >> $0) }
  }

  /// A text as HPACK writes it without Huffman's code (RFC 7541, 5.2).
  private static func literal(_ text: String) -> [UInt8] {
    var rest = text.utf8.count
    var size: [UInt8] = [UInt8(min(rest, 127))]
    if rest >= 127 {
      rest -= 127
      while rest >= 128 {
        size.append(UInt8(rest % 128 + 128))
        rest /= 128
      }
      size.append(UInt8(rest))
    }
    return size + Array(text.utf8)
  }

  private func write(_ bytes: [UInt8]) {
    guard isOpen else { return }
    _ = try? channel.writeInbound(ByteBuffer(bytes: bytes))
    channel.embeddedEventLoop.run()
    while let buffer = try? channel.readOutbound(as: ByteBuffer.self) {
      unread += buffer.readableBytesView
    }
    while unread.count >= 9, case let size = Self.number([0] + unread[..<3]),
      unread.count >= 9 + size
    {
      let stream = Self.number(unread[5..<9])
      frames.append(
        Frame(type: unread[3], stream: stream, payload: Array(unread[9..<(9 + size)])))
      unread.removeFirst(9 + size)
    }
  }
}
