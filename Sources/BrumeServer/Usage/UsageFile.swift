// `usage.json` in the data folder: the counts as they were kept last, so that a restart does not empty the
// charts. Nothing depends on it: a file that cannot be read counts as none.

import BrumeModel
import BrumeWire

struct UsageFile: Equatable, Sendable {
  static let name = "usage.json"
  private static let format: Int64 = 1
  var history: UsageHistory
  var uses: [String: Milliseconds]

  init(_ history: UsageHistory, uses: [String: Milliseconds]) {
    self.history = history
    self.uses = uses
  }

  /// Nil: this is not what this version has written.
  init?(_ bytes: [UInt8], now: Milliseconds) {
    guard let json = try? JSON(parsing: bytes), json["format"]?.int == Self.format,
      let since = json["since"]?.int,
      let minutes = Self.buckets(json["minutes"]), let hours = Self.buckets(json["hours"])
    else { return nil }
    history = UsageHistory(since: since, minutes: minutes, hours: hours, now: now)
    uses = Dictionary(
      (json["uses"]?.object?.members ?? []).compactMap { member in
        member.value.int.map { (member.key, min($0, now)) }
      }, uniquingKeysWith: { $1 })
  }

  var bytes: [UInt8] {
    let members = uses.sorted { $0.key < $1.key }.map {
      JSONObject.Member(key: $0.key, value: .int($0.value))
    }
    return JSON.object(
      JSONObject(uniqueMembers: [
        .init(key: "format", value: .int(Self.format)),
        .init(key: "since", value: .int(history.since)),
        .init(key: "minutes", value: Self.json(history.minutes)),
        .init(key: "hours", value: Self.json(history.hours)),
        .init(key: "uses", value: .object(JSONObject(uniqueMembers: members))),
      ])
    ).bytes()
  }

  /// Each is its start and its counts, in one list of numbers.
  private static func json(_ buckets: [UsageBucket]) -> JSON {
    .array(
      buckets.map { bucket in .array(([bucket.start] + bucket.counts.values).map { .int($0) }) })
  }

  private static func buckets(_ json: JSON?) -> [UsageBucket]? {
    guard let lists = json?.array else { return nil }
    let buckets = lists.compactMap { list -> UsageBucket? in
      let numbers = list.array?.compactMap(\.int) ?? []
      guard let start = numbers.first, let counts = UsageCounts(values: Array(numbers.dropFirst()))
      else { return nil }
      return UsageBucket(start, counts)
    }
    return buckets.count == lists.count ? buckets : nil
  }
}
