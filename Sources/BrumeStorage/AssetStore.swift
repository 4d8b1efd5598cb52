// The port for the bytes of assets: objects by name, written once, never changed. Which names there
// are, what they mean and when an object goes is decided by BrumeCore's Assets; its rows are the
// port's `Assets.swift`. The contract suite in BrumeTestKit checks the promises on every store.
//
// 1. `write` streams: nobody holds a file in memory. An object that `write` returned for is whole
//    and durable; one that it threw for is not there.
// 2. A name is written once. Removing what is not there is no error.
// 3. Names are opaque to a store: lower-case letters and digits, which no file system misreads.

import BrumeModel

/// A place that keeps the bytes of assets.
package protocol AssetStore: Sendable {
  /// Keeps what `next` yields until it answers nil, as the object `name`, in the place of one that is there.
  ///
  /// - Throws: what `next` threw, or an `AssetFailure`. Nothing new has the name then.
  func write(
    _ name: String, from next: () async throws -> ArraySlice<UInt8>?
  ) async throws

  /// The object's size in bytes; nil if there is none.
  ///
  /// - Throws: an `AssetFailure`.
  func size(of name: String) async throws -> Int64?

  /// Hands over the bytes of `range`, piece by piece. The next piece is read when `take` returns.
  ///
  /// - Throws: what `take` threw; an `AssetFailure` if the object is gone or shorter than that.
  func read(
    _ name: String, _ range: Range<Int64>, into take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws

  /// Removes the object, if it is there.
  ///
  /// - Throws: an `AssetFailure`. Whether the object is gone is not known then.
  func remove(_ name: String) async throws

  /// Removes several, each if it is there.
  ///
  /// - Throws: an `AssetFailure`. Which of them are gone is not known then.
  func remove(_ names: [String]) async throws

  /// Names of objects after `name`, in order, at most `limit`.
  ///
  /// - Throws: an `AssetFailure`.
  func names(after name: String, limit: Int) async throws -> [String]
}

extension AssetStore {
  package func remove(_ names: [String]) async throws {
    for name in names { try await remove(name) }
  }
}

/// The place for assets failed or lacks an object. It says nothing about the database: the server goes
/// on, and the caller may try again.
package struct AssetFailure: Error, Equatable, Sendable, CustomStringConvertible {
  /// Why it failed.
  package enum Code: Equatable, Sendable {
    /// The disk or the service did not do what it was asked.
    case unavailable
    /// The disk is full.
    case noRoom
    /// No such object, or not that many bytes of it.
    case missing
    /// The object is there, with other bytes.
    case damaged
    /// Not a name that an object can have.
    case badName
  }
  package let code: Code
  /// A sentence for the operator.
  package let description: String
  /// - Parameter description: a sentence for the operator.
  package init(_ code: Code, _ description: String) {
    self.code = code
    self.description = description
  }
}

/// What an object may be called.
package enum AssetObjectName {
  /// Checks a name before it gets near a path or an address (docs/assets.md).
  ///
  /// - Throws: `badName` if it is not 8 to 100 small letters and digits.
  package static func check(_ name: String) throws(AssetFailure) {
    let isPlain = name.utf8.allSatisfy { byte in
      byte.isDigit || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
    }
    guard isPlain, (8...100).contains(name.utf8.count) else {
      throw AssetFailure(.badName, "an asset object cannot be called '\(name.prefix(100))'")
    }
  }
}
