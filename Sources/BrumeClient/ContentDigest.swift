// SHA-256, which names files and repeated requests. Programs that are built without HTTPS have no library of
// cryptography, which is most of what an app would have to compile: decision 0054.

import CFileDigest

#if HTTPS
  import Crypto
#endif

/// A digest that is made piece by piece.
struct ContentDigest {
  #if HTTPS
    private var digest = SHA256()
  #else
    private var digest = PlainDigest()
  #endif

  mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    digest.update(bufferPointer: bytes)
  }

  mutating func update(data: some Collection<UInt8>) {
    let isTaken: Void? = data.withContiguousStorageIfAvailable {
      update(bufferPointer: UnsafeRawBufferPointer($0))
    }
    if isTaken == nil { Array(data).withUnsafeBytes { update(bufferPointer: $0) } }
  }

  /// The 32 bytes.
  func bytes() -> [UInt8] { Array(digest.finalize()) }
}

/// SHA-256 without a library.
struct PlainDigest {
  private var state = brume_digest_begin()

  mutating func update(bufferPointer bytes: UnsafeRawBufferPointer) {
    brume_digest_add(&state, bytes.baseAddress, bytes.count)
  }

  /// The 32 bytes.
  func finalize() -> [UInt8] {
    var copy = state
    return [UInt8](unsafeUninitializedCapacity: 32) { result, count in
      brume_digest_end(&copy, result.baseAddress)
      count = 32
    }
  }
}
