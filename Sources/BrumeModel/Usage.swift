// How much a server was used: counts of a stretch of time, and how long requests took.

/// What is counted. The raw value is the place in stored counts: new ones go to the end.
package enum UsageKind: Int, CaseIterable, Sendable {
  /// Requests of apps and of whoever signs in.
  case requests
  /// Of these, those that were answered with 4xx, and with 5xx.
  case refused
  case failed
  /// Requests of operators, the console among them.
  case operatorRequests
  case saved
  case deleted
  /// Notifications that streams and polls handed out, and that services outside took.
  case pushes
  case failedPushes
  case uploadedBytes
  case downloadedBytes
}

/// Counts of a stretch of time.
package struct UsageCounts: Equatable, Sendable {
  /// Upper bounds of the classes of answer times, in microseconds; a last class is beyond.
  package static let bounds: [Int64] = [
    100, 150, 200, 300, 500, 750, 1000, 1500, 2000, 3000, 5000, 7500, 10_000, 15_000, 20_000,
    30_000,
    50_000, 75_000, 100_000, 150_000, 200_000, 300_000, 500_000, 750_000, 1_000_000, 1_500_000,
    2_000_000, 3_000_000, 5_000_000, 7_500_000, 10_000_000,
  ]
  private static let classes = UsageKind.allCases.count

  /// All counts, then the classes of answer times.
  package private(set) var values: [Int64]

  package init() {
    values = Array(repeating: 0, count: Self.classes + Self.bounds.count + 1)
  }

  /// Nil: these are not the counts of this version.
  package init?(values: [Int64]) {
    guard values.count == Self.classes + Self.bounds.count + 1, values.allSatisfy({ $0 >= 0 })
    else { return nil }
    self.values = values
  }

  /// How many there were of a kind.
  package subscript(kind: UsageKind) -> Int64 { values[kind.rawValue] }

  /// Counts more of a kind.
  package mutating func add(_ kind: UsageKind, _ amount: Int64 = 1) {
    values[kind.rawValue] &+= amount
  }

  /// A request took so long.
  package mutating func took(microseconds: Int64) {
    let at = Self.bounds.firstIndex { microseconds <= $0 } ?? Self.bounds.count
    values[Self.classes + at] &+= 1
  }

  /// Adds the numbers of both.
  package static func += (sum: inout UsageCounts, more: UsageCounts) {
    for at in sum.values.indices { sum.values[at] &+= more.values[at] }
  }

  /// Within how many microseconds this share of the requests was answered: the bound of a class. Nil: none
  /// was measured. What is beyond the last class counts as its bound.
  package func time(of share: Double) -> Int64? {
    let times = values[Self.classes...]
    let all = times.reduce(0, +)
    guard all > 0 else { return nil }
    let wanted = max(1, Int64((Double(all) * share).rounded(.up)))
    var seen: Int64 = 0
    for (bound, count) in zip(Self.bounds, times) {
      seen += count
      if seen >= wanted { return bound }
    }
    return Self.bounds.last
  }
}

/// Counts from a moment on.
package struct UsageBucket: Equatable, Sendable {
  package var start: Milliseconds
  package var counts: UsageCounts
  package init(_ start: Milliseconds, _ counts: UsageCounts = UsageCounts()) {
    self.start = start
    self.counts = counts
  }
}

/// Over which time usage is shown, and in which steps.
package enum UsageSpan: String, CaseIterable, Sendable {
  case hour, day, week, month

  /// In milliseconds.
  package var step: Milliseconds {
    switch self {
    case .hour: 60_000
    case .day: 15 * 60_000
    case .week: 3_600_000
    case .month: 6 * 3_600_000
    }
  }

  /// How many steps the span has.
  package var steps: Int {
    switch self {
    case .hour: 60
    case .day: 96
    case .week: 168
    case .month: 120
    }
  }
}

/// What one server was used for, over a span.
package struct UsageReport: Equatable, Sendable {
  package var span: UsageSpan
  /// Nothing before is known.
  package var since: Milliseconds
  /// One for each step, the oldest first; the last one is not over.
  package var buckets: [UsageBucket]
  package var total: UsageCounts

  package init(
    _ span: UsageSpan, since: Milliseconds, buckets: [UsageBucket], total: UsageCounts
  ) {
    self.span = span
    self.since = since
    self.buckets = buckets
    self.total = total
  }
}

/// What a zone or a database holds.
package struct StoredSize: Equatable, Sendable {
  package var records: Int64
  /// Names, values and files: what counts for a quota.
  package var bytes: Int64
  /// False: there is more, and it was not counted.
  package var isWhole: Bool
  package init(records: Int64 = 0, bytes: Int64 = 0, isWhole: Bool = true) {
    self.records = records
    self.bytes = bytes
    self.isWhole = isWhole
  }

  /// Adds both; the sum is whole if both are.
  package static func += (sum: inout StoredSize, more: StoredSize) {
    sum.records += more.records
    sum.bytes += more.bytes
    sum.isWhole = sum.isWhole && more.isWhole
  }
}

/// What users and public databases hold.
package struct StorageReport: Equatable, Sendable {
  /// What one user holds, in all containers.
  package struct Owner: Equatable, Sendable {
    package var user: UserID
    package var name: String
    package var size: StoredSize
    package init(_ user: UserID, named name: String, _ size: StoredSize) {
      self.user = user
      self.name = name
      self.size = size
    }
  }
  /// What one public database holds.
  package struct Place: Equatable, Sendable {
    package var containerEnvironment: ContainerEnvironment
    package var size: StoredSize
    package init(_ containerEnvironment: ContainerEnvironment, _ size: StoredSize) {
      self.containerEnvironment = containerEnvironment
      self.size = size
    }
  }
  package var users: [Owner]
  package var publicDatabases: [Place]
  /// Bytes that each user may store; nil: as many as they like.
  package var quota: Int64?
  /// What the next call names as `after`; nil on the last page.
  package var after: String?

  package init(users: [Owner], publicDatabases: [Place], quota: Int64?, after: String?) {
    self.users = users
    self.publicDatabases = publicDatabases
    self.quota = quota
    self.after = after
  }
}
