// A zone that is deleted is gone at once, for everybody. Its rows go with it if they are few; if they are many, they go in
// steps behind it, each a write of its own, because whoever deletes a hundred thousand records must not keep all others
// waiting for as long as that takes. Until the last is gone the zone cannot be made again.
//
// Nobody takes away what is in a zone that was made again: each step looks first.
//
// The request that deletes goes on until nothing is left, and the server without it if it is given up. What the end of the
// server leaves is found by `sweep`.

import BrumeModel
import BrumeStorage

/// Removes what deleted zones have left.
package struct ZoneEmptying: Sendable {
  /// Ours: rows that go in one write, and the bytes of what they hold.
  fileprivate static let step = 500
  fileprivate static let stepBytes = 2 << 20
  /// Ours: rows of the query index that go in one write, which stand side by side; a text has as many as words. And how
  /// many of them count as one row of a deletion's own write.
  private static let indexStep = 20_000
  fileprivate static let indexRowsAsOne = 10
  /// Ours: zones that one look finds.
  private static let zonesPerLook = 100

  let store: any Store
  let unfinished: UnfinishedZones

  init(_ parts: EngineParts) {
    store = parts.store
    unfinished = parts.unfinishedZones
  }

  /// Removes all rows of deleted zones, unless one has been made again meanwhile.
  ///
  /// - Throws: what the store throws; some rows are gone then.
  func finish(_ zones: [ZoneKey]) async throws {
    for zone in zones {
      while try await !removeSomeIndex(of: zone) { try Task.checkCancellation() }
      while try await !removeSome(of: zone) { try Task.checkCancellation() }
    }
  }

  /// Removes all rows of a zone that is there, and stays. Queries need their index as long as there are records, so its rows
  /// go with each, those of large texts and lists behind it, as with every deletion.
  ///
  /// - Throws: what the store throws; some rows are gone then.
  func empty(_ zone: ZoneKey) async throws {
    while try await !removeSome(of: zone, evenLive: true) { try Task.checkCancellation() }
    // A loss of power could undo the steps, but not what was written before this. Nor could it undo the number, by which all
    // servers see that what they counted in the zone is not there any more.
    try await store.write(in: .database(zone.database)) { transaction in
      guard var row = try transaction.zones.find(zone) else { return }
      row.lastSequence = try transaction.sequences.next(in: zone.database)
      try transaction.zones.put(row)
    }
  }

  /// The same for a request, which may be given up: the server goes on without it then (`finishUnfinished`), for what is
  /// left counts for no quota. Zones that another request of this process empties are left to that one. Answers whether
  /// nothing is left.
  func finishOrHandOver(_ zones: [ZoneKey]) async -> Bool {
    let own = unfinished.begin(zones)
    defer { unfinished.end(own) }
    do {
      try await finish(own)
      return own.count == zones.count
    } catch {
      unfinished.add(own)
      return false
    }
  }

  /// Goes on where requests of this process gave up.
  ///
  /// - Throws: what the store throws. `sweep` finds what is left then.
  package func finishUnfinished() async throws { try await finish(unfinished.take()) }

  /// The same for zones whose deletion was cut short.
  ///
  /// - Parameter count: gets how many are empty now, also of a look that ends with an error.
  /// - Throws: what the store throws. Of what is damaged only when all others are gone.
  package func sweep(counting count: inout Int) async throws {
    var damaged: Set<ZoneKey> = []
    var damage = FirstDamage()
    while true {
      guard let found = try await allLeft(limit: Self.zonesPerLook + damaged.count) else {
        try await finishEach(&count, &damage)
        break
      }
      let zones = found.filter { !damaged.contains($0) }
      if zones.isEmpty { break }
      for zone in zones {
        do {
          try await finish([zone])
          count += 1
        } catch {
          try damage.note(error)
          damaged.insert(zone)
        }
      }
    }
    try damage.throwIfMet()
  }

  /// The same for those of one user: others' are for the server to find.
  ///
  /// - Throws: what the store throws.
  func sweep(of user: UserID) async throws {
    // Rows of zones that are damaged are not among them, and keep no user from being deleted.
    guard let left = try await allLeft(limit: .max) else { return try await finishEach(of: user) }
    try await finish(left.filter { $0.database.owner == user })
  }

  /// A step that takes away what queries find records by. Answers whether nothing of it is left.
  private func removeSomeIndex(of zone: ZoneKey) async throws -> Bool {
    let (plan, limit) = (ReadPlan { [.zone(zone)] }, Self.indexStep)
    return try await store.writeRepeatable(in: .database(zone.database), reading: plan) {
      guard try $0.mayEmpty(zone) else { return true }
      return try $0.records.removeIndex(of: zone, limit: limit) != nil
    }
  }

  /// One step. Answers whether nothing is left to do.
  private func removeSome(of zone: ZoneKey, evenLive: Bool = false) async throws -> Bool {
    let (names, isLast) = try await store.read { transaction in
      let some = try transaction.someChanges(in: zone, limit: Self.step)
      return (some.changes.map(\.name), some.isLast)
    }
    let read = isLast && !evenLive ? [] : names
    let plan = ReadPlan {
      Set(read.map { .record(RecordKey(zone: zone, name: $0)) } + [.zone(zone)])
    }
    return try await store.writeRepeatable(in: .database(zone.database), reading: plan) {
      guard try $0.mayEmpty(zone, evenLive: evenLive) else { return true }
      if !isLast { return try $0.remove(names, in: zone) }
      if evenLive { return try $0.removeLast(ofLive: zone) }
      try $0.records.removeAll(in: zone)
      return true
    }
  }
}

