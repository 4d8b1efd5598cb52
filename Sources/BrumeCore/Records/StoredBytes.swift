// What records take of their owner's quota, counted beside the records and valid as of one sequence: whatever
// wrote without counting makes the next save count again.

import BrumeModel
import BrumeStorage

struct StoredBytes {
  private var zone: Int64
  private(set) var database: Int64

  /// The counts of a zone and its database.
  init(of zone: Zone, _ transaction: any ReadTransaction) throws {
    database = try Self.sum(in: zone.key.database, transaction)
    self.zone = try Self.sum(in: zone, transaction)
  }

  mutating func grow(by bytes: Int64) {
    zone += bytes
    database += bytes
  }

  /// Keeps the counts as of the zone's last change, which is the database's.
  func keep(asOf zone: Zone, in settings: any SettingWriting) throws {
    try settings.set(
      .storedBytes(zone.key), to: KeptCount(self.zone, asOf: zone.lastSequence).text)
    try settings.set(
      .storedBytesOfDatabase(zone.key.database),
      to: KeptCount(database, asOf: zone.lastSequence).text)
  }

  /// What the database's records take: the kept count if it is of the last change, or the zones'.
  static func sum(
    in database: DatabaseKey, _ transaction: any ReadTransaction
  ) throws -> Int64 {
    if let known = try known(of: database, in: transaction) { return known }
    return try transaction.zones.all(in: database).reduce(0) { try $0 + sum(in: $1, transaction) }
  }

  /// The kept count of a database if it is of the last change; nil: nobody has counted since.
  static func known(of database: DatabaseKey, in transaction: any ReadTransaction) throws -> Int64?
  {
    let last = try transaction.sequences.last(in: database)
    return try kept(.storedBytesOfDatabase(database), at: last, in: transaction.settings)
  }

  /// What the zone's records take: the kept count if it is of the zone's last change, or counted.
  private static func sum(in zone: Zone, _ transaction: any ReadTransaction) throws -> Int64 {
    let kept = try kept(.storedBytes(zone.key), at: zone.lastSequence, in: transaction.settings)
    if let kept { return kept }
    var sum: Int64 = 0
    var after: Int64 = 0
    while true {
      let page = try transaction.changes.page(
        in: zone.key, after: after, through: .max, limit: 1000)
      // A damaged one counts for nothing, so that the others can be saved.
      for case .changed(let stored) in page where !stored.isUnreadable {
        sum += try stored.record().quotaBytes
      }
      guard let last = page.last, page.count == 1000 else { return sum }
      after = last.sequence
    }
  }

  private static func kept(
    _ key: SettingKey, at sequence: Int64, in settings: any SettingReading
  ) throws -> Int64? {
    guard let kept = try settings.value(key).flatMap(KeptCount.init) else { return nil }
    return kept.sequence == sequence ? kept.bytes : nil
  }
}

/// A count that is kept, and the sequence as of which it is right.
struct KeptCount: Equatable, Sendable {
  let bytes: Int64
  let sequence: Int64

  init(_ bytes: Int64, asOf sequence: Int64) {
    self.bytes = bytes
    self.sequence = sequence
  }

  /// Nil for what is no count.
  init?(_ text: [UInt8]) {
    let parts = text.split(separator: UInt8(ascii: " "), omittingEmptySubsequences: false)
    let numbers = parts.compactMap { Int64(String(decoding: $0, as: UTF8.self)) }
    guard parts.count == 2, numbers.count == 2 else { return nil }
    self.init(numbers[0], asOf: numbers[1])
  }

  /// The form in which it is kept: stores have it, so it stays.
  var text: [UInt8] { Array("\(bytes) \(sequence)".utf8) }
}

extension Record {
  /// What a record takes of its owner's quota: names, values and files.
  var quotaBytes: Int64 {
    fields.reduce(Int64(name.utf8.count)) { sum, field in
      sum + Int64(field.key.utf8.count + field.value.size) + field.value.fileBytes
    }
  }
}

extension FieldValue {
  fileprivate var fileBytes: Int64 {
    switch self {
    case .asset(let asset): asset.size
    case .list(let values, _): values.reduce(0) { $0 + $1.fileBytes }
    case .string, .int64, .double, .bytes, .timestamp, .location, .reference: 0
    }
  }
}
