// Records and conditions by a seed, and the pairs of them that meet, by each of the ways that decide it.

import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumePredicate
import BrumeStorage
import BrumeTestKit
import Foundation
import Synchronization

struct MatchingTrial {
  let seed: UInt64
  let conditions: [[Filter]]
  let records: [Record]
  private let zone = QueryGenerator.zones[0]
  private static let searchable: @Sendable (String) -> Bool = { $0 == "s" || $0 == "ls" }

  var pairs: Int { conditions.count * records.count }

  init(seed: UInt64, records count: Int, conditions: Int) {
    self.seed = seed
    var generator = QueryGenerator(seed: seed)
    let zone = zone
    records = (0..<count).map { number in
      var record = generator.record(
        RecordKey(zone: zone, name: "r\(number)"), sequence: Int64(number + 1))
      record.type = "Trail"
      return record
    }
    self.conditions = (0..<conditions).map { number in
      var filters = generator.condition()
      // Words take a hundred times as long as all the others: fewer of them.
      while number % 8 != 0, filters.contains(where: \.asksForWords) {
        filters = generator.condition()
      }
      return filters
    }
  }

  /// The records that meet each condition, by asking every pair.
  func evaluated(_ change: ([Filter]) -> [Filter]) -> [Set<Int>] {
    conditions.map(change).map { filters in
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
        StoredSubscription(
          scope: scope, subscription: subscription, starts: LogPositions(Int64(number), in: .only)))
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

  /// The same from a store: each condition as one query that answers with all its records.
  ///
  /// - Parameter note: called with each query after its answer.
  func searched(
    in store: any Store, _ change: @escaping @Sendable ([Filter]) -> [Filter] = { $0 },
    note: (EngineQuery) async throws -> Void = { _ in }
  ) async throws -> [Set<Int>] {
    let (records, zone, conditions) = (records, zone, conditions)
    try await store.write(in: .database(zone.database)) { transaction in
      for record in records {
        let sequence = try transaction.sequences.next(in: zone.database)
        try transaction.records.put(record, in: zone, sequence: sequence)
      }
    }
    var found: [Set<Int>] = []
    for filters in conditions {
      let query = EngineQuery(
        database: zone.database, zone: zone.name,
        query: Query(recordType: "Trail", filters: change(filters)), after: nil,
        limit: records.count + 1, candidateLimit: .max, searchable: Self.searchable)
      // The first reading may stop to ask for an index, which the store then makes.
      let page = try await store.read { try $0.queries.matching(query) }
      found.append(Set(page.records.compactMap { Int($0.name.dropFirst()) }))
      try await note(query)
    }
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
    SubscriptionScope(in: .sample, scope: .private, user: UserID("_a1"))
  }

  private func entry(_ record: Record) -> LogEntry {
    let change = RecordChange(
      record: RecordKey(zone: zone, name: record.name), recordType: record.type, kind: .created,
      image: nil)
    return LogEntry(
      position: .max, database: zone.database, event: .record(change), origin: .sample)
  }
}

extension StoreCoders {
  /// The wire's forms; what was decoded once is remembered, because each of a thousand queries may look
  /// at each of a thousand records.
  static var remembering: StoreCoders {
    let known = Mutex<[Data: Record]>([:])
    let decode: @Sendable ([UInt8]) throws -> Record = { bytes in
      let key = Data(bytes)
      if let record = known.withLock({ $0[key] }) { return record }
      let record = try StoreCoders.wireForm.record.decode(bytes)
      known.withLock { $0[key] = record }
      return record
    }
    return StoreCoders(
      record: RecordCoder(encode: StoreCoders.wireForm.record.encode, decode: decode),
      encodeSubscription: StoreCoders.wireForm.encodeSubscription,
      decodeSubscription: StoreCoders.wireForm.decodeSubscription)
  }
}

extension Filter {
  fileprivate var asksForWords: Bool {
    comparator == .containsAllTokens || comparator == .containsAnyTokens
  }
}
