// The meter counts and digests a file while it passes by.

package import BrumeModel
import Crypto

/// Takes the bytes of one file in their order; then it knows their number and digest.
package struct AssetMeter {
  private let limit: Int64
  private var digest = SHA256()
  private(set) var size: Int64 = 0

  /// - Parameter limit: how many bytes the file may have.
  package init(limit: Int64) { self.limit = limit }

  /// Takes the next bytes.
  ///
  /// - Throws: `limitExceeded` with the first byte too many.
  package mutating func take(_ bytes: ArraySlice<UInt8>) throws(BrumeError) {
    size += Int64(bytes.count)
    if size > limit { throw Self.tooLarge(limit) }
    bytes.withUnsafeBytes { digest.update(bufferPointer: $0) }
  }

  /// SHA-256 of all bytes.
  package func finished() -> [UInt8] { Array(digest.finalize()) }

  /// The text that records keep: a version byte and 20 bytes of the digest, in base64.
  // CloudKit: real ones have this form (docs/assets.md); clients treat them as opaque.
  package static func checksum(_ digest: [UInt8]) -> String {
    Base64.text([1] + digest.prefix(20))
  }

  /// The error for an asset of more bytes than the limit.
  package static func tooLarge(_ limit: Int64) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the asset is larger than \(limit) bytes, the most that this server takes; make it smaller or "
        + "split it over several fields")
  }
}
