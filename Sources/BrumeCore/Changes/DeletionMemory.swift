// How long zones remember deletions. By default for as long as they live; with a lifetime, what is older is
// forgotten, and change tokens from before it are expired (`TokenRules.missesDeletions`). Deleted zones stay
// known, one row each: their names have a bound (`Limits.zoneNamesPerDatabase`).
//
// One pass goes through the databases one by one. Lines are found by reading and dropped in small writes, each of
// which also says how far the zone's memory does not reach any more.

package import BrumeModel
import BrumeStorage

/// Forgets old deletions.
package struct DeletionMemory: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
  }

  /// Forgets, in all databases, what is older than the lifetime that the server has; nothing without one. To be
  /// called often: it notes where each database is, or nobody would know how old a deletion is.
  ///
  /// - Parameter report: gets what was forgotten, also of a pass that ends with an error.
  /// - Throws: what the store throws. Of what is damaged only when all other zones had their turn.
  package func sweep(into report: inout DeletionReport) async throws {
    guard let lifetime = limits.deletionLifetime else { return }
    var damage = FirstDamage()
    for containerEnvironment in try await store.read({ try $0.containerEnvironments() }) {
      try await pass(containerEnvironment, olderThan: lifetime, isDryRun: false, &report, &damage)
    }
    try damage.throwIfMet()
  }

  /// Forgets, in all databases of a container environment, what is older than an age; at age 0 everything up to
  /// now. Other ages are known only as far as a lifetime was set.
  ///
  /// - Parameters:
  ///   - isDryRun: only counts.
  ///   - report: gets what was forgotten, also of a pass that ends with an error.
  /// - Throws: `badRequest` if the age is negative, or neither given nor set; what the store throws, of what is damaged only when
  ///   all other zones had their turn.
  package func forget(
    in containerEnvironment: ContainerEnvironment, olderThan age: Milliseconds?, isDryRun: Bool,
    into report: inout DeletionReport
  ) async throws {
    guard let age = age ?? limits.deletionLifetime else {
      throw BrumeError(
        .badRequest,
        "this server remembers deletions for as long as their zones live; say which are old enough with "
          + "'olderThanDays' ('brume deletions forget --older-than DAYS')")
    }
    guard age >= 0 else { throw BrumeError(.badRequest, "'olderThanDays' must not be negative") }
    var damage = FirstDamage()
    try await pass(containerEnvironment, olderThan: age, isDryRun: isDryRun, &report, &damage)
    try damage.throwIfMet()
  }

  /// A damaged database keeps no other from its turn.
  private func pass(
    _ containerEnvironment: ContainerEnvironment, olderThan age: Milliseconds, isDryRun: Bool,
    _ report: inout DeletionReport, _ damage: inout FirstDamage
  ) async throws {
    for database in try await store.read({ try $0.zones.databases(in: containerEnvironment) }) {
      try Task.checkCancellation()
      do {
        try await forget(in: database, olderThan: age, isDryRun: isDryRun, &report)
      } catch {
        try damage.note(error)
      }
    }
  }

  private func forget(
    in database: DatabaseKey, olderThan age: Milliseconds, isDryRun: Bool,
    _ report: inout DeletionReport
  ) async throws {
    let (last, marks) = try await store.read {
      (try $0.sequences.last(in: database), try $0.sequenceMarks(of: database))
    }
    let now = host.now()
    report += DeletionReport(databases: 1)
    let through = age == 0 ? last : marks.sequence(before: now - age)
    var damage = FirstDamage()
    if let through, through > marks.forgotten {
      damage = try await forget(in: database, marks.forgotten, through, isDryRun, &report)
    } else if through == nil {
      report.unknown += 1
    }
    if !isDryRun {
      var new = marks
      if let lifetime = limits.deletionLifetime {
        new.note(last, at: now, every: max(1, lifetime / limits.deletionMarks))
      }
      // While a zone is damaged, the next pass begins where this one did.
      if let through { new.take(through, isForgotten: !damage.isMet) }
      try await save(new, insteadOf: marks, of: database)
    }
    try damage.throwIfMet()
  }

  private func save(
    _ new: SequenceMarks, insteadOf old: SequenceMarks, of database: DatabaseKey
  ) async throws {
    guard new != old else { return }
    let bytes = new.bytes
    try await store.write(in: .database(database)) {
      try $0.settings.set(.sequenceMarks(database), to: bytes)
    }
  }

  /// A damaged zone keeps no other from its turn. Answers with the damage that was met.
  private func forget(
    in database: DatabaseKey, _ after: Int64, _ through: Int64, _ isDryRun: Bool,
    _ report: inout DeletionReport
  ) async throws -> FirstDamage {
    var damage = FirstDamage()
    for zone in try await store.read({ try $0.zonesWithMemory(in: database) }) {
      do {
        try await forget(in: zone, after, through, isDryRun, &report)
      } catch {
        try damage.note(error)
      }
    }
    return damage
  }

  private func forget(
    in zone: ZoneKey, _ after: Int64, _ through: Int64, _ isDryRun: Bool,
    _ report: inout DeletionReport
  ) async throws {
    var position = after
    var count = 0
    // What went is counted, whatever is met behind it.
    defer { if count > 0 { report += DeletionReport(deletions: count, zones: 1) } }
    while case let lines = try await lines(zone, position, through), let last = lines.last {
      count += isDryRun ? lines.count : try await drop(lines.map(\.name), zone, last.sequence)
      position = last.sequence
      if lines.count < limits.deletionRows { break }
    }
  }

  private func lines(
    _ zone: ZoneKey, _ after: Int64, _ through: Int64
  ) async throws -> [StoredDeletion] {
    let rows = limits.deletionRows
    return try await store.read {
      try $0.changes.deletions(in: zone, after: after, through: through, limit: rows)
    }
  }

  private func drop(_ names: [String], _ zone: ZoneKey, _ through: Int64) async throws -> Int {
    try await store.write(in: .database(zone.database)) { transaction in
      let known = try transaction.forgottenDeletions(in: zone)
      try transaction.settings.set(
        .forgottenDeletions(zone), to: Self.bytes(max(known, through)))
      return try transaction.records.forgetDeletions(of: names, in: zone, through: through)
    }
  }

  private static func bytes(_ sequence: Int64) -> [UInt8] {
    var packer = Packer()
    packer.add(sequence)
    return packer.bytes
  }
}

extension ReadTransaction {
  /// The highest sequence of a deletion in the zone that was forgotten; 0: none was.
  func forgottenDeletions(in zone: ZoneKey) throws -> Int64 {
    guard let bytes = try settings.value(.forgottenDeletions(zone)) else { return 0 }
    var unpacker = Unpacker(bytes)
    return unpacker.number() ?? 0
  }

  fileprivate func sequenceMarks(of database: DatabaseKey) throws -> SequenceMarks {
    try settings.value(.sequenceMarks(database)).map { SequenceMarks($0) } ?? SequenceMarks()
  }

  /// The default zone may have no row.
  fileprivate func zonesWithMemory(in database: DatabaseKey) throws -> [ZoneKey] {
    let live = try zones.all(in: database).map(\.key)
    let byDefault = ZoneKey(database: database, name: ZoneID.defaultName)
    return live.contains(byDefault) ? live : live + [byDefault]
  }
}
