// The contract on every engine.

import BrumeModel
import BrumeSQLite
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Foundation
import Logging
import Testing

enum StoreEngine: String, CaseIterable, Sendable {
  case memory, sqlite
  /// Memory with several buckets, as only tests have it.
  case memoryBuckets
  /// SQLite that never sorts what it fetched, but always walks an index.
  case sqliteWalking
  /// Engines that run every body twice.
  case memoryTwice, sqliteTwice

  var runsTwice: Bool { self == .memoryTwice || self == .sqliteTwice }

  func open(_ folder: TemporaryFolder) throws -> any Store {
    switch self {
    case .memory: MemoryStore(coders: .wireForm)
    case .memoryBuckets: MemoryStore(coders: .wireForm, buckets: 4)
    case .sqlite: try folder.openSQLite()
    case .sqliteWalking: try folder.openSQLite(fewCandidates: 0)
    case .memoryTwice: MemoryStore(coders: .wireForm, runsTwice: true)
    case .sqliteTwice: TwiceStore(try folder.openSQLite())
    }
  }
}

@Suite struct StorageContractTests {
  /// Where every body runs twice, one seed of the random queries says as much as eight, and takes minutes less.
  private static let trials = StoreEngine.allCases.flatMap { engine in
    let random = StorageContract.all.filter(\.isRandom).prefix(engine.runsTwice ? 1 : .max)
    return (StorageContract.all.filter { !$0.isRandom } + random).map { (engine, $0) }
  }

  @Test(arguments: trials)
  func `an engine keeps its promise:`(engine: StoreEngine, promise: StorageContract.Case)
    async throws
  {
    let folder = try TemporaryFolder()
    let store = try engine.open(folder)
    try await promise.run(store)
    try await store.close()
  }
}

// MARK: Support

extension StoreCoders {
  static let wireForm = StoreCoders(
    record: .wire, encodeSubscription: { Wire.encode($0) },
    decodeSubscription: { try Wire.subscription($0) })
}

/// A folder that goes with the last reference to it.
final class TemporaryFolder: Sendable {
  let path: String

  init() throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "brume-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    path = url.path
  }
  deinit { try? FileManager.default.removeItem(atPath: path) }

  func openSQLite(
    coders: StoreCoders = .wireForm, fewCandidates: Int = 1000, indexStep: Int = 2000,
    growsIndexes: Bool = true, marks: String? = nil, verifiesRows: Bool = true,
    busySeconds: Double = 5, nanoseconds: @escaping @Sendable () -> Int64 = { 0 },
    logger: Logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
  ) throws -> SQLiteStore {
    try SQLiteStore(
      folder: path + "/data", coders: coders, fewCandidates: fewCandidates, indexStep: indexStep,
      growsIndexes: growsIndexes, runID: UUID().uuidString, marks: marks,
      verifiesRows: verifiesRows, busySeconds: busySeconds, nanoseconds: nanoseconds,
      logger: logger)
  }
}
