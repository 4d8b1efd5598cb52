// A start on a disk that takes nothing more. What a test can have without a file system of its own is a limit for sizes of files, in
// a process of its own: it is met as a full disk is.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Foundation
import Logging
import Testing

@testable import BrumeSQLite

@Suite struct FullDiskStartTests {
  private static let large: [String: FieldValue] = [
    "b": .bytes(Array(repeating: 7, count: 10_000))
  ]

  /// The log, which has 40 KB by then, does not grow, and the index of the log fits.
  private static let limit: rlim_t = 32_768

  @Test(.timeLimit(.minutes(2)))
  func `a store opens on a full disk, is read, and takes writes when there is room`() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = try TemporaryFolder()
      try await Self.withStore(in: folder) { store in
        for number in 0..<4 { try await Self.save("r\(number)", in: store) }
        FileSizes.limit(to: Self.limit)
        await Self.expectNoRoom(in: store)
      }
      let log = LogLines(from: .warning)
      try await Self.withStore(in: folder, log) { store in
        #expect(log.texts.contains { $0.contains("saves are refused until there is room") })
        let count = try await Self.count(in: store)
        #expect(count == 4)
        for _ in 0..<2 { await Self.expectNoRoom(in: store) }
      }
      // A second time there is no less room than the first.
      try await Self.withStore(in: folder) { store in
        let count = try await Self.count(in: store)
        #expect(count == 4)
        await Self.expectNoRoom(in: store)
        FileSizes.limit(to: .max)
        try await Self.save("after", in: store)
      }
      let later = LogLines(from: .warning)
      try await Self.withStore(in: folder, later) { store in
        let count = try await Self.count(in: store)
        #expect(count == 5)
        #expect(later.texts.isEmpty, "\(later.texts)")
      }
    }
  }

  @Test(.timeLimit(.minutes(2)))
  func `places in mailboxes rise over a start on a full disk`() async throws {
    await #expect(processExitsWith: .success) {
      signal(SIGXFSZ, SIG_IGN)
      let folder = try TemporaryFolder()
      var store = try folder.openSQLite()
      for number in 0..<4 { try await Self.save("r\(number)", in: store) }
      let first = try await store.read { try $0.mailboxes.lastPosition(in: .only) }
      FileSizes.limit(to: Self.limit)
      await Self.expectNoRoom(in: store)
      try await store.close()
      store = try folder.openSQLite()
      FileSizes.limit(to: .max)
      try await Self.save("after", in: store)
      let second = try await store.read { try $0.mailboxes.lastPosition(in: .only) }
      #expect(second > first)
      try await store.close()
      store = try folder.openSQLite()
      #expect(try await store.read { try $0.mailboxes.lastPosition(in: .only) } > second)
      try await store.close()
    }
  }

  /// A store that is gone has given back its marks, as the end of a process does.
  private static func withStore(
    in folder: TemporaryFolder, _ log: LogLines = LogLines(from: .warning),
    _ body: (SQLiteStore) async throws -> Void
  ) async throws {
    let store = try folder.openSQLite(logger: log.logger)
    try await body(store)
    try await store.close()
  }

  private static func save(_ name: String, in store: SQLiteStore) async throws {
    try await store.write(in: .database(.sample())) { try $0.putNext(name, fields: large) }
  }

  private static func count(in store: SQLiteStore) async throws -> Int {
    try await store.read {
      try $0.changes.page(in: .sample(), after: 0, through: .max, limit: 99).count
    }
  }

  private static func expectNoRoom(in store: SQLiteStore) async {
    let error = await #expect(throws: StoreError.self) { try await save("more", in: store) }
    #expect(error?.code == .noRoom)
    #expect(error?.description.contains("ulimit -f") == true, "\(error?.description ?? "")")
  }
}

/// The limit of this process for sizes of files.
private enum FileSizes {
  static func limit(to bytes: rlim_t) {
    var limit = rlimit()
    #if canImport(Darwin)
      let kind = RLIMIT_FSIZE
    #else
      let kind = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #endif
    getrlimit(kind, &limit)
    limit.rlim_cur = min(bytes, limit.rlim_max)
    #expect(setrlimit(kind, &limit) == 0)
  }
}
