// How the answer of a stream is written when nothing stands between it and the connection: as chunks of
// HTTP/1.1 (RFC 9112, 7.1), or as frames of a stream of HTTP/2.

import BrumeStorage
import NIOCore
import NIOHTTP2

enum StreamFraming {
  case chunks, frames

  func events(
    _ entries: [MailboxEntry], _ generation: Int64, _ allocator: ByteBufferAllocator
  ) -> NIOAny {
    switch self {
    case .chunks:
      return NIOAny(IOData.byteBuffer(StreamEvents.chunk(entries, generation, allocator)))
    case .frames:
      var buffer = allocator.buffer(capacity: StreamEvents.size(of: entries))
      StreamEvents.append(entries, generation, to: &buffer)
      return Self.frame(buffer)
    }
  }

  func event(_ text: String) -> NIOAny {
    switch self {
    case .chunks: NIOAny(IOData.byteBuffer(StreamEvents.chunk(of: text)))
    case .frames: Self.frame(ByteBuffer(string: text))
    }
  }

  var silence: NIOAny {
    switch self {
    case .chunks: NIOAny(IOData.byteBuffer(StreamEvents.silentChunk))
    case .frames: Self.frame(StreamEvents.silence)
    }
  }

  /// The end of the answer.
  var end: NIOAny {
    switch self {
    case .chunks: NIOAny(IOData.byteBuffer(StreamEvents.lastChunk))
    case .frames: Self.frame(ByteBuffer(), isLast: true)
    }
  }

  private static func frame(_ bytes: ByteBuffer, isLast: Bool = false) -> NIOAny {
    NIOAny(HTTP2Frame.FramePayload.data(.init(data: .byteBuffer(bytes), endStream: isLast)))
  }
}
