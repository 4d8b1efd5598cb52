// Moves between a folder and an empty schema of the tests' server.

import BrumeCore
import BrumeModel
import BrumePostgres
import BrumeStorage
import BrumeTestKit
import Logging

@testable import BrumeSQLite

typealias Report = (StoreMove.Progress) throws -> Void

struct Mover {
  let folder: TemporaryFolder
  let back: TemporaryFolder
  let url: String
  let buckets: Int

  init(buckets: Int = 16) throws {
    folder = try TemporaryFolder()
    back = try TemporaryFolder()
    url = try PostgresServer.shared.get().emptySchema()
    self.buckets = buckets
  }

  static let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }

  /// Runs `body` with the store in the first folder.
  func withSQLite(_ body: (SQLiteStore) async throws -> Void) async throws {
    try await Self.with(folder, body)
  }

  static func with(
    _ folder: TemporaryFolder, _ body: (SQLiteStore) async throws -> Void
  ) async throws {
    let store = try folder.openSQLite()
    do { try await body(store) } catch {
      try? await store.close()
      throw error
    }
    try? await store.close()
  }

  func withPostgres(_ body: (PostgresStore) async throws -> Void) async throws {
    let store = try PostgresStore.forTest(buckets: buckets, url: url)
    try await body(store)
    try await store.close()
  }

  /// From the first folder.
  @discardableResult
  func toPostgres(pageRows: Int = 500, _ report: Report = { _ in }) throws -> StoreMove.Outcome {
    try SQLiteMoving.run(
      folder: folder.path + "/data", isNew: false, logger: Self.logger
    ) { source in
      let target = try PostgresMoving(url: url, buckets: buckets, acceptsLoss: true)
      return try withoutActuallyEscaping(report) { report in
        try StoreMove(from: source, to: target, pageRows: pageRows, report: report).run()
      }
    }
  }

  /// Into the second folder.
  @discardableResult
  func toSQLite(pageRows: Int = 500, _ report: Report = { _ in }) throws -> StoreMove.Outcome {
    let source = try PostgresMoving(url: url, isSource: true, acceptsLoss: true)
    return try SQLiteMoving.run(
      folder: back.path + "/data", isNew: true, logger: Self.logger
    ) { target in
      try withoutActuallyEscaping(report) { report in
        try StoreMove(from: source, to: target, pageRows: pageRows, report: report).run()
      }
    }
  }

  /// The hash of a folder, as a move into an empty store finds it.
  static func hash(_ folder: TemporaryFolder) throws -> String {
    let url = try PostgresServer.shared.get().emptySchema()
    return try SQLiteMoving.run(folder: folder.path + "/data", isNew: false, logger: logger) {
      let target = try PostgresMoving(url: url, buckets: 1, acceptsLoss: true)
      return try StoreMove(from: $0, to: target).run().hash
    }
  }
}

struct Interruption: Error {}
