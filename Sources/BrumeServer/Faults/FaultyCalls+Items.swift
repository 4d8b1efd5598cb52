// Calls made of items, of which a fault may meet some: how each item looks to the plan, and how its
// failure looks to the client.

import BrumeCore
import BrumeModel

private typealias Asked = FaultPlan.Call.Item

extension FaultPlan.Call.Item {
  fileprivate init(
    _ operation: Fault.Operation, of zone: ZoneID, record: String? = nil, token: String? = nil
  ) {
    self.init(operation, zone: zone.name, record: record, token: token, owner: zone.ownerName)
  }
}

extension FaultyCalls {
  func modifyRecords(
    _ request: ModifyRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    let home = request.zone
    let zone = { (operation: RecordOperation) in
      operation.record.zone ?? home ?? ZoneID(name: ZoneID.defaultName)
    }
    var faulty = FaultyCall<RecordOperation, RecordResult>(
      items: request.operations,
      id: { RecordID(name: $0.record.name ?? "", zone: zone($0)) },
      describe: { operation in
        Asked(
          operation.kind.isDelete ? .deleteRecords : .saveRecords, of: zone(operation),
          record: operation.record.name)
      })
    faulty.overtake = { try await saveFirst($0, in: zone($0), of: scope, as: caller) }
    if request.atomic ?? false {
      faulty.spread = {
        Self.spread(&$0, over: request.operations.map { zone($0).namedAlike(for: caller) })
      }
    }
    return try await carryOut(faulty, in: scope, as: caller) { rest in
      try await rules.modifyRecords(request.keeping(rest), in: scope, as: caller)
    }
  }

  func lookupRecords(
    _ request: LookupRecordsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [RecordResult] {
    let zone = { (item: LookupRecordsRequest.Item) in
      item.zone ?? request.zone ?? ZoneID(name: ZoneID.defaultName)
    }
    let faulty = FaultyCall<LookupRecordsRequest.Item, RecordResult>(
      items: request.items,
      id: { RecordID(name: $0.name, zone: zone($0)) },
      describe: { Asked(.fetchRecords, of: zone($0), record: $0.name) })
    return try await carryOut(faulty, in: scope, as: caller) { rest in
      var request = request
      request.items = rest
      return try await rules.lookupRecords(request, in: scope, as: caller)
    }
  }

  func lookupZones(
    _ zones: [ZoneID], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    let faulty = FaultyCall<ZoneID, ZoneResult>(
      items: zones, id: { $0 }, describe: { Asked(.fetchZones, of: $0) })
    return try await carryOut(faulty, in: scope, as: caller) {
      try await rules.lookupZones($0, in: scope, as: caller)
    }
  }

  func modifyZones(
    _ request: ModifyZonesRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneResult] {
    var faulty = FaultyCall<ZoneOperation, ZoneResult>(
      items: request.operations, id: { $0.zone },
      describe: { Asked($0.kind == .create ? .saveZones : .deleteZones, of: $0.zone) })
    faulty.pretend = { .success(ZoneState(zone: $0.zone, isAtomic: true)) }
    return try await carryOut(faulty, in: scope, as: caller) { rest in
      try await rules.modifyZones(request.keeping(rest), in: scope, as: caller)
    }
  }

  func zoneChanges(
    _ requests: [ZoneChangesRequest], in scope: DatabaseScope, as caller: Caller
  ) async throws -> [ZoneChangesResult] {
    let faulty = FaultyCall<ZoneChangesRequest, ZoneChangesResult>(
      items: requests, id: { $0.zone },
      describe: { Asked(.fetchZoneChanges, of: $0.zone, token: $0.token) })
    return try await carryOut(faulty, in: scope, as: caller) {
      try await rules.zoneChanges($0, in: scope, as: caller)
    }
  }

  func modifySubscriptions(
    _ request: ModifySubscriptionsRequest, in scope: DatabaseScope, as caller: Caller
  ) async throws -> [SubscriptionResult] {
    let faulty = FaultyCall<SubscriptionOperation, SubscriptionResult>(
      items: request.operations,
      id: { operation in
        switch operation {
        case .save(let subscription), .update(let subscription): subscription.id
        case .delete(let id): id
        }
      },
      describe: { operation in
        switch operation {
        case .save, .update: Asked(.saveSubscriptions)
        case .delete: Asked(.deleteSubscriptions)
        }
      })
    return try await carryOut(faulty, in: scope, as: caller) { rest in
      try await rules.modifySubscriptions(request.keeping(rest), in: scope, as: caller)
    }
  }

  /// All or nothing per zone: the other items of a failing one's zone fail because of it.
  private static func spread(_ errors: inout [Int: BrumeError], over zones: [ZoneID]) {
    let failing = Set(errors.keys.map { zones[$0] }).filter { $0.name != ZoneID.defaultName }
    for index in zones.indices where errors[index] == nil && failing.contains(zones[index]) {
      errors[index] = BrumeError(
        .atomicError, "another record of zone '\(zones[index].name)' failed; send all again")
    }
  }
}

extension ZoneID {
  /// The same for the same zone, whichever of its names a request has for the caller as its owner.
  fileprivate func namedAlike(for caller: Caller) -> ZoneID {
    guard let ownerName, UserID.aliases.contains(ownerName) || ownerName == caller.user?.name
    else { return self }
    return ZoneID(name: name)
  }
}
