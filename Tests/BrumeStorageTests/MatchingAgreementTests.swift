// Three ways to decide whether a record meets a condition: the index of subscriptions, plain
// evaluation, and SQLite. They are compared on a million pairs in every run.

import BrumeCore
import BrumeModel
import BrumePredicate
import BrumeSQLite
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct MatchingAgreementTests {
  private static let sample = 16

  @Test func `the index and plain evaluation agree on a million pairs, SQLite on every sixteenth`()
    async throws
  {
    let trial = Trial(seed: 20_261_121, records: 500, conditions: 2_000)
    #expect(trial.pairs == 1_000_000)
    let expected = trial.evaluated()
    let indexed = trial.indexed { $0 }
    #expect(trial.differences(expected, indexed).prefix(3) == [])
    let searched = try await trial.searched(every: Self.sample)
    var hits = 0
    for (condition, found) in searched {
      let wanted = expected[condition]
      #expect(found == wanted, "\(trial.conditions[condition]), seed \(trial.seed)")
      hits += found.count
    }
    #expect(searched.count == trial.conditions.count / Self.sample)
    // Neither must the answer always be no.
    #expect(hits > 1_000)
    #expect(expected.reduce(0) { $0 + $1.count } > 20_000)
  }

  /// The comparison is worth something only if it finds an index that is slightly wrong.
  @Test(arguments: Fault.allCases)
  func `an index with a planted fault is caught:`(fault: Fault) {
    let (trial, evaluated) = Self.control
    let wrong = trial.indexed { $0.map { fault.applied(to: $0) } }
    #expect(!trial.differences(evaluated, wrong).isEmpty)
  }

  private static let control = {
    let trial = Trial(seed: 7, records: 100, conditions: 1_500)
    return (trial, trial.evaluated())
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
      case (.`times without a sign`, _, .timestamp(let time)) where time < 0:
        filter.value = .timestamp(time == .min ? 0 : -time)
      case (.`distances cut short`, .near, _): filter.distance = (filter.distance ?? 0) / 100
      case (.`words as prefixes`, .containsAllTokens, _): filter.comparator = .beginsWith
      default: break
      }
      return filter
    }
  }
}

// MARK: One comparison

private struct Trial {
  let seed: UInt64
  let conditions: [[Filter]]
  let records: [Record]
  private let zone = QueryWorld.zones[0]
  private static let searchable: @Sendable (String) -> Bool = { $0 == "s" || $0 == "ls" }

  var pairs: Int { conditions.count * records.count }

  init(seed: UInt64, records count: Int, conditions: Int) {
    self.seed = seed
    var world = QueryWorld(seed: seed)
    let zone = zone
    records = (0..<count).map { number in
      var record = world.record(
        RecordKey(zone: zone, name: "r\(number)"), sequence: Int64(number + 1))
      record.type = "Trail"
      return record
    }
    self.conditions = (0..<conditions).map { number in
      var filters = world.condition()
      // Words take a hundred times as long as all the others: fewer of them.
      while number % 8 != 0, filters.contains(where: \.asksForWords) { filters = world.condition() }
      return filters
    }
  }

  /// The records that meet each condition, by asking every pair.
  func evaluated() -> [Set<Int>] {
    conditions.map { filters in
      Set(
        records.indices.filter {
          Evaluate.matches(filters, records[$0], searchable: Self.searchable)
        })
    }
  }

  /// The same from the index, each condition as a subscription to all changes.
  func indexed(_ change: ([Filter]) -> [Filter]) -> [Set<Int>] {
    var index = SubscriptionIndex()
    for (number, filters) in conditions.enumerated() {
      let query = Query(recordType: "Trail", filters: change(filters))
      let subscription = Subscription(
        id: "\(number)",
        kind: .query(query, zone: nil, firesOn: [.create], firesOnce: false), info: nil)
      index.put(
        StoredSubscription(scope: scope, subscription: subscription, birth: Int64(number)))
    }
    var found: [Set<Int>] = Array(repeating: [], count: conditions.count)
    for (number, record) in records.enumerated() {
      let matches = index.matches(entry(record), image: record, searchable: Self.searchable)
      for match in index.ordered(matches) {
        if let key = index.key(of: match), let condition = Int(key.id) {
          found[condition].insert(number)
        }
      }
    }
    return found
  }

  /// The same from SQLite, for some conditions.
  func searched(every step: Int) async throws -> [Int: Set<Int>] {
    let folder = try TemporaryFolder()
    let store = try folder.openSQLite()
    let (records, zone, conditions) = (records, zone, conditions)
    try await store.write(in: zone.database) { transaction in
      for record in records {
        let sequence = try transaction.nextSequence(in: zone.database)
        try transaction.put(record, in: zone, sequence: sequence)
      }
    }
    let found = try await store.read { transaction in
      var found: [Int: Set<Int>] = [:]
      for number in stride(from: 0, to: conditions.count, by: step) {
        let page = try transaction.matching(
          EngineQuery(
            database: zone.database, zone: zone.name,
            query: Query(recordType: "Trail", filters: conditions[number]), after: nil,
            limit: records.count + 1, candidateLimit: .max, searchable: Self.searchable))
        found[number] = Set(page.records.compactMap { Int($0.name.dropFirst()) })
      }
      return found
    }
    try await store.close()
    return found
  }

  /// Which conditions have other records, in words.
  func differences(_ a: [Set<Int>], _ b: [Set<Int>]) -> [String] {
    conditions.indices.filter { a[$0] != b[$0] }.map { number in
      let records = a[number].symmetricDifference(b[number]).sorted().prefix(3)
      return "seed \(seed), \(conditions[number]): records \(records.map { self.records[$0] })"
    }
  }

  private var scope: SubscriptionScope {
    SubscriptionScope(
      container: .sample, environment: .development, scope: .private, user: UserID("_a1"))
  }

  private func entry(_ record: Record) -> LogEntry {
    let change = RecordChange(
      record: RecordKey(zone: zone, name: record.name), recordType: record.type, kind: .created,
      image: nil)
    return LogEntry(
      position: .max, database: zone.database, event: .record(change), origin: .sample)
  }
}

extension Filter {
  fileprivate var asksForWords: Bool {
    comparator == .containsAllTokens || comparator == .containsAnyTokens
  }
}
