// The same pairs as in `MatchingAgreementTests`, searched in PostgreSQL: it finds what the index of subscriptions,
// plain evaluation and SQLite find.

import BrumeModel
import BrumeSQLite
import BrumeTestKit
import Foundation
import Testing

@testable import BrumePostgres

@Suite struct PostgresAgreementTests {
  /// Conditions, each for a thousand records; `make soak` sets a thousand.
  private static let conditions =
    Int(ProcessInfo.processInfo.environment["BRUME_SOAK_AGREEMENT"] ?? "") ?? 200

  @Test func `the index, plain evaluation, SQLite and PostgreSQL agree`() async throws {
    let trial = MatchingTrial(seed: 20_261_121, records: 1_000, conditions: Self.conditions)
    let expected = trial.evaluated { $0 }
    let store = try PostgresStore.forTest(coders: .remembering)
    let found = try await trial.searched(in: store)
    try await store.close()
    #expect(trial.differences(expected, found).prefix(3) == [])
    let folder = try TemporaryFolder()
    let other = try folder.openSQLite(coders: .remembering)
    #expect(trial.differences(found, try await trial.searched(in: other)).prefix(3) == [])
    try await other.close()
    #expect(trial.differences(found, trial.indexed { $0 }).prefix(3) == [])
    // Neither must the answer always be no.
    #expect(expected.reduce(0) { $0 + $1.count } > 20 * Self.conditions)
  }

  /// The comparison is worth something only if it finds a search that is slightly wrong.
  @Test func `a search in PostgreSQL with a planted fault is caught`() async throws {
    let trial = MatchingTrial(seed: 7, records: 100, conditions: 100)
    let store = try PostgresStore.forTest(coders: .remembering)
    let found = try await trial.searched(in: store) { filters in
      filters.map { filter in
        guard filter.comparator == .lessThan else { return filter }
        var wrong = filter
        wrong.comparator = .lessThanOrEquals
        return wrong
      }
    }
    try await store.close()
    #expect(!trial.differences(trial.evaluated { $0 }, found).isEmpty)
  }
}
