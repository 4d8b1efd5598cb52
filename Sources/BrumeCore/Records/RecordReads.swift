// What fetching and saving records is going to read, as far as the request says it.

import BrumeModel
import BrumeStorage

extension ZoneKey {
  /// What a `ZoneView` of the zone reads.
  func readsOfView(in scope: DatabaseScope, for caller: Caller) -> Set<ReadPlan.Read> {
    guard scope == .shared, let user = caller.user else { return [.zone(self)] }
    return [
      .zone(self), .memberships(user, caller.containerEnvironment),
      .setting(.sharingEpoch(self)),
    ]
  }
}

extension Store {
  /// The zones in which the caller takes part in a share; none in another database than the shared one. A plan is carried
  /// out before anybody judges it: it is to name nothing of other zones, whose size would show in how long an answer takes.
  func joinedZones(of caller: Caller, in scope: DatabaseScope) async throws -> Set<ZoneKey> {
    guard scope == .shared, let user = caller.user else { return [] }
    let place = caller.containerEnvironment
    return try await read(ReadPlan { [.memberships(user, place)] }) { transaction in
      Set(try transaction.shares.memberships(of: user, in: place).map(\.share.zone))
    }
  }
}

extension RecordLookup {
  /// - Parameter joined: in the shared database, zones of which the caller may see something.
  static func reads(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller,
    among joined: Set<ZoneKey>, _ limits: Limits
  ) -> ReadPlan {
    @Sendable func keys() -> [RecordKey] {
      request.items.compactMap { item in
        let zone = try? caller.zoneKey(item.zone ?? request.zone, in: scope, limits: limits)
        return zone.map { zone in
          RecordKey(zone: zone, name: zone.isDefault ? caller.naming(item.name) : item.name)
        }
      }
    }
    return ReadPlan(inOrder: keys) {
      var reads: Set<ReadPlan.Read> = [.setting(.schema(caller.containerEnvironment))]
      for key in keys() {
        reads.formUnion(key.zone.readsOfView(in: scope, for: caller))
        if scope != .shared || joined.contains(key.zone) { reads.insert(.record(key)) }
      }
      return reads
    }
  }
}

extension ModifyPlan.Part {
  /// What saving and deleting reads, but for what only the stored records say: a deleted record's type,
  /// ancestors beyond the parent.
  ///
  /// - Parameter joined: in the shared database, zones of which the caller may see something.
  func reads(
    _ context: ModifyContext, _ memory: OperationMemory?, bringsClientData: Bool,
    among joined: Set<ZoneKey>
  ) -> ReadPlan {
    ReadPlan(inOrder: { zones.flatMap { $0.items.map(\.key) } }) {
      let caller = context.caller
      var reads: Set<ReadPlan.Read> = [.setting(.schema(database.containerEnvironment))]
      if let memory { reads.insert(.setting(memory.place.key)) }
      if context.limits.storageBytesPerUser != nil {
        reads.formUnion([.lastSequence(database), .setting(.storedBytesOfDatabase(database))])
      }
      for (zone, items) in zones {
        reads.formUnion(zone.readsOfView(in: context.scope, for: caller))
        if context.scope == .shared, !joined.contains(zone) { continue }
        reads.insert(.record(RecordKey(zone: zone, name: Record.zoneShareName)))
        if context.limits.storageBytesPerUser != nil { reads.insert(.setting(.storedBytes(zone))) }
        if bringsClientData { reads.insert(.setting(.clientData(zone, user: context.user))) }
        for item in items { reads.formUnion(item.reads) }
      }
      return reads
    }
  }
}

extension RecordItem {
  fileprivate var reads: Set<ReadPlan.Read> {
    var reads: Set<ReadPlan.Read> = [.record(key)]
    if key.mayBeUser { reads.insert(.user(UserID(key.name))) }
    if kind.isDelete {
      reads.formUnion([
        .referrers(key, .deleteSelf), .referrers(key, .validate), .children(of: key),
      ])
    }
    if let type = draft.type {
      reads.insert(.querySubscriptions(recordType: type, key.zone.database))
    }
    if case .set(let parent) = draft.parent { reads.insert(.record(neighbour(parent.recordName))) }
    if let root = draft.shareRoot { reads.insert(.record(neighbour(root.name))) }
    for reference in draft.fields.values.compactMap(\.value).flatMap(\.references) {
      let target = neighbour(reference.recordName)
      switch reference.action {
      case .validate: reads.insert(.record(target))
      case .deleteSelf:
        reads.insert(.referrers(target, .deleteSelf))
        // It may be a share, where there can be some.
        if key.zone.database.owner != nil, !key.zone.isDefault { reads.insert(.record(target)) }
      case .none: break
      }
    }
    return reads
  }

  /// References stay in their zone.
  private func neighbour(_ name: String) -> RecordKey { RecordKey(zone: key.zone, name: name) }
}
