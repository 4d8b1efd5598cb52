// Indexes grow beside everything else, and the rows of many new records come later: answers never depend
// on how far that is, and in the end every row is there and none too many.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Dispatch
import Logging
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct LateIndexTests {
  let folder: TemporaryFolder
  init() throws { folder = try TemporaryFolder() }

  private static func query(_ value: Int) -> EngineQuery {
    EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(
        recordType: "Trail", filters: [Filter(.equals, .field("n"), .int64(Int64(value)))]),
      after: nil, limit: 10_000, candidateLimit: .max)
  }

  private func count(_ value: Int, in store: SQLiteStore) async throws -> Int {
    try await store.read { try $0.queries.matching(Self.query(value)).records.count }
  }

  private func save(_ numbers: Range<Int>, in store: SQLiteStore) async throws {
    try await store.write(in: .database(.sample())) { transaction in
      for number in numbers {
        try transaction.putNext("r\(number)", fields: ["n": .int64(Int64(number % 5))])
      }
      try transaction.zones.put(
        Zone(
          key: .sample(), incarnation: 1, lastSequence: transaction.sequences.last(in: .sample())))
    }
  }

  /// What is stored of how far the index is.
  private func isComplete(_ store: SQLiteStore) async throws -> Bool {
    try await store.onWriter { connection in
      try connection.exists(
        SQL("SELECT 1 FROM wanted_fields WHERE built_to IS NULL AND behind IS NULL")
      ) { _ in }
    }
  }

  private func rows(_ store: SQLiteStore) async throws -> [String] {
    try await store.onWriter { connection in
      try connection.all(
        SQL("SELECT value, name FROM query_index JOIN records USING (name) WHERE id = row")
      ) { "\($0.int(0)) \($0.text(1))" }
    }.sorted()
  }

  @Test func `an index that grows step by step answers right all the while`() async throws {
    let store = try folder.openSQLite(growsIndexes: false)
    try await save(0..<50, in: store)
    for round in 0..<60 {
      #expect(try await count(3, in: store) == 10 + round, "round \(round)")
      let isComplete = try await isComplete(store)
      _ = try await store.buildIndexes(2)
      try await store.write(in: .database(.sample())) {
        try $0.putNext("new\(round)", fields: ["n": .int64(3)])
      }
      // Each round adds one and takes in two.
      if round < 25 { #expect(!isComplete, "round \(round)") }
      if round == 59 { #expect(isComplete) }
    }
    try await store.close()
  }

  @Test func `an index goes on where it was when the process ended`() async throws {
    var store = try folder.openSQLite(growsIndexes: false)
    try await save(0..<50, in: store)
    _ = try await count(3, in: store)
    for _ in 0..<3 { _ = try await store.buildIndexes(10) }
    #expect(try await rows(store).count == 30)
    try await store.close()
    // Nobody asks again: what is left stands in the database.
    store = try folder.openSQLite(growsIndexes: false)
    while try await store.buildIndexes(10) {}
    #expect(try await rows(store).count == 50)
    #expect(try await isComplete(store))
    try await store.close()
    store = try folder.openSQLite()
    #expect(try await count(3, in: store) == 10)
    #expect(store.indexProgress.fields == 0)
    try await store.close()
  }

  @Test func `in the middle of the work its progress is more than nothing, less than all`()
    async throws
  {
    let gate = StepGate()
    let store = try folder.openSQLite(indexStep: 10) {
      gate.pass()
      return 0
    }
    gate.follow(store)
    try await save(0..<50, in: store)
    let query = Task { try await count(3, in: store) }
    await gate.isReached()
    #expect(store.indexProgress == IndexProgress(fields: 1, records: 10))
    gate.open()
    #expect(try await query.value == 10)
    while store.indexProgress.fields > 0 { await Task.yield() }
    #expect(store.indexProgress == IndexProgress(fields: 0, records: 50))
    #expect(try await isComplete(store))
    try await store.close()
  }

  @Test func `work on a large index does not keep a small one waiting`() async throws {
    let store = try folder.openSQLite(growsIndexes: false)
    try await save(0..<50, in: store)
    try await store.write(in: .database(.sample())) {
      try $0.putNext("peak", type: "Peak", fields: ["n": .int64(1)])
    }
    _ = try await count(3, in: store)
    let peaks = EngineQuery(
      database: .sample(), zone: "Trails",
      query: Query(recordType: "Peak", filters: [Filter(.equals, .field("n"), .int64(1))]),
      after: nil, limit: 9, candidateLimit: 99)
    _ = try await store.read { try $0.queries.matching(peaks).records.count }
    var (types, last): ([String], RecordTypeRowKey?) = ([], nil)
    for _ in 0..<3 {
      last = try await store.write(in: .all) { [last] transaction in
        let writer = try #require(transaction as? SQLiteTransaction)
        return try writer.indexBuild.advance(after: last, limit: 10)?.type
      }
      types.append(last?.type ?? "")
    }
    #expect(Set(types.prefix(2)) == ["Peak", "Trail"])
    #expect(types.last == "Trail")
    try await store.close()
  }

  @Test func `the query that follows a bulk of new records finds all of them`() async throws {
    let store = try folder.openSQLite()
    try await save(0..<5, in: store)
    #expect(try await count(3, in: store) == 1)
    // A type that was queried is kept up at once.
    try await save(5..<205, in: store)
    #expect(try await isComplete(store))
    try await store.onWriterTransaction { $0.index.delay = IndexDelay() }
    try await save(205..<405, in: store)
    #expect(try await count(3, in: store) == 81)
    #expect(try await isComplete(store))
    #expect(try await rows(store).count == 405)
    try await store.close()
  }

  @Test func `a query stops waiting for an index when nobody waits for the query`() async throws {
    // Without a thread nobody ends the wait.
    let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    let indexer = Indexer(
      Checkpointer(path: ""), step: 1,
      isCalledWithinRest: { $0.wait(timeout: .distantFuture) == .success },
      warnings: RareWarnings(logger) { 0 }, logger: logger)
    var wanted = IndexWanted(for: Self.query(1))
    wanted.look(at: TypeKeys(), inZone: 1)
    let wait = Task { [wanted] in await indexer.wait(for: wanted) }
    wait.cancel()
    await wait.value
  }

  /// Bodies of all sizes save, change and remove, while steps of the work come in between.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func `late rows and changes of their records never leave a row too many`(seed: UInt64)
    async throws
  {
    let store = try folder.openSQLite(growsIndexes: false)
    var random = SeededRandom(seed: seed)
    var model: [String: Int] = [:]
    try await save(0..<1, in: store)
    model["r0"] = 0
    #expect(try await count(0, in: store) == 1)
    while try await store.buildIndexes(9) {}
    try await store.onWriterTransaction { $0.index.delay = IndexDelay() }
    for round in 0..<40 {
      let changes = (0..<(random.one(in: 2) ? 120 : 5)).map { _ in
        (name: "r\(random.next(below: 3000))", value: random.next(below: 5) - 1)
      }
      try await store.write(in: .database(.sample())) { transaction in
        for (name, value) in changes {
          let key = RecordKey(zone: .sample(), name: name)
          if value >= 0 {
            try transaction.putNext(name, fields: ["n": .int64(Int64(value))])
          } else if try transaction.records.find(key) != nil {
            try transaction.records.remove(
              key, type: "Trail", sequence: try transaction.sequences.next(in: .sample()))
          }
        }
      }
      for (name, value) in changes { model[name] = value < 0 ? nil : value }
      let sought = random.next(below: 4)
      if random.one(in: 3) {
        let expected = model.values.count { $0 == sought }
        #expect(try await count(sought, in: store) == expected, "seed \(seed), round \(round)")
        try await store.onWriterTransaction { $0.index.delay = IndexDelay() }
      }
      if random.one(in: 4) { _ = try await store.buildIndexes(9) }
    }
    while try await store.buildIndexes(1000) {}
    #expect(try await isComplete(store))
    #expect(try await rows(store) == model.map { "\($0.value) \($0.key)" }.sorted())
    try await store.close()
  }
}

/// Keeps the writer where the first step of the work on an index has ended and the second begins.
private final class StepGate: Sendable {
  private struct State {
    weak var store: SQLiteStore?
    var isOpen = false
  }
  private let state = Mutex(State())
  private let thread = DispatchSemaphore(value: 0)
  private let (reached, announce) = AsyncStream<Void>.makeStream()

  func follow(_ store: SQLiteStore) { state.withLock { $0.store = store } }

  /// Called by whoever writes, when a commit begins and when it ends.
  func pass() {
    let (store, isOpen) = state.withLock { ($0.store, $0.isOpen) }
    guard !isOpen, let store, store.indexProgress.records > 0 else { return }
    announce.yield()
    thread.wait()
  }

  func isReached() async { for await _ in reached { return } }

  func open() {
    state.withLock { $0.isOpen = true }
    thread.signal()
  }
}

extension SQLiteStore {
  fileprivate func onWriterTransaction(
    _ body: @escaping @Sendable (SQLiteTransaction) -> Void
  ) async throws {
    try await write(in: .all) { body(try #require($0 as? SQLiteTransaction)) }
  }
}
