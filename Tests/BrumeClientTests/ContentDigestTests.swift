// The digest of programs without a library of cryptography is SHA-256.

import Foundation
import Testing

@testable import BrumeClient

#if HTTPS
  import Crypto
#endif

struct ContentDigestTests {
  private static func hex(_ digest: PlainDigest) -> String {
    digest.finalize().map { String(format: "%02x", $0) }.joined()
  }

  private static func take(_ bytes: some Collection<UInt8>, _ digest: inout PlainDigest) {
    Array(bytes).withUnsafeBytes { digest.update(bufferPointer: $0) }
  }

  @Test(arguments: [
    ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
    ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    (
      "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
      "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
    ),
  ])
  func `the examples of the standard come out`(text: String, expected: String) {
    var digest = PlainDigest()
    Self.take(text.utf8, &digest)
    #expect(Self.hex(digest) == expected)
  }

  @Test func `a million times one letter comes out as in the standard, in uneven pieces`() {
    var digest = PlainDigest()
    var left = 1_000_000
    var piece = 1
    while left > 0 {
      let count = min(piece, left)
      Self.take([UInt8](repeating: 0x61, count: count), &digest)
      left -= count
      piece = piece * 3 % 997 + 1
    }
    #expect(
      Self.hex(digest) == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
  }

  #if HTTPS
    @Test func `every length around the ends of blocks comes out as in swift-crypto`() {
      let bytes = (0..<260).map { UInt8(truncatingIfNeeded: $0 &* 31) }
      for count in 0...260 {
        var digest = PlainDigest()
        Self.take(bytes[..<(count / 3)], &digest)
        Self.take(bytes[(count / 3)..<count], &digest)
        #expect(digest.finalize() == Array(SHA256.hash(data: bytes[..<count])), "\(count) bytes")
      }
    }
  #endif
}
