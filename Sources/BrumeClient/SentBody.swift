// The body of a request that remembers whether anybody asked for it. The HTTP client asks when it has
// sent the head; before that no server can have the whole request.

import Synchronization

struct SentBody: RandomAccessCollection, Sendable {
  private let bytes: [UInt8]
  private let begun = Begun()

  private final class Begun: Sendable {
    let flag = Atomic(false)
  }

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  /// Whether anything of the body may be on its way.
  var isBegun: Bool { begun.flag.load(ordering: .acquiring) }

  var startIndex: Int { bytes.startIndex }
  var endIndex: Int { bytes.endIndex }

  subscript(position: Int) -> UInt8 {
    begun.flag.store(true, ordering: .releasing)
    return bytes[position]
  }

  func withContiguousStorageIfAvailable<Value>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Value
  ) rethrows -> Value? {
    begun.flag.store(true, ordering: .releasing)
    return try bytes.withContiguousStorageIfAvailable(body)
  }
}
