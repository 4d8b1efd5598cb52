// Whether the server may have got a request: what both transports ask when it failed.

import Synchronization

/// How much of a request may be on its way.
final class SentState: Sendable {
  private let begun = Atomic(false)

  /// What makes the request whole is handed to the connection next.
  func begin() { begun.store(true, ordering: .releasing) }

  /// False: it is certain that the server has not got the whole request.
  var mayBeTaken: Bool { begun.load(ordering: .acquiring) }
}

/// The body of a request that remembers whether anybody asked for it. The HTTP client asks when it has
/// sent the head; before that no server can have the whole request.
struct SentBody: RandomAccessCollection, Sendable {
  private let bytes: [UInt8]
  private let state = SentState()

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether anything of the body may be on its way.
  var isBegun: Bool { state.mayBeTaken }

  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }

  subscript(position: Int) -> UInt8 {
    state.begin()
    return bytes[position]
  }

  func withContiguousStorageIfAvailable<Value>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
  ) rethrows -> Value? {
    state.begin()
    return try bytes.withContiguousStorageIfAvailable(body)
  }
}
