// What a stream writes, and the way of a client in the same process, which has no connection to write
// to: batch by batch, until the client has to come back.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire
import Hummingbird
import NIOCore
import ServiceLifecycle

enum StreamEvents {
  static let greeting = ByteBuffer(string: "retry: 1000\n: connected\n\n")
  /// Says nothing, so that both sides notice a dead connection.
  static let silence = ByteBuffer(string: ":\n\n")
  /// The same as a chunk of an answer (RFC 9112, 7.1), and the end of one.
  static let silentChunk = ByteBuffer(string: "3\r\n:\n\n\r\n")
  static let lastChunk = ByteBuffer(string: "0\r\n\r\n")
  /// Why a stream ends whose device is gone. A client that only came back would register it again, and so drive out
  /// another one of a user who has as many as may be.
  static let deviceRemoved = BrumeError(
    .notFound,
    "this device was removed, so that nothing is pushed to it; open its stream again when it is to "
      + "be registered anew")
  private static let sizeDigits = 6

  /// Entries as one chunk of an answer.
  static func chunk(
    _ entries: [MailboxEntry], _ generation: Int64, _ allocator: ByteBufferAllocator
  ) -> ByteBuffer {
    var buffer = allocator.buffer(capacity: size(of: entries))
    buffer.writeRepeatingByte(UInt8(ascii: "0"), count: sizeDigits)
    buffer.writeStaticString("\r\n")
    let head = buffer.readableBytes
    append(entries, generation, to: &buffer)
    var (size, digit) = (buffer.readableBytes - head, sizeDigits)
    while size > 0 {
      digit -= 1
      buffer.setInteger(Hex.digit(UInt8(size & 15)), at: digit)
      size >>= 4
    }
    buffer.writeStaticString("\r\n")
    return buffer
  }

  /// The last event of a stream that its client must not come back to as it is: its data are what a refused request is
  /// answered.
  static func end(because error: BrumeError) -> String {
    "event: end\ndata: \(String(decoding: Wire.error(error), as: UTF8.self))\n\n"
  }

  /// A text as one chunk of an answer.
  static func chunk(of text: String) -> ByteBuffer {
    ByteBuffer(string: "\(String(text.utf8.count, radix: 16))\r\n\(text)\r\n")
  }

  /// About how many bytes entries are when they are written.
  static func size(of entries: [MailboxEntry]) -> Int {
    entries.reduce(16) { $0 + $1.payload.count + 64 }
  }

  static func append(_ entries: [MailboxEntry], _ generation: Int64, to buffer: inout ByteBuffer) {
    for entry in entries {
      buffer.writeStaticString("id: ")
      buffer.writeDecimal(generation)
      buffer.writeStaticString("-")
      buffer.writeDecimal(entry.position)
      buffer.writeStaticString("\ndata: ")
      buffer.writeBytes(entry.payload)
      buffer.writeStaticString("\n\n")
    }
  }
}

extension ByteBuffer {
  /// A number's digits, without a text in between: each push to each device has two.
  fileprivate mutating func writeDecimal(_ value: Int64) {
    var magnitude = value.magnitude
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var start = 20
      repeat {
        start -= 1
        digits[start] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
        magnitude /= 10
      } while magnitude > 0
      if value < 0 { writeStaticString("-") }
      writeBytes(UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: digits[start..<20])))
    }
  }
}

extension StreamRoute {
  /// Returns when the server ends, the user has signed out, the device is gone or the client has to come back; throws
  /// when the client has gone.
  @concurrent func write(
    _ stream: EventStream, after cursor: Int64, to writer: inout any ResponseBodyWriter,
    of call: Call, _ opening: Opening
  ) async throws {
    parts.metrics.streamOpened()
    defer {
      parts.metrics.streamClosed()
      opening.place.giveBack()
    }
    try await writer.write(StreamEvents.greeting)
    let heartbeat = Duration.seconds(parts.heartbeat)
    let batches = stream.batches(after: cursor, heartbeat: heartbeat)
    let leaving = batches.map { [source] in try await source.leaving($0, to: stream.device) }
    try await write(leaving, to: &writer, of: call, opening)
  }

  @concurrent private func write(
    _ batches: some AsyncSequence<[MailboxEntry], any Error> & Sendable,
    to writer: inout any ResponseBodyWriter, of call: Call, _ opening: Opening
  ) async throws {
    var removals = opening.removals
    for try await entries in batches.cancelOnGracefulShutdown() {
      guard try await isStillSignedIn(call) else { return }
      if exchange(&removals, with: parts.hub.removals) != removals,
        try await !source.isRegistered(opening.device)
      {
        let end = StreamEvents.end(because: StreamEvents.deviceRemoved)
        return try await writer.write(ByteBuffer(string: end))
      }
      var buffer = ByteBuffer()
      StreamEvents.append(entries, parts.generation, to: &buffer)
      try await writer.write(entries.isEmpty ? StreamEvents.silence : buffer)
      parts.metrics.notificationsDelivered(entries.count)
    }
  }
}
