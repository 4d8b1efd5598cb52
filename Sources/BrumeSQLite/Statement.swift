// A prepared statement with typed bindings and columns, straight on SQLite's C API. GRDB prepares
// and keeps it. Texts and blobs are bound with their length, so no byte ends them early
// (decision 0011), and read with one copy.

import BrumeStorage
import GRDB
import GRDBSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A statement's text. Statements are constants, so that identity is enough to find the prepared
/// form again.
final class SQL: Sendable {
  let text: String
  init(_ text: String) { self.text = text }
}

struct Prepared {
  let handle: OpaquePointer

  // MARK: Binding, from 1

  func bind(_ index: Int32, _ value: Int64) { sqlite3_bind_int64(handle, index, value) }
  func bind(_ index: Int32, _ value: Int) { bind(index, Int64(value)) }
  func bind(_ index: Int32, _ value: Bool) { bind(index, value ? 1 : 0 as Int64) }
  func bind(_ index: Int32, _ value: Double) { sqlite3_bind_double(handle, index, value) }

  func bind(_ index: Int32, _ value: String) {
    var value = value
    value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { bindText(index, $0) }
    }
  }

  /// Text that is perhaps not valid UTF-8: the end of a range.
  func bind(_ index: Int32, textBytes: [UInt8]) {
    textBytes.withUnsafeBytes { bindText(index, $0.bindMemory(to: CChar.self)) }
  }

  func bind(_ index: Int32, _ value: [UInt8]) {
    value.withUnsafeBytes { bytes -> Void in
      if let start = bytes.baseAddress, !bytes.isEmpty {
        sqlite3_bind_blob64(handle, index, start, UInt64(bytes.count), Self.transient)
      } else {
        sqlite3_bind_zeroblob(handle, index, 0)
      }
    }
  }

  func bind(_ index: Int32, _ value: Int64?) { value.map { bind(index, $0) } ?? null(index) }
  func bind(_ index: Int32, _ value: String?) { value.map { bind(index, $0) } ?? null(index) }
  func bind(_ index: Int32, _ value: [UInt8]?) { value.map { bind(index, $0) } ?? null(index) }

  private func null(_ index: Int32) { sqlite3_bind_null(handle, index) }

  private func bindText(_ index: Int32, _ bytes: UnsafeBufferPointer<CChar>) {
    if let start = bytes.baseAddress, !bytes.isEmpty {
      sqlite3_bind_text64(
        handle, index, start, UInt64(bytes.count), Self.transient, UInt8(SQLITE_UTF8))
    } else {
      sqlite3_bind_text(handle, index, "", 0, Self.transient)
    }
  }

  /// SQLite copies what is bound.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  // MARK: Columns, from 0

  func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }
  func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
  func bool(_ column: Int32) -> Bool { int(column) != 0 }
  func double(_ column: Int32) -> Double { sqlite3_column_double(handle, column) }

  func text(_ column: Int32) -> String {
    let start = sqlite3_column_text(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return String(decoding: UnsafeBufferPointer(start: start, count: count), as: UTF8.self)
  }

  func blob(_ column: Int32) -> [UInt8] {
    let start = sqlite3_column_blob(handle, column)
    let count = Int(sqlite3_column_bytes(handle, column))
    return [UInt8](UnsafeRawBufferPointer(start: start, count: count))
  }

  /// Whether a blob has these bytes.
  func isBlob(_ column: Int32, _ bytes: [UInt8]) -> Bool {
    guard let start = sqlite3_column_blob(handle, column) else { return bytes.isEmpty }
    let count = Int(sqlite3_column_bytes(handle, column))
    guard count == bytes.count else { return false }
    return bytes.withUnsafeBytes { bytes in
      bytes.baseAddress.map { memcmp(start, $0, count) == 0 } ?? true
    }
  }

  func optionalInt(_ column: Int32) -> Int64? { isNull(column) ? nil : int(column) }
  func optionalText(_ column: Int32) -> String? { isNull(column) ? nil : text(column) }
  func optionalBlob(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : blob(column) }
}
