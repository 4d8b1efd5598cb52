// `usage.json` in the data folder: the counts as they were kept last, so that a restart does not empty the
// charts. Nothing depends on it: a file that cannot be read counts as none.

import BrumeModel
import BrumeWire

struct UsageFile: Equatable, Sendable {
  static let name = "usage.json"
  private static let format: Int64 = 1
  /// Ours: no server counts more within an hour, and all of a month can be added.
  private static let most: Int64 = 1 << 44
  var history: UsageHistory
  var uses: [String: Milliseconds]
  var storage: StorageHistory

  init(_ history: UsageHistory, uses: [String: Milliseconds], storage: StorageHistory) {
    self.history = history
    self.uses = uses
    self.storage = storage
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
    storage = StorageHistory(StorageSample.all(of: json["storage"]), now: now)
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
        .init(key: "storage", value: .array(storage.samples.map(\.json))),
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
      guard let start = numbers.first, numbers.dropFirst().allSatisfy({ $0 <= most }),
        let counts = UsageCounts(values: Array(numbers.dropFirst()))
      else { return nil }
      return UsageBucket(start, counts)
    }
    return buckets.count == lists.count ? buckets : nil
  }
}

extension StorageSample {
  /// The start, then a list for each user: the record name, records, bytes, and 0 if there is more.
  fileprivate var json: JSON {
    .array(
      [.int(start)]
        + sizes.sorted { $0.key.name < $1.key.name }.map { user, size in
          .array([
            .string(user.name), .int(size.records), .int(size.bytes), .int(size.isWhole ? 1 : 0),
          ])
        })
  }

  /// Samples that cannot be read, or that an earlier version did not keep, count as none.
  fileprivate static func all(of json: JSON?) -> [StorageSample] {
    (json?.array ?? []).compactMap { sample in
      guard let parts = sample.array, let start = parts.first?.int else { return nil }
      let sizes = parts.dropFirst().compactMap { part -> (UserID, StoredSize)? in
        guard let values = part.array, values.count == 4, let name = values[0].string,
          let records = values[1].int, let bytes = values[2].int
        else { return nil }
        return (UserID(name), StoredSize(records: records, bytes: bytes, isWhole: values[3] == 1))
      }
      return StorageSample(start: start, sizes: Dictionary(sizes) { $1 })
    }
  }
}
