// What stores rest on, checked while they run: whoever breaks it ends the process.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeSQLite

@Suite struct StoreInvariantTests {
  @Test func `a log whose last position fell ends the process before a position is given twice`()
    async
  {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let folder = try TemporaryFolder()
      defer { withExtendedLifetime(folder) {} }
      let store = try folder.openSQLite()
      try await store.appendToLog()
      // As damage would do it, or a trim that keeps no last position.
      try await store.onWriter { try $0.run(SQL("DELETE FROM log")) }
      // Undone, so that the last position is read anew.
      _ = try? await store.appendToLog(fails: true)
      try await store.appendToLog()
    }
    #expect(result.says("the positions of the log never fall"))
  }

  @Test func `a log that was trimmed and read anew goes on above its last position`() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.openSQLite()
    for _ in 1...3 { try await store.appendToLog() }
    try await store.write(in: .all) { try $0.log.trim(in: .only, through: 3) }
    _ = try? await store.appendToLog(fails: true)
    #expect(try await store.appendToLog() == 4)
    try await store.close()
  }

  @Test func `writes that wait beyond their bound end the process, those up to it do not`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      var turns = WriteTurns<Int>()
      while turns.hasRoom { turns.add(turns.count, of: nil) }
      try #require(turns.count == WriteTurns<Int>.limit)
      turns.add(0, of: nil)
    }
    #expect(result.says("more writes wait than may"))
  }

  @Test func `a queue that is full refuses the next write`() {
    var queue = WriteQueue<Int>()
    for number in 0..<WriteTurns<Int>.limit {
      guard case .accepted = queue.add(number) else {
        Issue.record("write \(number) was not accepted")
        return
      }
    }
    guard case .refused(let error) = queue.add(-1) else {
      Issue.record("one write too many was accepted")
      return
    }
    #expect(error.code == .noRoom)
  }

  @Test func `a column of a table that moves and that nobody knows ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = try MovedRow(.settings, [.text("a"), .bytes([])])["nothing"]
    }
    #expect(result.says("has no column 'nothing'"))
  }

  @Test func `a write in memory of what its scope does not name ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let store = MemoryStore(coders: .wireForm)
      try await store.write(in: .database(.sample())) {
        _ = try $0.credentials.use(signature: "a", at: 1, after: 0, limit: 1)
      }
    }
    #expect(result.says("changes server"))
  }
}

extension SQLiteStore {
  private struct Undone: Error {}

  /// - Parameter fails: the entry is written and undone.
  /// - Returns: the entry's position.
  @discardableResult
  fileprivate func appendToLog(fails: Bool = false) async throws -> Int64 {
    try await write(in: .database(.sample())) { transaction in
      let position = try transaction.log.append(
        .zoneCreated(.sample()), in: .sample(),
        origin: Origin(user: nil, device: nil, requestID: "", time: 0))
      if fails { throw Undone() }
      return position
    }
  }
}

extension ExitTest.Result? {
  /// Whether the process ended with this sentence.
  fileprivate func says(_ sentence: String) -> Bool {
    String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
  }
}