extension ReadTransaction {
  /// The first rows of a zone, and whether there are no others.
  fileprivate func someChanges(
    in zone: ZoneKey, limit: Int
  ) throws -> (changes: [StoredChange], isLast: Bool) {
    try changes.page(in: zone, after: 0, limit: limit + 1, byteLimit: ZoneEmptying.stepBytes)
  }

  /// Whether a deleted zone has rows left.
  func hasRows(in zone: ZoneKey) throws -> Bool {
    try !changes.page(in: zone, after: 0, through: .max, limit: 1).isEmpty
  }
}

extension WriteTransaction {
  /// Removes what a zone has if it is little.
  ///
  /// - Parameter room: rows that may go; those that went are taken off.
  /// - Returns: whether nothing is left.
  func removeAll(in zone: ZoneKey, ifWithin room: inout Int) throws -> Bool {
    let (changes, isLast) = try someChanges(in: zone, limit: room)
    guard isLast else { return false }
    let limit = ZoneEmptying.indexRowsAsOne * room
    guard let rows = try records.removeIndex(of: zone, limit: limit) else {
      room = 0
      return false
    }
    room -= max(changes.count, rows / ZoneEmptying.indexRowsAsOne)
    try records.removeAll(in: zone)
    return true
  }

  /// Removes what little queries would find in a zone that is made again. Answers whether nothing else is left of the
  /// deleted one.
  func removeLast(of zone: ZoneKey) throws -> Bool {
    if try hasRows(in: zone) { return false }
    return try records.removeIndex(of: zone, limit: ZoneEmptying.step) != nil
  }

  /// Whether a zone's rows may go: what was made again has rows of its own.
  fileprivate func mayEmpty(_ zone: ZoneKey, evenLive: Bool = false) throws -> Bool {
    guard try zones.find(zone)?.isLive ?? true else { return true }
    guard evenLive else { return false }
    try settings.forgetStoredBytes(of: zone)
    return true
  }

  /// Removes what there is, with what came since somebody looked: of records that were saved together none stays alone.
  /// Answers whether nothing is left.
  fileprivate func removeLast(ofLive zone: ZoneKey) throws -> Bool {
    let some = try someChanges(in: zone, limit: ZoneEmptying.step)
    _ = try remove(some.changes.map(\.name), in: zone)
    return some.isLast
  }

  /// Removes rows, without a word in the change feed. Answers whether nothing is left.
  func remove(_ names: [String], in zone: ZoneKey) throws -> Bool {
    let count = try BrumeError.unlessDamaged { try removeEach(names, in: zone) }
    // Somebody else may have taken them away.
    if let count, count > 0 { return false }
    let first = try changes.page(in: zone, after: 0, through: .max, limit: 1).first
    guard let first else { return true }
    if count != nil, !names.contains(first.name) { return false }
    // What cannot be read one by one goes as a whole.
    try records.removeAll(in: zone)
    return true
  }

  private func removeEach(_ names: [String], in zone: ZoneKey) throws -> Int {
    for name in names {
      let key = RecordKey(zone: zone, name: name)
      guard let stored = try records.find(key) else { continue }
      try records.remove(key, type: stored.type, sequence: stored.sequence)
    }
    return try records.forgetDeletions(of: names, in: zone, through: .max)
  }
}

extension ZoneWriter {
  /// Ours: rows that a request's deletions of zones take away in their own write.
  static let room = ZoneEmptying.step
}

extension StoredChange {
  fileprivate var name: String {
    switch self {
    case .changed(let stored): stored.name
    case .deleted(let deletion): deletion.name
    }
  }
}
