// Counts over time: by minutes for a day, by hours for a month. It only counts; the clock is an argument.

import BrumeModel

struct UsageHistory: Equatable, Sendable {
  static let minute: Milliseconds = 60_000
  static let hour: Milliseconds = 3_600_000
  /// What a span of a day and one of a month show.
  static let mostMinutes = 24 * 60
  static let mostHours = 30 * 24

  /// When counting began.
  private(set) var since: Milliseconds
  /// Those in which something was counted, the oldest first.
  private(set) var minutes: [UsageBucket] = []
  private(set) var hours: [UsageBucket] = []

  init(since: Milliseconds) { self.since = since }

  /// As it was kept. What is not in order, or from the future, is left out.
  init(since: Milliseconds, minutes: [UsageBucket], hours: [UsageBucket], now: Milliseconds) {
    self.since = min(since, now)
    self.minutes = Self.ordered(minutes, until: now)
    self.hours = Self.ordered(hours, until: now)
    trim(now)
  }

  mutating func count(at now: Milliseconds, _ count: (inout UsageCounts) -> Void) {
    // From before the clock was set back. What is less is another thread that looked at the clock before.
    if let last = minutes.last, last.start > now + Self.minute {
      minutes.removeAll { $0.start > now }
      hours.removeAll { $0.start > now }
    }
    if minutes.last.map({ now >= $0.start + Self.minute }) ?? true {
      minutes.append(UsageBucket(now - now % Self.minute))
      if hours.last.map({ now >= $0.start + Self.hour }) ?? true {
        hours.append(UsageBucket(now - now % Self.hour))
      }
      trim(now)
    }
    count(&minutes[minutes.count - 1].counts)
    count(&hours[hours.count - 1].counts)
  }

  func report(_ span: UsageSpan, now: Milliseconds) -> UsageReport {
    let last = now - now % span.step
    let first = last - Int64(span.steps - 1) * span.step
    var buckets = (0..<span.steps).map { UsageBucket(first + Int64($0) * span.step) }
    var total = UsageCounts()
    for bucket in span.step < Self.hour ? minutes : hours where bucket.start >= first {
      let at = Int((bucket.start - first) / span.step)
      guard buckets.indices.contains(at) else { continue }
      buckets[at].counts += bucket.counts
      total += bucket.counts
    }
    return UsageReport(span, since: since, buckets: buckets, total: total)
  }

  private mutating func trim(_ now: Milliseconds) {
    let oldestMinute = now - Int64(Self.mostMinutes) * Self.minute
    let oldestHour = now - Int64(Self.mostHours) * Self.hour
    minutes.removeAll { $0.start < oldestMinute }
    hours.removeAll { $0.start < oldestHour }
  }

  private static func ordered(_ buckets: [UsageBucket], until now: Milliseconds) -> [UsageBucket] {
    buckets.reduce(into: []) { kept, bucket in
      if bucket.start <= now, bucket.start > kept.last?.start ?? .min { kept.append(bucket) }
    }
  }
}
