// The rows that a statement answered, in binary.

import BrumeStorage
import CPostgres

struct Rows {
  private let result: Result
  private let indices: [Int32]?

  /// Takes over the result.
  init(_ result: OpaquePointer) { (self.result, indices) = (Result(result), nil) }

  private init(_ result: Result, _ indices: [Int32]) {
    (self.result, self.indices) = (result, indices)
  }

  var count: Int { indices?.count ?? Int(PQntuples(result.handle)) }

  var first: Row? { count > 0 ? row(0) : nil }

  func map<Value>(_ transform: (Row) throws -> Value) rethrows -> [Value] {
    try (0..<count).map { try transform(row($0)) }
  }

  /// The rows of each of so many questions: the last column says which, from 1.
  func parts(_ count: Int) -> [Rows] {
    var indices = [[Int32]](repeating: [], count: count)
    let last = PQnfields(result.handle) - 1
    for index in 0..<self.count {
      let number = Int(row(index).integer(last)) - 1
      if indices.indices.contains(number) { indices[number].append(row(index).index) }
    }
    return indices.map { Rows(result, $0) }
  }

  private func row(_ index: Int) -> Row {
    Row(result: result, index: indices?[index] ?? Int32(index))
  }

  /// What libpq keeps for them.
  fileprivate final class Result {
    let handle: OpaquePointer

    init(_ handle: OpaquePointer) { self.handle = handle }
    deinit { PQclear(handle) }

    func bytes(_ row: Int32, _ column: Int32) -> UnsafeRawBufferPointer? {
      guard PQgetisnull(handle, row, column) == 0, let start = PQgetvalue(handle, row, column)
      else { return nil }
      return UnsafeRawBufferPointer(start: start, count: Int(PQgetlength(handle, row, column)))
    }
  }
}

/// One of them. A column that is NULL is 0 or empty, unless it is asked for as optional.
struct Row {
  fileprivate let result: Rows.Result
  fileprivate let index: Int32

  func isNull(_ column: Int32) -> Bool { result.bytes(index, column) == nil }

  func integer(_ column: Int32) -> Int64 { optionalInteger(column) ?? 0 }

  func optionalInteger(_ column: Int32) -> Int64? {
    result.bytes(index, column).flatMap { bytes in
      bytes.count == 8 ? Int64(bigEndian: bytes.loadUnaligned(as: Int64.self)) : nil
    }
  }

  /// Of a `boolean`, which the tables do not have but expressions do.
  func isTrue(_ column: Int32) -> Bool { result.bytes(index, column)?.first == 1 }

  func flag(_ column: Int32) -> Bool { integer(column) != 0 }

  func text(_ column: Int32) -> String { optionalText(column) ?? "" }

  func optionalText(_ column: Int32) -> String? {
    result.bytes(index, column).map { String(decoding: $0, as: UTF8.self) }
  }

  func bytes(_ column: Int32) -> [UInt8] { optionalBytes(column) ?? [] }

  func optionalBytes(_ column: Int32) -> [UInt8]? { result.bytes(index, column).map { Array($0) } }

  /// Adds a number to a checksum.
  func add(integer column: Int32, to sum: inout RowSum) {
    if let number = optionalInteger(column) { sum.add(number) } else { sum.addNull() }
  }

  /// Adds a text to a checksum. It is not copied.
  func add(text column: Int32, to sum: inout RowSum) {
    if let text = result.bytes(index, column) { sum.add(text: text) } else { sum.addNull() }
  }

  /// Adds bytes to a checksum. They are not copied.
  func add(bytes column: Int32, to sum: inout RowSum) {
    if let bytes = result.bytes(index, column) { sum.add(bytes: bytes) } else { sum.addNull() }
  }

  /// A value that this version must know.
  func known<Value>(_ value: Value?, _ what: String) throws -> Value {
    guard let value else { throw StoreError(.corrupt, "unknown \(what) in the database") }
    return value
  }
}
