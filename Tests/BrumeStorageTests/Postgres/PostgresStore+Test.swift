// Stores in PostgreSQL for tests.

import BrumeStorage
import BrumeTestKit
import Dispatch
import Foundation
import Logging

@testable import BrumePostgres

extension PostgresStore {
  /// A store in an empty schema.
  ///
  /// - Parameters:
  ///   - readsOnCaller: as in a server. The threads of tests are few, and a test that holds an answer back must not hold
  ///     them with it.
  ///   - locksBuckets: false to show what the locks are for.
  ///   - milliseconds: its clock.
  ///   - answerTimeout: milliseconds after which an answer does not come any more.
  static func forTest(
    buckets: Int = 1, on server: PostgresServer? = nil, url: String? = nil, writers: Int = 2,
    readers: Int = 2, filesIn files: String? = nil, mark: KeptMark? = nil,
    time: SharedTime? = nil, acceptsLoss: Bool = true,
    readsOnCaller: Bool = false, locksBuckets: Bool = true,
    answerTimeout: Int32? = nil,
    coders: StoreCoders = .wireForm,
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
    pause: (@Sendable (Int) -> Void)? = nil,
    milliseconds: @escaping @Sendable () -> Int64 = PostgresStore.uptime
  ) throws -> PostgresStore {
    let url = try url ?? (try server ?? PostgresServer.shared.get()).emptySchema()
    var settings = try ConnectionSettings(url)
    settings.answerTimeout = answerTimeout ?? settings.answerTimeout
    return try PostgresStore(
      Connector(
        settings: settings, logger: logger,
        wait: { $0.wait(timeout: .now() + .milliseconds($1)) == .success }, pause: pause,
        milliseconds: milliseconds),
      coders: coders,
      buckets: buckets, writerCount: writers, readerCount: readers, runID: UUID().uuidString,
      filesIn: files, mark: mark, time: time,
      acceptsLoss: acceptsLoss, readsOnCaller: readsOnCaller, locksBuckets: locksBuckets)
  }

  /// The machine's clock that never goes back.
  static let uptime: @Sendable () -> Int64 = {
    Int64(clamping: DispatchTime.now().uptimeNanoseconds / 1_000_000)
  }
}

extension Writers {
  /// So many writers, with names of their own: each ends the session of another one with its name, and tests run at once.
  func start(_ count: Int) throws {
    let number = UInt64.random(in: 0 ... .max)
    try start((0..<count).map { "\($0) of \(number)" })
  }
}
