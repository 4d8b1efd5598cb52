// Three ways to decide whether a record meets a condition: the index of subscriptions, plain
// evaluation, and SQLite. They are compared on a million pairs in every run, all three on each.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumePredicate
import BrumeQueryPlan
import BrumeStorage
import BrumeTestKit
import Foundation
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct MatchingAgreementTests {
  @Test func `the index, plain evaluation and SQLite agree on a million pairs`() async throws {
    let trial = MatchingTrial(seed: 20_261_121, records: 1_000, conditions: 1_000)
    #expect(trial.pairs == 1_000_000)
    async let searched = trial.searchedInSQLite { $0 }
    let expected = trial.evaluated { $0 }
    #expect(trial.differences(expected, trial.indexed { $0 }).prefix(3) == [])
    let (found, plans) = try await searched
    #expect(trial.differences(expected, found).prefix(3) == [])
    // Neither must the answer always be no.
    #expect(expected.reduce(0) { $0 + $1.count } > 20_000)
    // Where SQLite leaves a filter to the evaluator, its answer is the evaluator's on what it has
    // stored. How often, and why, is known: no filter goes that way unnoticed.
    #expect(plans.bySQL == 395)
    #expect(
      plans.evaluated
        == [.form: 507, .constant: 191, .rough: 121, .presence: 3, .kinds: 2, .owner: 33])
  }

  /// The comparison is worth something only if it finds one of the three that is slightly wrong.
  @Test(arguments: Fault.allCases)
  func `an evaluation, an index and a search with a planted fault are caught:`(
    fault: Fault
  ) async throws {
    let (trial, evaluated, indexed) = Self.control
    let wrong: @Sendable ([Filter]) -> [Filter] = { $0.map { fault.applied(to: $0) } }
    #expect(!trial.differences(trial.evaluated(wrong), indexed).isEmpty)
    #expect(!trial.differences(evaluated, trial.indexed(wrong)).isEmpty)
    #expect(!trial.differences(evaluated, try await trial.searchedInSQLite(wrong).found).isEmpty)
  }

  private static let control = {
    let trial = MatchingTrial(seed: 7, records: 100, conditions: 1_500)
    let (evaluated, indexed) = (trial.evaluated { $0 }, trial.indexed { $0 })
    return (trial, evaluated, indexed)
  }()

  enum Fault: String, CaseIterable, Sendable {
    case `integers as doubles`, `bounds that include`, `texts without accents`,
      `lists of one member`, `times without a sign`, `distances cut short`, `words as prefixes`

    func applied(to filter: Filter) -> Filter {
      var filter = filter
      switch (self, filter.comparator, filter.value) {
      case (.`integers as doubles`, _, .int64(let integer)):
        filter.value = .double(Double(integer))
      case (.`bounds that include`, .lessThan, _): filter.comparator = .lessThanOrEquals
      case (.`bounds that include`, .greaterThan, _): filter.comparator = .greaterThanOrEquals
      case (.`texts without accents`, _, .string(let text)):
        filter.value = .string(text.replacing("\u{e9}", with: "e\u{301}"))
      case (.`lists of one member`, .in, .list(let elements, let type)),
        (.`lists of one member`, .listContainsAny, .list(let elements, let type)):
        filter.value = .list(Array(elements.prefix(1)), of: type)
      case (.`times without a sign`, _, .timestamp(let time, _)) where time < 0:
        filter.value = .timestamp(time == .min ? 0 : -time)
      case (.`distances cut short`, .near, _): filter.distance = (filter.distance ?? 0) / 100
      case (.`words as prefixes`, .containsAllTokens, _): filter.comparator = .beginsWith
      default: break
      }
      return filter
    }
  }
}

extension MatchingTrial {
  /// What SQLite finds, and how it came to its answers.
  fileprivate func searchedInSQLite(
    _ change: @escaping @Sendable ([Filter]) -> [Filter]
  ) async throws -> (found: [Set<Int>], plans: Plans) {
    let folder = try TemporaryFolder()
    let store = try folder.openSQLite(coders: .remembering)
    var plans = Plans()
    let found = try await searched(in: store, change) { query in
      plans.note(try await store.read { try Plans.evaluated(query, $0) })
    }
    try await store.close()
    return (found, plans)
  }
}

/// How many of a search's conditions SQLite answers alone, and what of the others is evaluated on the
/// records that it finds.
private struct Plans {
  enum Reason: Hashable {
    /// Negations, and lists that hold all of some values: no range of rows says that.
    case form
    /// Fields or constants that no row has: bytes, lists, assets.
    case constant
    /// Rows are of the beginnings of long texts, of words, and of squares of the globe.
    case rough
    /// Whether a field is set at all.
    case presence
    /// A field with values of several kinds.
    case kinds
    /// A user's own name is not stored with the records of that user's database.
    case owner
  }
  var bySQL = 0
  var evaluated: [Reason: Int] = [:]

  mutating func note(_ reasons: [Reason]) {
    if reasons.isEmpty { bySQL += 1 }
    for reason in reasons { evaluated[reason, default: 0] += 1 }
  }

  static func evaluated(_ query: EngineQuery, _ store: any ReadTransaction) throws -> [Reason] {
    guard let store = store as? SQLiteTransaction,
      let zone = try query.zone.flatMap({
        try store.numbers.number(of: ZoneKey(database: query.database, name: $0))
      }), let filters = try store.queries.rows.keys.query(query, in: zone)?.filters
    else { return [] }
    if filters.names != nil { return [] }
    return filters.residual.map { reason($0, in: query.database, filters) }
  }

  private static func reason(
    _ filter: Filter, in database: DatabaseKey, _ filters: ResolvedFilters
  ) -> Reason {
    if filter.asksForPresence { return .presence }
    if !IndexCondition.all(filter, in: database).isEmpty {
      return filters.conditions.contains { $0.filters.contains(filter) } ? .rough : .kinds
    }
    if let field = filter.field, field.hidesOwner(of: database) { return .owner }
    switch filter.comparator {
    case .notEquals, .notIn, .notBeginsWith, .notListContains, .notListContainsAny,
      .listContainsAll, .notListContainsAll, .notListMemberBeginsWith:
      return .form
    case .equals, .lessThan, .lessThanOrEquals, .greaterThan, .greaterThanOrEquals, .near, .in,
      .beginsWith, .listContains, .listContainsAny, .listMemberBeginsWith, .containsAllTokens,
      .containsAnyTokens:
      return .constant
    }
  }
}
