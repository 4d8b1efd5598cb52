// What a commit writes to the log is kept until the commit waits for the disk, and no longer.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import GRDB
import Testing

@testable import BrumeSQLite

@Suite struct LogPiecesTests {
  let folder: TemporaryFolder
  let store: SQLiteStore
  init() throws {
    folder = try TemporaryFolder()
    store = try folder.openSQLite()
  }

  private static let kilobyte: [String: FieldValue] = [
    "b": .bytes(Array(repeating: 7, count: 1000))
  ]
  private static let large: [String: FieldValue] = [
    "b": .bytes(Array(repeating: 7, count: 1 << 18))
  ]

  /// Leaves the writer room for so few pages that it must write some before the commit.
  private func leaveRoom(pages: Int) async throws {
    try await store.onWriter { try $0.run(SQL("PRAGMA cache_size = \(pages)")) }
  }

  @Test func `a save's pages come into the log all at once, when it waits for the disk`()
    async throws
  {
    try await store.write(in: .all) { try $0.putNext("first", fields: Self.kilobyte) }
    try await leaveRoom(pages: 1)
    let before = try folder.sizeOfLog()
    let during = try await store.write(in: .all) { [folder] transaction in
      for number in 0..<4 { try transaction.putNext("r\(number)", fields: Self.kilobyte) }
      return try folder.sizeOfLog()
    }
    #expect(during == before)
    #expect(try folder.sizeOfLog() > before)
    try await store.close()
  }

  @Test func `pages that left the cache before the commit are read back, kept or written`()
    async throws
  {
    try await leaveRoom(pages: 1)
    let names = (0..<100).map { "r\($0)" }
    let found = try await store.write(in: .all) { transaction in
      for name in names { try transaction.putNext(name, fields: Self.kilobyte) }
      return try transaction.changes.page(in: .sample(), after: 0, through: .max, limit: 200)
    }
    #expect(found.count == 100)
    let kept = try await store.read { transaction in
      try names.filter { try transaction.records.find(RecordKey(zone: .sample(), name: $0)) != nil }
    }
    #expect(kept == names)
    try await store.close()
  }

  @Test func `what is larger than the room for it is written too`() async throws {
    try await store.write(in: .all) { try $0.putNext("large", fields: Self.large) }
    let found = try await store.read {
      try $0.records.find(RecordKey(zone: .sample(), name: "large"))?.record()
    }
    #expect(found?.fields == Self.large)
    try await store.close()
  }

  @Test func `pages of a body that failed leave nothing behind`() async throws {
    try await leaveRoom(pages: 1)
    for round in 0..<3 {
      await #expect(throws: CancellationError.self) {
        try await store.write(in: .all) { transaction in
          for number in 0..<30 { try transaction.putNext("gone\(number)", fields: Self.kilobyte) }
          throw CancellationError()
        }
      }
      try await store.write(in: .all) { try $0.putNext("r\(round)", fields: Self.kilobyte) }
    }
    let found = try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 99).map(\.name)
    }
    #expect(found == ["r0", "r1", "r2"])
    let complaints = try await store.onWriter { connection in
      try connection.all(SQL("PRAGMA integrity_check")) { $0.text(0) }
    }
    #expect(complaints == ["ok"])
    try await store.close()
  }

  /// As after an end of the process in this moment: what it kept in memory is not there.
  private func namesInCopy() throws -> [String] {
    let copy = folder.path + "/copy"
    try? FileManager.default.removeItem(atPath: copy)
    try FileManager.default.createDirectory(atPath: copy, withIntermediateDirectories: false)
    for name in ["brume.sqlite", "brume.sqlite-wal"] {
      try FileManager.default.copyItem(
        atPath: folder.path + "/data/" + name, toPath: copy + "/" + name)
    }
    return try DatabaseQueue(path: copy + "/brume.sqlite").read {
      try String.fetchAll($0, sql: "SELECT name FROM records ORDER BY sequence")
    }
  }

  @Test func `when a write is answered, all of it is in the files`() async throws {
    try await store.write(in: .all) { try $0.putNext("one", fields: Self.kilobyte) }
    #expect(try namesInCopy() == ["one"])
    // Its commit leaves the disk for later, which is no reason to keep it from the kernel.
    try await store.writeRepeatable(in: .all) { try $0.putNext("two", fields: Self.kilobyte) }
    #expect(try namesInCopy() == ["one", "two"])
    try await store.write(in: .all) { try $0.putNext("three", fields: Self.kilobyte) }
    #expect(try namesInCopy() == ["one", "two", "three"])
    try await store.close()
  }
}

extension StoredChange {
  fileprivate var name: String {
    switch self {
    case .changed(let record): record.name
    case .deleted(let deletion): deletion.name
    }
  }
}
