// A store in which deleted zones are on damaged pages, for tests of what goes on without them.

package import BrumeModel
package import BrumeStorage

/// Another store. No write succeeds that names one of the damaged zones.
package final class DamagedZones: WrappingStore {
  private struct State {
    var most = 0
    var zones: Set<ZoneKey> = []
    var refusals = 0
    var failingReads = 0
  }

  package let inner: any Store
  private let state = Mutexed(State())

  package init(_ inner: any Store) { self.inner = inner }

  /// Damages the first zones that writes name from now on.
  package func damage(first count: Int) { state.change { $0.most = count } }

  /// The next reads meet a damaged page, whatever they read.
  package func failReads(_ count: Int) { state.change { $0.failingReads = count } }

  /// Those that are damaged.
  package var zones: Set<ZoneKey> { state.value.zones }
  /// How many writes were refused.
  package var refusals: Int { state.value.refusals }

  package func read<Value: Sendable>(
    _ plan: ReadPlan, _ body: @escaping @Sendable (any ReadTransaction) throws -> Value
  ) async throws -> Value {
    var fails = false
    state.change { state in
      fails = state.failingReads > 0
      if fails { state.failingReads -= 1 }
    }
    if fails { throw StoreError(.corrupt, "invalid page in block 0") }
    return try await inner.read(plan, body)
  }

  package func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    for case .zone(let zone) in plan.reads where isDamaged(zone) {
      throw StoreError(.corrupt, "invalid page in block 0")
    }
    return try await inner.write(in: scope, reading: plan, body)
  }

  private func isDamaged(_ zone: ZoneKey) -> Bool {
    var isDamaged = false
    state.change { state in
      if state.zones.count < state.most { state.zones.insert(zone) }
      isDamaged = state.zones.contains(zone)
      if isDamaged { state.refusals += 1 }
    }
    return isDamaged
  }
}

extension Store {
  /// Leaves a deleted zone with a record, as after the first write of a deletion when the server ended then.
  ///
  /// - Throws: what the store throws.
  package func leaveUnfinished(_ zone: ZoneKey) async throws {
    try await write(in: .database(zone.database)) { transaction in
      let sequence = try transaction.sequences.next(in: zone.database)
      let record = Record(name: "a", zone: zone.id, type: "Note")
      try transaction.records.put(record, in: zone, sequence: sequence)
      try transaction.zones.put(
        Zone(key: zone, incarnation: 1, lastSequence: sequence, deletion: .deleted))
    }
  }

  /// Deleted zones of which rows are left.
  ///
  /// - Throws: what the store throws.
  package func unfinishedZones() async throws -> Set<ZoneKey> {
    Set(try await read { try $0.zones.unfinishedDeletions(limit: 1000) })
  }
}
