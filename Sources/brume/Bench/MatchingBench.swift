// The workload of `brume bench matching`: conditions as CloudKit apps write them, in one public
// database, and changes that look like their records. Numbers come from a fixed seed, so that two
// runs measure the same.

import BrumeCore
import BrumeModel
import BrumeNotifier

#if canImport(Glibc)
  import Glibc
#endif

enum MatchingBench {
  enum Shape: String, CaseIterable, Sendable {
    /// `genre = X`
    case eq
    /// `genre = X AND priority > p`
    case range
    /// `tags CONTAINS t`
    case tag
    /// A third of each.
    case mix
  }
  struct Plan {
    let shape: Shape
    let subscriptions: Int
    let distinctValues: Int
  }
  struct Row {
    let shape: Shape
    let subscriptions: Int
    let distinctValues: Int
    let matches: Double
    let median: Double
    let p95: Double
    let insert: Double
    let bytes: Int
  }

  static func run(_ plan: Plan) -> Row {
    let before = allocated()
    var index = SubscriptionIndex()
    let insert = fill(&index, plan)
    let bytes = max(0, allocated() - before) / plan.subscriptions
    let (times, matches) = match(index, plan)
    return Row(
      shape: plan.shape, subscriptions: plan.subscriptions, distinctValues: plan.distinctValues,
      matches: matches, median: times[times.count / 2], p95: times[times.count * 95 / 100],
      insert: insert, bytes: bytes)
  }

  // MARK: Subscriptions

  /// Microseconds for each.
  private static func fill(_ index: inout SubscriptionIndex, _ plan: Plan) -> Double {
    var numbers = Numbers()
    var time = Duration.zero
    for start in stride(from: 0, to: plan.subscriptions, by: 1_000) {
      let batch = (start..<min(start + 1_000, plan.subscriptions)).map {
        subscription($0, plan, &numbers)
      }
      time += ContinuousClock().measure { for one in batch { index.put(one) } }
    }
    return time.inMicroseconds / Double(plan.subscriptions)
  }

  /// Ten of each user.
  private static func subscription(
    _ number: Int, _ plan: Plan, _ numbers: inout Numbers
  ) -> StoredSubscription {
    let user = String(number / 10, radix: 16)
    let scope = SubscriptionScope(
      in: place.containerEnvironment, scope: .public,
      user: UserID("_" + String(repeating: "0", count: 32 - user.count) + user))
    let query = Query(recordType: "Article", filters: filters(number, plan, &numbers))
    return StoredSubscription(
      scope: scope,
      subscription: Subscription(
        id: "subscription-\(number)",
        kind: .query(query, zone: nil, firesOn: [.create, .update], firesOnce: false), info: nil),
      starts: LogPositions(Int64(number + 1), in: .only))
  }

  private static func filters(
    _ number: Int, _ plan: Plan, _ numbers: inout Numbers
  ) -> [Filter] {
    let value = (plan.shape == .mix ? number / 3 : number) % plan.distinctValues
    let genre = Filter(.equals, .field("genre"), .string("g\(value)"))
    let bound = Filter(
      .greaterThan, .field("priority"), .int64(Int64(numbers.next(below: 1000))))
    let tag = Filter(.listContains, .field("tags"), .string("t\(value)"))
    switch (plan.shape, number % 3) {
    case (.eq, _), (.mix, 0): return [genre]
    case (.range, _), (.mix, 1): return [genre, bound]
    case (.tag, _), (.mix, _): return [tag]
    }
  }

  // MARK: Changes

  /// Microseconds of each change, in order, and the mean number of matches.
  private static func match(
    _ index: SubscriptionIndex, _ plan: Plan
  ) -> (times: [Double], matches: Double) {
    var numbers = Numbers()
    var times: [Double] = []
    var total = 0
    var sum: Int64 = 0
    for number in 0..<20_000 {
      let record = record(number, plan, &numbers)
      let entry = entry(record, at: Int64.max - 1)
      let start = ContinuousClock.now
      let found = index.matches(entry, image: record) { _ in false }
      // Each subscription that was found is visited.
      found.forEach { sum &+= Int64($0) }
      times.append(start.duration(to: .now).inMicroseconds)
      total += found.count
    }
    precondition(sum >= 0, "the sum keeps the loop alive")
    return (times.sorted(), Double(total) / Double(times.count))
  }

  private static func record(_ number: Int, _ plan: Plan, _ numbers: inout Numbers) -> Record {
    let values = plan.distinctValues
    let tags = (0..<5).map { _ in FieldValue.string("t\(numbers.next(below: values))") }
    return Record(
      name: "record-\(number)", zone: ZoneID(name: ZoneID.defaultName), type: "Article",
      fields: [
        "genre": .string("g\(numbers.next(below: values))"),
        "priority": .int64(Int64(priority(plan, &numbers))), "tags": .list(tags, of: .string),
      ])
  }

  /// Ranges: about ten of the thresholds at a value are met, however many there are.
  private static func priority(_ plan: Plan, _ numbers: inout Numbers) -> Int {
    guard plan.shape == .range else { return numbers.next(below: 1000) }
    let each = max(1, plan.subscriptions / plan.distinctValues)
    return max(1, min(999, 10_000 / each))
  }

  private static func entry(_ record: Record, at position: Int64) -> LogEntry {
    let zone = ZoneKey(database: place, name: ZoneID.defaultName)
    let change = RecordChange(
      record: RecordKey(zone: zone, name: record.name), recordType: record.type, kind: .created,
      image: nil)
    return LogEntry(
      position: position, database: place, event: .record(change),
      origin: Origin(user: nil, device: nil, requestID: "", time: 0))
  }

  // MARK: Parts

  private static let place = DatabaseKey(
    in: ContainerEnvironment(ContainerID("iCloud.org.example.bench"), .production), owner: nil)

  /// Bytes that are resident, from the kernel; 0 where there is no /proc.
  private static func allocated() -> Int {
    #if canImport(Glibc)
      guard let file = fopen("/proc/self/statm", "r") else { return 0 }
      defer { fclose(file) }
      var line = [CChar](repeating: 0, count: 128)
      guard fgets(&line, 128, file) != nil else { return 0 }
      let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8($0) }, as: UTF8.self)
      let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) }
      return (pages ?? 0) * Int(getpagesize())
    #else
      return 0
    #endif
  }
}

/// A linear congruential generator (Knuth's constants): the same numbers in every run.
private struct Numbers {
  private var state: UInt64 = 42
  mutating func next(below bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}

extension Duration {
  fileprivate var inMicroseconds: Double {
    let (seconds, attoseconds) = components
    return Double(seconds) * 1e6 + Double(attoseconds) / 1e12
  }
}
