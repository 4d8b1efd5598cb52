// What frames of a backup hold, as values and as bytes: rows of a table, the end of all rows, pieces of assets, the
// end of all. Reading is total: any bytes give a value or nil.

package import BrumeModel
package import BrumeStorage

/// Rows of one table, in the order of their keys.
struct BackupRows: Equatable {
  let table: MovedTable
  let rows: [MovedRow]

  /// Ours: bytes of rows in one frame, about.
  static let bytes = 1 << 20
  /// Ours: rows in one frame.
  static let most = 1000

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(table.rawValue)
    packer.add(Int64(rows.count))
    for row in rows { for value in row.values { packer.add(value) } }
    return packer.bytes
  }

  init(_ table: MovedTable, _ rows: [MovedRow]) {
    self.table = table
    self.rows = rows
  }

  /// - Throws: `StoreError` if a value is not as its column says.
  init?(_ bytes: [UInt8]) throws {
    var unpacker = Unpacker(bytes)
    guard let table = unpacker.text().flatMap({ MovedTable(rawValue: $0) }),
      let count = unpacker.number()
    else { return nil }
    var rows: [MovedRow] = []
    for _ in 0..<max(0, count) {
      var values: [MovedValue] = []
      for _ in table.columns {
        guard let value = unpacker.value() else { return nil }
        values.append(value)
      }
      rows.append(try MovedRow(table, values))
    }
    guard unpacker.isAtEnd else { return nil }
    self.init(table, rows)
  }
}

/// All rows were written.
struct BackupRowsEnd: Equatable {
  let rows: Int64
  /// As `MoveHash` makes it.
  let hash: String

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(rows)
    packer.add(hash)
    return packer.bytes
  }

  init(rows: Int64, hash: String) {
    self.rows = rows
    self.hash = hash
  }

  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let rows = unpacker.number(), let hash = unpacker.text() else { return nil }
    self.init(rows: rows, hash: hash)
  }
}

/// A part of an asset's bytes.
package struct BackupAssetPiece: Equatable, Sendable {
  /// The name of the object in the asset store.
  package let object: String
  /// Of the piece, in the asset.
  package let offset: Int64
  package let data: [UInt8]

  /// Ours: bytes of an asset in one frame.
  package static let mostBytes = 1 << 20

  package var bytes: [UInt8] {
    var packer = Packer()
    packer.add(object)
    packer.add(offset)
    packer.add(data)
    return packer.bytes
  }

  package init(object: String, offset: Int64, data: [UInt8]) {
    self.object = object
    self.offset = offset
    self.data = data
  }

  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let object = unpacker.text(), let offset = unpacker.number(), let data = unpacker.data()
    else { return nil }
    self.init(object: object, offset: offset, data: data)
  }
}

/// How many assets there are in the file, and how many were missing on the server.
package struct BackupAssetCount: Equatable, Sendable {
  package var assets: Int64 = 0
  package var missing: Int64 = 0
  package var bytes: Int64 = 0

  package init() {}

  package var packed: [UInt8] {
    var packer = Packer()
    for number in [assets, missing, bytes] { packer.add(number) }
    return packer.bytes
  }

  init?(_ packed: [UInt8]) {
    var unpacker = Unpacker(packed)
    guard let assets = unpacker.number(), let missing = unpacker.number(),
      let bytes = unpacker.number()
    else { return nil }
    (self.assets, self.missing, self.bytes) = (assets, missing, bytes)
  }
}

extension Packer {
  fileprivate mutating func add(_ value: MovedValue) {
    switch value {
    case .null: add(Int64(0))
    case .integer(let number):
      add(Int64(1))
      add(number)
    case .text(let text):
      add(Int64(2))
      add(text)
    case .bytes(let bytes):
      add(Int64(3))
      add(bytes)
    }
  }
}

extension Unpacker {
  fileprivate mutating func value() -> MovedValue? {
    switch number() {
    case 0: .null
    case 1: number().map { .integer($0) }
    case 2: text().map { .text($0) }
    case 3: data().map { .bytes($0) }
    default: nil
    }
  }
}
