// The rows that a statement answered, in binary.

import BrumeStorage
import CPostgres

final class Rows {
  private let result: OpaquePointer
  let count: Int

  /// Takes over the result.
  init(_ result: OpaquePointer) {
    self.result = result
    count = Int(PQntuples(result))
  }
  deinit { PQclear(result) }

  /// How many rows a statement that writes has changed.
  var changed: Int { PQcmdTuples(result).flatMap { Int(String(cString: $0)) } ?? 0 }

  var first: Row? { count > 0 ? Row(rows: self, index: 0) : nil }

  func map<Value>(_ transform: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try transform(Row(rows: self, index: Int32($0))) }
  }

  fileprivate func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
    guard PQgetisnull(result, row, column) == 0, let start = PQgetvalue(result, row, column)
    else { return nil }
    return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(result, row, column)))
  }
}

/// One of them. A column that is NULL is 0 or empty, unless it is asked for as optional.
struct Row {
  fileprivate let rows: Rows
  fileprivate let index: Int32

  func integer(_ column: Int32) -> Int64 { optionalInteger(column) ?? 0 }

  func optionalInteger(_ column: Int32) -> Int64? {
    rows.bytes(index, column).flatMap { bytes in
      bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : nil
    }
  }

  /// Of a `boolean`, which the tables do not have but expressions do.
  func isTrue(_ column: Int32) -> Bool { rows.bytes(index, column)?.first == 1 }

  func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  func optionalText(_ column: Int32) -> String? {
    rows.bytes(index, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ column: Int32) -> [UInt8] { optionalBytes(column) ?? [] }

  func optionalBytes(_ column: Int32) -> [UInt8]? { rows.bytes(index, column).map { Array($0) } }

  /// A value that this version must know.
  func known<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw StoreError(.corrupt, "unknown \(what) in the database") }
    return value
  }
}
