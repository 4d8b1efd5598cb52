// The hash of what a store holds: the same for two stores with the same contents, whichever engines keep them.

import BrumeModel
import BrumeStorage
import Crypto

struct MoveHash {
  private var hash = SHA256()

  mutating func begin(_ table: MovedTable) { add(0x54, Array(table.rawValue.utf8)) }

  mutating func add(_ row: MovedRow) {
    for (value, column) in zip(row.values, row.table.columns) {
      switch column.kind {
      // Each store has its own. Rows are compared with them all the same.
      case .place, .positions: continue
      case .integer, .text, .bytes: add(value)
      }
    }
  }

  /// As 64 digits.
  var text: String { Hex.text(Array(hash.finalize())) }

  private mutating func add(_ value: MovedValue) {
    switch value {
    case .null: add(0x30, [])
    case .integer(let number): add(0x31, Array(String(number).utf8))
    case .text(let text): add(0x32, Array(text.utf8))
    case .bytes(let bytes): add(0x33, bytes)
    }
  }

  /// With kind and length, so that no two lists of values look alike.
  private mutating func add(_ kind: UInt8, _ bytes: [UInt8]) {
    hash.update(data: [kind])
    withUnsafeBytes(of: UInt64(bytes.count).bigEndian) { hash.update(bufferPointer: $0) }
    hash.update(data: bytes)
  }
}
