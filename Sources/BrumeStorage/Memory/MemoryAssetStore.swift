// The asset store that forgets: bytes in memory, for tests and for `--store memory`.

import Synchronization

/// Objects as arrays of bytes. Its calls throw `AssetFailure` with `badName` or `missing`, and what their
/// closures threw.
package final class MemoryAssetStore: AssetStore {
  private let objects = Mutex<[String: [UInt8]]>([:])
  private static let pieceBytes: Int64 = 65_536

  package init() {}

  package func write(
    _ name: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws {
    try AssetObjectName.check(name)
    var bytes: [UInt8] = []
    while let piece = try await next() { bytes += piece }
    let whole = bytes
    objects.withLock { $0[name] = whole }
  }

  package func size(of name: String) async throws -> Int64? {
    objects.withLock { $0[name].map { Int64($0.count) } }
  }

  package func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws {
    guard let bytes = objects.withLock({ $0[name] }), range.upperBound <= bytes.count else {
      throw AssetFailure(.missing, "the asset object '\(name)' is not there, or not whole")
    }
    for start in stride(from: range.lowerBound, to: range.upperBound, by: Int(Self.pieceBytes)) {
      try await take(bytes[Int(start)..<Int(min(range.upperBound, start + Self.pieceBytes))])
    }
  }

  package func remove(_ name: String) async throws {
    objects.withLock { $0[name] = nil }
  }

  package func names(after name: String, limit: Int) async throws -> [String] {
    objects.withLock { Array($0.keys.filter { $0 > name }.sorted().prefix(limit)) }
  }
}
