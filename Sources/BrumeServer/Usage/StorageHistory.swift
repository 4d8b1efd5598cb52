// What the largest users stored over time: by hours for a month. A sample of an hour is the newest that was taken in
// it. It only keeps; the clock is an argument.

import BrumeModel

/// What users stored, as it was counted last in one hour.
struct StorageSample: Equatable, Sendable {
  /// When the hour began.
  let start: Milliseconds
  var sizes: [UserID: StoredSize]
}

struct StorageHistory: Equatable, Sendable {
  /// How many users a sample keeps: those who store most.
  static let mostUsers = 20

  /// The oldest first.
  private(set) var samples: [StorageSample] = []

  init() {}

  /// As it was kept. What is from the future, or not in order, is left out.
  init(_ kept: [StorageSample], now: Milliseconds) {
    for sample in kept where sample.start <= now && sample.start > samples.last?.start ?? .min {
      samples.append(StorageSample(start: sample.start, sizes: Self.largest(of: sample.sizes)))
    }
    trim(now)
  }

  /// Whom the newest sample has.
  var newest: Set<UserID> { Set(samples.last?.sizes.keys.map { $0 } ?? []) }

  /// Everybody who is in a sample.
  var users: Set<UserID> { samples.reduce(into: []) { $0.formUnion($1.sizes.keys) } }

  /// Keeps the largest of what was counted, and nothing more of users who are gone.
  mutating func note(
    _ sizes: [UserID: StoredSize], forgetting gone: Set<UserID> = [], at now: Milliseconds
  ) {
    if !gone.isEmpty {
      for at in samples.indices { samples[at].sizes = samples[at].sizes.without(gone) }
    }
    // From before the clock was set back.
    samples.removeAll { $0.start > now }
    let start = now - now % UsageHistory.hour
    let largest = Self.largest(of: sizes)
    if let last = samples.last, start <= last.start {
      samples[samples.count - 1].sizes = largest
    } else {
      samples.append(StorageSample(start: start, sizes: largest))
    }
    trim(now)
  }

  /// Over a span, which is a day at least: hours are the smallest steps that are kept.
  func report(_ span: UsageSpan, now: Milliseconds) -> StorageOverTime {
    let span = span == .hour ? UsageSpan.day : span
    let step = max(span.step, UsageHistory.hour)
    let steps = Int(Int64(span.steps) * span.step / step)
    let first = now - now % step - Int64(steps - 1) * step
    var series: [UserID: [Milliseconds: StoredSize]] = [:]
    for sample in samples where sample.start >= first && sample.start <= now {
      let start = sample.start - sample.start % step
      for (user, size) in sample.sizes { series[user, default: [:]][start] = size }
    }
    let users = series.map { StorageOverTime.Series(user: $0.key, sizes: $0.value) }
    return StorageOverTime(
      span: span, step: step, from: first, steps: steps,
      users: Array(users.sorted { $0.isBefore($1) }.prefix(Self.mostUsers)))
  }

  private mutating func trim(_ now: Milliseconds) {
    let oldest = now - Int64(UsageHistory.mostHours) * UsageHistory.hour
    samples.removeAll { $0.start < oldest }
  }

  private static func largest(of sizes: [UserID: StoredSize]) -> [UserID: StoredSize] {
    guard sizes.count > mostUsers else { return sizes }
    let ordered = sizes.sorted {
      ($1.value.bytes, $0.key.name) < ($0.value.bytes, $1.key.name)
    }
    return Dictionary(ordered.prefix(mostUsers).map { ($0.key, $0.value) }) { $1 }
  }
}

extension [UserID: StoredSize] {
  fileprivate func without(_ gone: Set<UserID>) -> Self { filter { !gone.contains($0.key) } }
}

/// What the largest users stored over a span.
struct StorageOverTime: Equatable, Sendable {
  /// Of one user: the newest size of each step of which there is one.
  struct Series: Equatable, Sendable {
    let user: UserID
    let sizes: [Milliseconds: StoredSize]

    /// In the order of time.
    var samples: [(time: Milliseconds, size: StoredSize)] {
      sizes.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    }

    /// Whether it stands before another: who stored more when both were counted last.
    fileprivate func isBefore(_ other: Series) -> Bool {
      let (bytes, others) = (samples.last?.size.bytes ?? 0, other.samples.last?.size.bytes ?? 0)
      return (others, user.name) < (bytes, other.user.name)
    }
  }
  let span: UsageSpan
  let step: Milliseconds
  /// When the first step begins.
  let from: Milliseconds
  let steps: Int
  /// Who stores most first.
  let users: [Series]
}
