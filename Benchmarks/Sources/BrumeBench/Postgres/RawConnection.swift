// A connection of libpq, used as a program that is written by hand uses it: prepared statements, binary
// values, one exchange each. Nothing of ours.

import CPostgres
import Foundation

final class RawConnection: @unchecked Sendable {
  // Sendable because one thread at a time uses it.
  private let handle: OpaquePointer

  init(_ url: String) throws {
    guard let handle = PQconnectdb(url) else { throw BenchError("no memory for a connection") }
    self.handle = handle
    guard PQstatus(handle) == CONNECTION_OK else { throw failure() }
  }

  deinit { PQfinish(handle) }

  /// Carries out statements without values.
  func run(_ sql: String) throws { try check(PQexec(handle, sql)) }

  /// The first value that a statement finds.
  func text(_ sql: String) throws -> String {
    let result = PQexec(handle, sql)
    defer { PQclear(result) }
    guard PQntuples(result) > 0, let value = PQgetvalue(result, 0, 0) else { throw failure() }
    return String(cString: value)
  }

  func prepare(_ name: String, _ sql: String) throws {
    try check(PQprepare(handle, name, sql, 0, nil))
  }

  /// Runs a prepared statement; answers how many rows and bytes came.
  @discardableResult
  func run(prepared name: String, _ values: [[UInt8]]) throws -> (rows: Int, bytes: Int) {
    let result = Self.withAddresses(values) { addresses in
      PQexecPrepared(
        handle, name, Int32(values.count), addresses, values.map { Int32($0.count) },
        values.map { _ in 1 }, 1)
    }
    defer { PQclear(result) }
    guard PQresultStatus(result) == PGRES_TUPLES_OK || PQresultStatus(result) == PGRES_COMMAND_OK
    else { throw failure() }
    let (rows, columns) = (PQntuples(result), PQnfields(result))
    var bytes = 0
    for row in 0..<rows {
      for column in 0..<columns { bytes += Int(PQgetlength(result, row, column)) }
    }
    return (Int(rows), bytes)
  }

  private static func withAddresses(
    _ values: [[UInt8]], _ body: ([UnsafePointer<CChar>?]) -> OpaquePointer?
  ) -> OpaquePointer? {
    var buffer: [UInt8] = []
    let starts = values.map { value in
      defer { buffer += value }
      return buffer.count
    }
    // An address into an empty buffer would be NULL.
    buffer.append(0)
    return buffer.withUnsafeBytes { bytes in
      let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      return body(starts.map { start in base.map { $0 + start } })
    }
  }

  private func check(_ result: OpaquePointer?) throws {
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    guard status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK else { throw failure() }
  }

  private func failure() -> BenchError {
    BenchError("PostgreSQL: " + (PQerrorMessage(handle).map { String(cString: $0) } ?? ""))
  }
}

/// Values in PostgreSQL's binary form.
enum Binary {
  private static let textType: Int32 = 25
  private static let bytesType: Int32 = 17

  static func integer(_ value: Int64) -> [UInt8] { bytes(value) }
  static func text(_ value: String) -> [UInt8] { Array(value.utf8) }
  static func texts(_ values: [String]) -> [UInt8] {
    array(values.map { Array($0.utf8) }, textType)
  }
  static func blobs(_ values: [[UInt8]]) -> [UInt8] { array(values, bytesType) }

  /// One dimension that begins at 1.
  private static func array(_ values: [[UInt8]], _ type: Int32) -> [UInt8] {
    let head: [Int32] = [1, 0, type, Int32(values.count), 1]
    return values.reduce(into: head.flatMap { bytes($0) }) { all, value in
      all += bytes(Int32(value.count))
      all += value
    }
  }

  private static func bytes(_ value: some FixedWidthInteger) -> [UInt8] {
    withUnsafeBytes(of: value.bigEndian) { Array($0) }
  }
}
