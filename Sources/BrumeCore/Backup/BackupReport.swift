// What is in a backup, as the one who reads all of it finds it.

import BrumeModel
package import BrumeStorage
import Crypto

/// What a backup file holds.
package struct BackupReport: Equatable, Sendable {
  package internal(set) var header: BackupHeader?
  /// Rows of each table that has some.
  package private(set) var counts: [MovedTable: Int64] = [:]
  package internal(set) var rows: Int64 = 0
  /// What became of rows since the earlier backup, in this file; of a whole one its rows.
  package internal(set) var entries: Int64 = 0
  /// Of all rows; the same for each store with these contents.
  package internal(set) var hash = ""
  /// Container environments of which there is something: as many as `mostNames`.
  package private(set) var places: [String] = []
  /// Of the store; nil: no server has run on it.
  package private(set) var generation: String?
  package internal(set) var count = BackupAssetCount()
  /// The assets whose bytes are in this file.
  private var held: Set<ObjectMark> = []
  /// Checksums of assets whose bytes the server did not have: as many as `mostNames`.
  package private(set) var missing: [String] = []
  /// Where the frames of a table begin.
  var offsets: [MovedTable: Int64] = [:]
  /// Where the assets begin.
  package internal(set) var assetOffset: Int64 = 0

  /// Ours: names of a kind that are kept.
  package static let mostNames = 20

  mutating func note(_ row: MovedRow) {
    rows += 1
    counts[row.table, default: 0] += 1
    switch row.table {
    case .databases, .apiTokens: notePlace(row)
    case .settings where row["name"].text == SettingKey.generation.text:
      generation = row["value"].bytes.map { String(decoding: $0, as: UTF8.self) }
    default: break
    }
  }

  private mutating func notePlace(_ row: MovedRow) {
    guard places.count < Self.mostNames, let container = row["container"].text,
      let environment = row["environment"].text
    else { return }
    let place = "\(container) (\(environment))"
    if !places.contains(place) { places.append(place) }
  }

  /// What the rows say, collected anew: of a backup that continues another only what came of both.
  mutating func forgetRows() { (counts, rows, places, generation) = ([:], 0, [], nil) }

  mutating func noteAsset(_ file: MovedRow) throws {
    count.assets += 1
    count.bytes += try file.integer("size")
    held.insert(ObjectMark(try file.text("object")))
  }

  func holds(_ object: ObjectMark) -> Bool { held.contains(object) }

  mutating func noteMissing(_ file: MovedRow) {
    count.missing += 1
    if missing.count < Self.mostNames, let checksum = file["checksum"].text {
      missing.append(checksum)
    }
  }
}

/// The name of an object in 16 bytes, so that there can be very many.
package struct ObjectMark: Hashable, Sendable {
  private let halves: SIMD2<UInt64>

  package init(_ name: String) {
    halves = Array(SHA256.hash(data: Array(name.utf8))).withUnsafeBytes {
      $0.loadUnaligned(as: SIMD2<UInt64>.self)
    }
  }
}
