// How much a user's private database may hold, where the operator sets a limit (case SAV-25). What a
// zone takes is counted beside its records and valid as of one sequence: whatever wrote without
// counting makes the next save count again. Records that participants write count for the owner.

import BrumeModel
import BrumeStorage

extension ZoneBatch {
  /// Fails the saves that would carry the owner over his quota, and new children of records that fail
  /// for it. Broken references come first (case SAV-26); deletes of the batch count before its saves.
  mutating func enforceQuota() throws {
    guard let limit = context.limits.storageBytesPerUser, stage.zone.database.owner != nil else {
      return
    }
    var total = try stage.transaction.storedBytes(in: stage.zone.database)
    storedBytes = (zone: try stage.transaction.storedBytes(of: view.zone), database: total)
    for name in cascade.union(stage.removals) {
      total -= try stage.before(name)?.quotaBytes ?? 0
    }
    var refused: Set<String> = []
    for position in items.indices where isAlive(position) && actions[position] == .put {
      guard let record = stage.puts[items[position].name] else { continue }
      let old = try stage.before(record.name)
      let growth = record.quotaBytes - (old?.quotaBytes ?? 0)
      if growth <= 0 || total + growth <= limit {
        total += growth
      } else {
        if old == nil { refused.insert(record.name) }
        fail(position, overQuota(record.name, growth, left: max(0, limit - total)))
      }
    }
    failChildren(of: refused)
  }

  private mutating func failChildren(of refused: Set<String>) {
    var refused = refused
    var isSettled = refused.isEmpty
    while !isSettled {
      isSettled = true
      for position in items.indices where isAlive(position) {
        guard let record = stage.puts[items[position].name],
          let parent = record.parent, refused.contains(parent)
        else { continue }
        refused.insert(record.name)
        fail(position, overQuota(record.name, record.quotaBytes, left: 0))
        isSettled = false
      }
    }
  }

  /// How much the owner has left is nobody else's business.
  private func overQuota(_ name: String, _ growth: Int64, left: Int64) -> BrumeError {
    let room =
      context.scope == .private
      ? "the user's storage has \(left) bytes left" : "its owner's storage is full"
    return BrumeError(
      .quotaExceeded,
      "record '\(name)' cannot be saved: \(room), and this needs \(growth) bytes or comes after what "
        + "did not fit; delete records, or ask for a larger quota")
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

extension ReadTransaction {
  /// What the database's records take: the kept count if it is of the last change, or the zones'.
  func storedBytes(in database: DatabaseKey) throws -> Int64 {
    let last = try lastSequence(in: database)
    if let kept = try keptBytes(.storedBytesOfDatabase(database), at: last) { return kept }
    return try zones(in: database).reduce(0) { try $0 + storedBytes(of: $1) }
  }

  private func keptBytes(_ key: SettingKey, at sequence: Int64) throws -> Int64? {
    guard let kept = try setting(key) else { return nil }
    let numbers = String(decoding: kept, as: UTF8.self).split(separator: " ").compactMap {
      Int64($0)
    }
    return numbers.count == 2 && numbers[1] == sequence ? numbers[0] : nil
  }

  /// What the zone's records take: the kept count if it is of the zone's last change, or counted.
  fileprivate func storedBytes(of zone: Zone) throws -> Int64 {
    if let kept = try keptBytes(.storedBytes(zone.key), at: zone.lastSequence) { return kept }
    var sum: Int64 = 0
    var after: Int64 = 0
    while true {
      let page = try changes(in: zone.key, after: after, through: .max, limit: 1000)
      for case .changed(let stored) in page { sum += try stored.record().quotaBytes }
      guard let last = page.last, page.count == 1000 else { return sum }
      after = last.sequence
    }
  }
}

extension WriteTransaction {
  /// Keeps the counts as of the zone's last change, which is the database's.
  func keepStoredBytes(_ bytes: (zone: Int64, database: Int64), of zone: Zone) throws {
    try set(.storedBytes(zone.key), to: Array("\(bytes.zone) \(zone.lastSequence)".utf8))
    try set(
      .storedBytesOfDatabase(zone.key.database),
      to: Array("\(bytes.database) \(zone.lastSequence)".utf8))
  }
}
