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
  private let answers: FileHandle
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
    answers = output.fileHandleForReading
    url = Self.line(answers)
    guard url.hasPrefix("postgres://") else {
      throw StoreError(.unavailable, "no PostgreSQL server for tests: \(url)")
    }
  }

  deinit { try? life.close() }

  /// A server for `body` alone.
  static func with<Value>(
    _ settings: [String] = [], _ body: (PostgresServer) async throws -> Value
  ) async throws -> Value {
    let server = try PostgresServer(settings)
    let result = await Result { try await body(server) }
    // Or it would end with its last use, which stores on it do not see.
    return try withExtendedLifetime(server) { try result.get() }
  }

  /// The URL of an empty schema.
  func emptySchema() throws -> String {
    let name = "test_\(count.add(1, ordering: .relaxed).newValue)"
    try run("CREATE SCHEMA \(name)")
    return "\(url)?options=-csearch_path%3D\(name)"
  }

  /// Carries out statements as the server's administrator.
  func run(_ sql: String) throws { try Connection(ConnectionSettings(url)).simple(sql) }

  enum Command {
    /// At once, without writing anything more.
    case stop
    /// All of its processes.
    case kill
    /// Again, on the same data and port, with more settings.
    case start([String] = [])
    /// Of its data, while it is stopped.
    case copy
    /// That copy in the place of its data, while it is stopped.
    case restore
    /// Answers the path of its log.
    case log

    fileprivate var text: String {
      switch self {
      case .start(let settings): (["start"] + settings).joined(separator: " ")
      default: "\(self)"
      }
    }
  }

  /// Waits for the server to have done it, on a thread that may wait.
  @discardableResult
  func perform(_ command: Command) async throws -> String {
    let answer = try await withCheckedThrowingContinuation { continuation in
      DispatchQueue.global().async { [life, answers] in
        continuation.resume(
          with: Result {
            try life.write(contentsOf: Data((command.text + "\n").utf8))
            return Self.line(answers)
          })
      }
    }
    if answer.isEmpty { throw StoreError(.unavailable, "the server for tests is gone") }
    return answer
  }

  /// Empty at the end.
  private static func line(_ file: FileHandle) -> String {
    var line: [UInt8] = []
    var byte: UInt8 = 0
    while true {
      let count = read(file.fileDescriptor, &byte, 1)
      if count < 0, errno == EINTR { continue }
      if count <= 0 || byte == UInt8(ascii: "\n") { return String(decoding: line, as: UTF8.self) }
      line.append(byte)
    }
  }

  private static let script = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "scripts/test-postgres").path
}

extension PostgresStore {
  /// A store in an empty schema.
  ///
  /// - Parameters:
  ///   - locksBuckets: false to show what the locks are for.
  ///   - patience: milliseconds after which an answer does not come any more.
  static func forTest(
    buckets: Int = 1, on server: PostgresServer? = nil, url: String? = nil, writers: Int = 2,
    readers: Int = 2, acceptsLoss: Bool = true, locksBuckets: Bool = true,
    patience: Int32? = nil,
    pause: @escaping @Sendable (Int) -> Void = { Thread.sleep(forTimeInterval: Double($0) / 1000) }
  ) throws -> PostgresStore {
    let url = try url ?? (try server ?? PostgresServer.shared.get()).emptySchema()
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    var settings = try ConnectionSettings(url)
    settings.patience = patience ?? settings.patience
    return try PostgresStore(
      Connector(
        settings: settings, logger: logger, pause: pause,
        milliseconds: { Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000) }),
      coders: .wireForm,
      buckets: buckets, writerCount: writers, readerCount: readers, runID: UUID().uuidString,
      acceptsLoss: acceptsLoss, locksBuckets: locksBuckets)
  }
}
