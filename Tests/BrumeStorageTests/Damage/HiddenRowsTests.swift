// An entry of an index that seems to be another zone's ends the search for what is in the zone. Nothing that is to
// be whole may take the rest for all.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Testing

@testable import BrumeSQLite

@Suite struct HiddenRowsTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static let pageBytes = 4096
  private static let leafOfIndex: UInt8 = 10

  private static func count(_ store: SQLiteStore) async throws -> Int {
    try await store.snapshot { source in
      let rows = try source.rows(of: .records)
      var count = 0
      while try rows.next() != nil { count += 1 }
      return count
    }
  }

  /// The number of a zone stands before a record's name, in one byte if it is more than 1.
  private func flipZone(before name: String) throws {
    let url = URL(filePath: folder.path + "/data/brume.sqlite")
    var bytes = try Data(contentsOf: url)
    let wanted = Data([2] + Array(name.utf8))
    var flipped = 0
    for start in stride(from: 0, to: bytes.count, by: Self.pageBytes)
    where bytes[start] == Self.leafOfIndex {
      guard let entry = bytes[start..<start + Self.pageBytes].range(of: wanted) else { continue }
      bytes[entry.lowerBound] ^= 4
      flipped += 1
    }
    #expect(flipped == 1)
    try bytes.write(to: url)
  }

  @Test func `rows that a damaged index hides are missed`() async throws {
    let store = try folder.openSQLite()
    try await store.write(in: .all) { transaction in
      try transaction.putNext("first", in: .sample("One"))
      for number in 10..<40 { try transaction.putNext("note-\(number)", in: .sample("Two")) }
    }
    #expect(try await Self.count(store) == 31)
    try await store.close()
    try flipZone(before: "note-20")
    let damaged = try folder.openSQLite()
    let error = await #expect(throws: StoreError.self) { try await Self.count(damaged) }
    #expect(error?.code == .corrupt)
    #expect(error?.description.contains("leads to 11 of 31") == true, "\(error?.description ?? "")")
    try await damaged.close()
  }
}
