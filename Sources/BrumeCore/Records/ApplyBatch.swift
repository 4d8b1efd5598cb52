// Writing what the batch decided: records with their sequences, the log entries of the same
// transaction, shares' names and members, the zone's row.

import BrumeModel
import BrumeStorage

extension ZoneBatch {
  /// What became of the items, by position; an item that is not there was deleted.
  mutating func apply() throws -> [Int: RecordOutcome] {
    var writer = try BatchWriter(self)
    var outcomes: [Int: RecordOutcome] = [:]
    for position in items.indices where isAlive(position) {
      let name = items[position].name
      switch actions[position] {
      case .put:
        outcomes[position] = try writer.write(name).map { .saved($0) }
        try useReceipts(of: name)
      case .leaveShare: _ = try writer.write(name)
      case .remove: try writer.erase(name)
      case .nothing, nil: break
      }
    }
    for name in cascade.subtracting(stage.removals).sorted() { try writer.erase(name) }
    for name in stage.puts.keys.sorted() { _ = try writer.write(name) }
    try writer.finish(departures: departures, shortGUIDs: shortGUIDs)
    return outcomes
  }
}

/// Writes one batch and keeps count.
private struct BatchWriter {
  private let context: ModifyContext
  private let transaction: any WriteTransaction
  private var stage: Stage
  private var zone: Zone
  private var written: Set<String> = []
  private var wantsImage: [String: Bool] = [:]
  private var departures: [Membership] = []
  private var movesBetweenShares = false
  private var before: Coverage
  private var after: Coverage
  private let hasShares: Bool
  private var storedBytes: StoredBytes?

  init(_ batch: ZoneBatch) throws {
    context = batch.context
    transaction = batch.stage.transaction
    stage = batch.stage
    zone = batch.view.zone
    storedBytes = batch.storedBytes
    hasShares = zone.hasShares || !batch.shortGUIDs.isEmpty
    before = batch.coverage
    after = Coverage(
      hasZoneShare: hasShares ? try stage.after(Record.zoneShareName) != nil : false,
      chainLimit: batch.context.limits.parentChain)
  }

  /// Writes the batch's state of a record, once.
  mutating func write(_ name: String) throws -> StoredRecord? {
    guard written.insert(name).inserted, var record = stage.puts[name] else { return nil }
    let sequence = try nextSequence()
    record.changeTag = ChangeTag.text(sequence)
    let stored = try transaction.records.put(record, in: stage.zone, sequence: sequence)
    let old = try stage.before(name)
    grow(by: record.quotaBytes - (old?.quotaBytes ?? 0))
    let shares = try covering(old: old, new: record)
    try append(name, record.type, old == nil ? .created : .updated, image: stored, shares)
    return stored
  }

  mutating func erase(_ name: String) throws {
    guard written.insert(name).inserted, let old = try stage.before(name) else { return }
    let key = RecordKey(zone: stage.zone, name: name)
    grow(by: -old.quotaBytes)
    let shares = try covering(old: old, new: nil)
    let image = try transaction.records.find(key)
    try transaction.records.remove(
      key, type: old.type, coveringShares: shares, sequence: try nextSequence())
    try append(name, old.type, .deleted, image: image, shares)
    if old.isShare {
      departures += try transaction.shares.memberships(in: stage.zone).filter { $0.share == key }
    }
  }

  private mutating func grow(by bytes: Int64) {
    storedBytes?.grow(by: bytes)
  }

  /// The shares that cover the record before or after, so that those who lose it are notified too.
  private mutating func covering(old: Record?, new: Record?) throws -> [String] {
    guard hasShares else { return [] }
    var reading = stage
    let then = try old.map { try before.shares(of: $0) { try reading.before($0) } } ?? []
    let now = try new.map { try after.shares(of: $0) { try reading.after($0) } } ?? []
    if old != nil, new != nil, then != now { movesBetweenShares = true }
    return Set(then).union(now).sorted()
  }

  private mutating func nextSequence() throws -> Int64 {
    let sequence = try transaction.sequences.next(in: stage.zone.database)
    if zone.incarnation == 0 { zone.incarnation = sequence }
    zone.lastSequence = sequence
    return sequence
  }

  private mutating func append(
    _ name: String, _ type: String, _ kind: RecordChange.Kind, image: StoredRecord?,
    _ shares: [String]
  ) throws {
    let database = stage.zone.database
    let isWanted =
      try wantsImage[type] ?? transaction.subscriptions.hasQueries(on: type, in: database)
    wantsImage[type] = isWanted
    let change = RecordChange(
      record: RecordKey(zone: stage.zone, name: name), recordType: type, kind: kind,
      image: isWanted ? image : nil, coveringShares: shares)
    try transaction.log.append(
      .record(change), in: database, origin: context.caller.origin(at: context.now))
  }

  /// Members, short names, and the zone's own row.
  mutating func finish(departures left: [Membership], shortGUIDs: [String: RecordKey]) throws {
    for (shortGUID, key) in shortGUIDs.sorted(by: { $0.key < $1.key }) {
      try transaction.shares.setShortGUID(shortGUID, record: key)
    }
    for membership in departures + left {
      try transaction.shares.remove(membership)
      try transaction.log.append(
        .membership(membership.user, stage.zone), in: stage.zone.database,
        origin: context.caller.origin(at: context.now))
    }
    guard !written.isEmpty else { return }
    if movesBetweenShares { try transaction.settings.raiseSharingEpoch(of: stage.zone) }
    zone.hasShares = hasShares
    try transaction.zones.put(zone)
    try storedBytes?.keep(asOf: zone, in: transaction.settings)
  }
}
