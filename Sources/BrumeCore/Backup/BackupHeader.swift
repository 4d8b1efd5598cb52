// What a backup says of itself first: which it is, when and of which engine it was made, and what is known of the
// store before its rows. A file of a newer version, or of other tables, is refused here.

package import BrumeModel
import BrumeStorage

/// The content of a backup's first frame.
package struct BackupHeader: Equatable, Sendable {
  /// Never used for another backup.
  package let id: String
  /// When it was begun.
  package let made: Milliseconds
  /// How an operator calls the engine that it was made of.
  package let engineName: String
  package let bucketCount: Int
  let sequenceFloor: Int64
  let lastDelivery: Int64
  let cursors: [Bucket: [UInt8]]
  /// Nil: the backup is whole.
  package let base: Base?

  /// The earlier backup that one continues.
  package struct Base: Equatable, Sendable {
    package let id: String
    /// Its name in the folder of the one that continues it.
    package let file: String
  }

  /// Rises whenever the form of the file or the tables in it change (`MovedTable`).
  package static let version: Int64 = 1

  /// - Parameter made: the time at which the rows are read.
  init(of source: any StoreExport, id: String, made: Milliseconds) throws {
    let outline = try source.outline()
    self.id = id
    self.made = made
    engineName = source.engineName
    bucketCount = source.bucketCount
    sequenceFloor = outline.sequenceFloor
    lastDelivery = outline.lastDelivery
    cursors = outline.cursors
    base = nil
  }

  /// The header of the same state, as one that continues an earlier backup.
  init(_ whole: BackupHeader, continuing base: Base) {
    (id, made, engineName) = (whole.id, whole.made, whole.engineName)
    (bucketCount, sequenceFloor) = (whole.bucketCount, whole.sequenceFloor)
    (lastDelivery, cursors) = (whole.lastDelivery, whole.cursors)
    self.base = base
  }

  var outline: StoreOutline {
    StoreOutline(
      identity: "backup \(id)", sequenceFloor: sequenceFloor, lastDelivery: lastDelivery,
      cursors: cursors)
  }

  // MARK: As bytes

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(Self.version)
    packer.add(Self.tables)
    packer.add(id)
    packer.add(made)
    packer.add(engineName)
    for number in [Int64(bucketCount), sequenceFloor, lastDelivery, Int64(cursors.count)] {
      packer.add(number)
    }
    for (bucket, cursor) in cursors.sorted(by: { $0.key < $1.key }) {
      packer.add(Int64(bucket.number))
      packer.add(cursor)
    }
    packer.add(base?.id ?? "")
    packer.add(base?.file ?? "")
    return packer.bytes
  }

  /// - Throws: `StoreError` with `tooNew` if another version of Brume wrote it.
  package init(_ bytes: [UInt8]) throws {
    var unpacker = Unpacker(bytes)
    guard let version = unpacker.number() else { throw Self.unreadable }
    guard version <= Self.version else {
      throw StoreError(
        .tooNew,
        "a newer version of Brume made this backup (its format is \(version), this version reads up to "
          + "\(Self.version)); use the version that made it, or a newer one")
    }
    guard let tables = unpacker.text() else { throw Self.unreadable }
    guard tables == Self.tables else {
      throw StoreError(
        .tooNew,
        "another version of Brume made this backup: its tables are not those of this version; restore it "
          + "with the version that made it, and start this one on the restored data")
    }
    guard let id = unpacker.text(), let made = unpacker.number(), let engine = unpacker.text(),
      let buckets = unpacker.number(), let floor = unpacker.number(),
      let delivery = unpacker.number(), let count = unpacker.number(), buckets > 0
    else { throw Self.unreadable }
    (self.id, self.made, engineName) = (id, made, engine)
    (bucketCount, sequenceFloor, lastDelivery) = (Int(buckets), floor, delivery)
    cursors = try Self.cursors(count, &unpacker)
    guard let baseID = unpacker.text(), let baseFile = unpacker.text() else {
      throw Self.unreadable
    }
    base = baseID.isEmpty ? nil : Base(id: baseID, file: baseFile)
  }

  private static func cursors(
    _ count: Int64, _ unpacker: inout Unpacker
  ) throws -> [Bucket: [UInt8]] {
    var cursors: [Bucket: [UInt8]] = [:]
    for _ in 0..<max(0, count) {
      guard let bucket = unpacker.number(), bucket >= 0, let cursor = unpacker.data() else {
        throw unreadable
      }
      cursors[Bucket(Int(bucket))] = cursor
    }
    return cursors
  }

  private static let unreadable = StoreError(
    .corrupt, "the beginning of the backup cannot be read")

  /// The tables and their columns in words: other words are another form.
  static let tables = MovedTable.allCases.map { table in
    "\(table.rawValue) \(table.keyLength) \(table.columns.map(\.name).joined(separator: ","))"
  }.joined(separator: "\n")
}
