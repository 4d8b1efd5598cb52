// The promises of `AssetStore.swift`, as cases that any asset store must pass. A case gets an empty
// store and throws what it found wrong.

package import BrumeStorage

/// The cases that every asset store must pass.
package enum AssetStoreContract {
  /// One promise of asset stores. Throws what it found wrong.
  package struct Case: Sendable, CustomStringConvertible {
    /// A sentence that is true of every asset store.
    package let name: String
    package let run: @Sendable (any AssetStore) async throws -> Void

    init(_ name: String, _ run: @escaping @Sendable (any AssetStore) async throws -> Void) {
      self.name = name
      self.run = run
    }
    package var description: String { name }
  }

  private struct Interruption: Error {}
  private static let one = "a1b2c3d4e5f6"
  private static let two = "a1ffffffffff"
  private static let three = "zz0000000000"

  package static let all: [Case] = [
    Case("an object comes back byte for byte, in pieces, whole and in part") { store in
      // Longer than any piece, and of a length that divides nothing.
      let bytes = (0..<700_001).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
      try await store.write(bytes, as: one, inPieces: 70_000)
      try expectEqual(try await store.size(of: one), 700_001, "size")
      try expect(try await store.bytes(of: one, 0..<700_001) == bytes, "the whole")
      for range in [0..<1, 700_000..<700_001, 65_535..<65_537, 131_000..<400_000] as [Range<Int64>]
      {
        let part = Array(bytes[Int(range.lowerBound)..<Int(range.upperBound)])
        try expect(try await store.bytes(of: one, range) == part, "bytes \(range)")
      }
    },
    Case("an object that is written again is replaced, and is there until then") { store in
      try await store.write([1, 2], as: one)
      var pieces: [ArraySlice<UInt8>] = [[3]]
      var sizes: [Int64?] = []
      try await store.write(one) {
        sizes.append(try await store.size(of: one))
        return pieces.popLast()
      }
      try expectEqual(sizes, [2, 2], "while it was written")
      try expectEqual(try await store.size(of: one), 1, "size")
      try expectEqual(try await store.bytes(of: one, 0..<1), [3], "content")
    },
    Case("an empty object is an object") { store in
      try await store.write([], as: one)
      try expectEqual(try await store.size(of: one), 0, "size")
      try expectEqual(try await store.bytes(of: one, 0..<0), [], "content")
    },
    Case("an object whose writing failed is not there") { store in
      var pieces = 0
      do {
        try await store.write(one) {
          pieces += 1
          if pieces > 3 { throw Interruption() }
          return ArraySlice(repeating: 7, count: 100_000)
        }
        try expect(false, "the interruption was swallowed")
      } catch is Interruption {}
      try expectEqual(try await store.size(of: one), nil, "size")
      try expectEqual(try await store.names(after: "", limit: 10), [], "names")
      // And its name is still free.
      try await store.write([1], as: one)
      try expectEqual(try await store.bytes(of: one, 0..<1), [1], "content")
    },
    Case("what is not there has no size, and reading it says so") { store in
      try expectEqual(try await store.size(of: one), nil, "size")
      try await expectMissing { _ = try await store.bytes(of: one, 0..<1) }
      try await store.write([1, 2, 3], as: one)
      try await expectMissing { _ = try await store.bytes(of: one, 0..<4) }
    },
    Case("a removed object is gone, and removing it again is no error") { store in
      try await store.write([1], as: one)
      try await store.write([2], as: two)
      try await store.remove(one)
      try await store.remove(one)
      try expectEqual(try await store.size(of: one), nil, "removed")
      try expectEqual(try await store.bytes(of: two, 0..<1), [2], "the other one")
    },
    Case("names come in order, page by page") { store in
      for name in [three, one, two] { try await store.write([1], as: name) }
      try expectEqual(try await store.names(after: "", limit: 2), [one, two], "first page")
      try expectEqual(try await store.names(after: two, limit: 2), [three], "second page")
      try expectEqual(try await store.names(after: three, limit: 2), [], "after the last")
    },
    Case("names that could mean something to a file system are refused") { store in
      for name in [
        "../../../etc/x", "a/b1234567", "..", "", "UPPERCASE1", "nul\u{0}byte12", "a.b.c.d.e",
      ] {
        do {
          try await store.write([1], as: name)
          try expect(false, "'\(name)' was taken")
        } catch let failure as AssetFailure {
          try expectEqual(failure.code, .badName, "writing '\(name)'")
        }
      }
      try expectEqual(try await store.names(after: "", limit: 10), [], "names")
    },
  ]

  private static func expectMissing(_ body: () async throws -> Void) async throws {
    do {
      try await body()
      try expect(false, "missing bytes were not missed")
    } catch let failure as AssetFailure {
      try expectEqual(failure.code, .missing, "failure")
    }
  }
}

extension AssetStore {
  /// Writes bytes that are at hand.
  ///
  /// - Throws: as the other.
  package func write(_ bytes: [UInt8], as name: String, inPieces count: Int = 65_536) async throws {
    var rest = bytes[...]
    try await write(name) {
      guard !rest.isEmpty else { return nil }
      defer { rest = rest.dropFirst(count) }
      return rest.prefix(count)
    }
  }

  /// A range of an object, collected.
  ///
  /// - Throws: an `AssetFailure`.
  package func bytes(of name: String, _ range: Range<Int64>) async throws -> [UInt8] {
    var bytes: [UInt8] = []
    try await read(name, range) { bytes += $0 }
    return bytes
  }
}
