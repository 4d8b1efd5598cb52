// Writers whose saves are noted in a history, whatever happens to the server.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Synchronization

@testable import BrumePostgres

final class Saver: Sendable {
  private let history = Mutex(SaveHistory())
  /// One signal for each save that was acknowledged.
  private let (saves, saved) = AsyncStream.makeStream(of: Void.self)
  private let isEnough = Atomic<Bool>(false)

  var savedCount: Int { history.withLock { $0.savedCount } }
  /// Also those of which nobody can say what became of them.
  var refusedCount: Int { history.withLock { $0.answers.count - $0.savedCount } }
  func answer(_ name: String) -> SaveHistory.Answer? { history.withLock { $0.answers[name] } }

  /// Saves once and notes the answer.
  func save(_ name: String, in store: PostgresStore) async {
    let answer: SaveHistory.Answer
    do {
      answer = .saved(try await store.write(in: .database(.sample())) { try $0.save(name) })
    } catch {
      answer = (error as? StoreError)?.code == .unreachable ? .refused : .unknown
    }
    history.withLock { $0.note(name, answer) }
    if case .saved = answer { saved.yield() }
  }

  /// Many writers on some stores, until `body` has returned. If it throws, the stores are closed: a server that is gone
  /// for good never says what became of a save, and a store asks as long as it is open.
  func run(
    writers: Int, on stores: [PostgresStore], while body: () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for writer in 0..<writers {
        group.addTask(operation: { [self] in
          var number = 0
          while !isEnough.load(ordering: .relaxed) {
            await save("\(writer)-\(number)", in: stores[writer % stores.count])
            number += 1
          }
        })
      }
      let result = await Result { try await body() }
      isEnough.store(true, ordering: .relaxed)
      if case .failure = result { for store in stores { try await store.close() } }
      try await group.waitForAll()
      try result.get()
    }
  }

  /// Returns when so many more saves were acknowledged.
  func waitForSaves(_ count: Int) async {
    let enough = savedCount + count
    for await _ in saves where savedCount >= enough { return }
  }

  /// What is wrong with what a store has.
  func faults(in store: PostgresStore) async throws -> [String] {
    let (feed, log) = try await store.read { transaction in
      let bucket = transaction.log.bucket(of: .sample())
      let changes = try transaction.changes.page(
        in: .sample(), after: 0, through: .max, limit: 1_000_000)
      let entries = try transaction.log.entries(in: bucket, after: 0, limit: 1_000_000)
      return (
        changes.map { ($0.sequence, $0.recordName) },
        entries.map { ($0.position, $0.recordName ?? "?") }
      )
    }
    return history.withLock { $0.faults(feed: feed, log: log) }
  }
}

extension WriteTransaction {
  /// A record, and its change in the log. Answers the sequence.
  func save(_ name: String) throws -> Int64 {
    let sequence = try putNext(name)
    let change = RecordChange(
      record: RecordKey(zone: .sample(), name: name), recordType: "Trail", kind: .created,
      image: nil)
    try log.append(.record(change), in: .sample(), origin: .sample)
    return sequence
  }
}

extension StoredChange {
  var recordName: String {
    switch self {
    case .changed(let stored): stored.name
    case .deleted(let gone): gone.name
    }
  }
}
