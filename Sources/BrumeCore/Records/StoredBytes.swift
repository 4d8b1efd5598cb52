// What records take of their owner's quota, counted beside the records. A database's count is valid as of one
// sequence; whatever wrote since without counting makes the next save count the zones that changed since, and
// those only.

import BrumeModel
import BrumeStorage

struct StoredBytes {
  private static let zonesOfPage = 200
  /// Ours: what one page of records that are counted brings.
  static let page = (records: 1000, bytes: 4 << 20)

  private var zone: Int64
  private(set) var database: Int64

  /// The counts of a zone and its database, kept from now on.
  init(of zone: Zone, _ transaction: any WriteTransaction) throws {
    database = try Self.counted(in: zone.key.database, transaction)
    self.zone = try Self.sum(in: zone, transaction)
  }

  /// The counts as they are kept; nil if nobody has counted since the last change.
  init?(keptOf zone: Zone, in transaction: any ReadTransaction) throws {
    guard let database = try Self.known(of: zone.key.database, in: transaction),
      let own = try KeptCount(ofZone: zone.key, transaction.settings),
      own.sequence == zone.lastSequence
    else { return nil }
    self.database = database
    self.zone = own.bytes
  }

  mutating func grow(by bytes: Int64) {
    zone += bytes
    database += bytes
  }

  /// Keeps the counts as of the zone's last change, which is the database's.
  func keep(asOf zone: Zone, in settings: any SettingWriting) throws {
    let sequence = zone.lastSequence
    try settings.set(
      .storedBytes(zone.key), to: KeptCount(bytes: self.zone, sequence: sequence).text(of: .zone))
    try settings.set(
      .storedBytesOfDatabase(zone.key.database),
      to: KeptCount(bytes: database, sequence: sequence).text(of: .database))
  }

  /// What the database's records take, kept from now on: the kept count, with the zones that changed since
  /// counted anew; all zones if there is none.
  static func counted(
    in database: DatabaseKey, _ transaction: any WriteTransaction
  ) throws -> Int64 {
    let last = try transaction.sequences.last(in: database)
    let kept = try KeptCount(ofDatabase: database, transaction.settings)
    if let kept, kept.sequence == last { return kept.bytes }
    var bytes = kept?.bytes ?? 0
    var after = kept?.sequence ?? 0
    while true {
      let page = try transaction.zones.changed(in: database, after: after, limit: zonesOfPage)
      for zone in page { bytes += try growth(of: zone, isCounted: kept != nil, transaction) }
      guard page.count == zonesOfPage, let zone = page.last else { break }
      after = zone.lastSequence
    }
    try transaction.settings.set(
      .storedBytesOfDatabase(database),
      to: KeptCount(bytes: bytes, sequence: last).text(of: .database))
    return bytes
  }

  /// The count of a database if it is of the last change; nil: nobody has counted since.
  static func known(of database: DatabaseKey, in transaction: any ReadTransaction) throws -> Int64?
  {
    let last = try transaction.sequences.last(in: database)
    let kept = try KeptCount(ofDatabase: database, transaction.settings)
    return kept?.sequence == last ? kept?.bytes : nil
  }

  /// How much more a zone takes than it has in its database's count, and keeps its own.
  ///
  /// - Parameter isCounted: whether the database's count has it as its own said last.
  private static func growth(
    of zone: Zone, isCounted: Bool, _ transaction: any WriteTransaction
  ) throws -> Int64 {
    let old = try KeptCount(ofZone: zone.key, transaction.settings)
    let bytes = zone.isLive ? try sum(in: zone, transaction) : 0
    // Nothing stands for nothing, so that a database of empty zones keeps one row.
    if bytes != 0 || old != nil {
      let now = KeptCount(bytes: bytes, sequence: zone.lastSequence)
      try transaction.settings.set(
        .storedBytes(zone.key), to: zone.isLive ? now.text(of: .zone) : nil)
    }
    return bytes - (isCounted ? old?.bytes ?? 0 : 0)
  }

  /// What the zone's records take: the kept count if it is of the zone's last change, or counted.
  private static func sum(in zone: Zone, _ transaction: any ReadTransaction) throws -> Int64 {
    let kept = try KeptCount(ofZone: zone.key, transaction.settings)
    if let kept, kept.sequence == zone.lastSequence { return kept.bytes }
    var sum: Int64 = 0
    var after: Int64 = 0
    while true {
      let (found, isLast) = try transaction.changes.page(
        in: zone.key, after: after, limit: page.records, byteLimit: page.bytes)
      // A damaged one counts for nothing, so that the others can be saved.
      for case .changed(let stored) in found where !stored.isUnreadable {
        sum += try stored.record().quotaBytes
      }
      guard let last = found.last, !isLast else { return sum }
      after = last.sequence
    }
  }
}

extension SettingWriting {
  /// Forgets the counts of a zone whose records went while its sequence stayed: they would seem to be right.
  func forgetStoredBytes(of zone: ZoneKey) throws {
    try set(.storedBytes(zone), to: nil)
    try set(.storedBytesOfDatabase(zone.database), to: nil)
  }
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
