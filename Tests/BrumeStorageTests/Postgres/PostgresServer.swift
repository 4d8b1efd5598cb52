// A PostgreSQL server for the tests of this process, started with the first of them, and a schema of its own
// for each test.

import BrumeStorage
import Dispatch
import Foundation
import Logging
import Synchronization

@testable import BrumePostgres

/// A server that ends with this process.
final class PostgresServer: Sendable {
  /// The one that tests share which do it no harm.
  static let shared = Result { try PostgresServer() }

  let url: String
  private let process: Process
  /// The server ends when it is closed, as it is at the end of this process.
  private let life: FileHandle
  private let count = Atomic<Int>(0)

  /// - Parameter settings: of the server, such as `fsync=on`.
  init(_ settings: [String] = []) throws {
    let (input, output) = (Pipe(), Pipe())
    process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = ["python3", Self.script] + settings
    process.standardInput = input
    process.standardOutput = output
    try process.run()
    life = input.fileHandleForWriting
    let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
    url = line.trimmingCharacters(in: .whitespacesAndNewlines)
    guard url.hasPrefix("postgres://") else {
      throw StoreError(.unavailable, "no PostgreSQL server for tests: \(line)")
    }
  }

  deinit { try? life.close() }

  /// The URL of an empty schema.
  func emptySchema() throws -> String {
    let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
    try Connection(ConnectionSettings(url)).simple("CREATE SCHEMA \(name)")
    return "\(url)?options=-csearch_path%3D\(name)"
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts/test-postgres").path
}

extension PostgresStore {
  /// A store in an empty schema.
  static func forTest(
    buckets: Int = 1, on server: PostgresServer? = nil, url: String? = nil
  ) throws -> PostgresStore {
    let server = try server ?? PostgresServer.shared.get()
    return try PostgresStore(
      url: url ?? server.emptySchema(), coders: .wireForm, buckets: buckets, writerCount: 2,
      readerCount: 2, runID: UUID().uuidString, acceptsLoss: true,
      wait: { $0.wait(timeout: .now() + .milliseconds($1)) == .success },
      logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
  }
}
