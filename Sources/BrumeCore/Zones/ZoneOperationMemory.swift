// Repeating a request for zones whose answer was lost (case ZON-20), as OperationMemory does it for records: a second try
// is answered from the outcome of the first, and does nothing. Without it a late copy of a deletion would delete the zone
// that was made under the name meanwhile.

import BrumeModel
import BrumeStorage

struct ZoneOperationMemory: Sendable {
  private let place: OperationPlace
  /// What `recall` reads to know whether there is a first try.
  var reads: ReadPlan { place.reads }
  /// With the zones as answers name them.
  private let operations: [ZoneOperation]
  private let database: DatabaseKey

  /// Nil when the request has no ID or nobody sends it.
  init?(
    _ id: String?, of operations: [ZoneOperation], in scope: DatabaseScope, as caller: Caller,
    _ limits: Limits
  ) {
    guard let database = try? caller.databaseKey(.private),
      let place = OperationPlace(
        id, prefix: "zones/", in: database, scope, as: caller, limits: limits)
    else { return nil }
    self.place = place
    self.database = database
    self.operations = operations.map {
      ZoneOperation($0.kind, caller.named($0.zone, in: scope, limits: limits))
    }
  }

  func keep(
    _ results: [ZoneResult], in transaction: any WriteTransaction, now: Milliseconds
  ) throws {
    let kept = zip(results, operations).map { OperationMemory.Kept($0, of: $1.zone) }
    try place.keep(kept, in: transaction, now: now)
  }

  /// The first try's results, with the zones that it made as they are now; nil if this is the first try. An ID that was used
  /// for other zones is a first try too.
  func recall(
    in transaction: any ReadTransaction, _ change: ZoneModification
  ) throws -> [ZoneResult]? {
    try recall(in: transaction, now: change.origin.time) { zone in
      let key = ZoneKey(database: database, name: zone.name)
      return try change.state(of: transaction.zones.live(key), transaction)
    }
  }

  /// The same in the shared database, where no zone is made.
  func recallLeft(in transaction: any ReadTransaction, now: Milliseconds) throws -> [ZoneResult]? {
    try recall(in: transaction, now: now) { throw Zone.notShared($0.name) }
  }

  private func recall(
    in transaction: any ReadTransaction, now: Milliseconds,
    _ made: (ZoneID) throws -> ZoneState
  ) throws -> [ZoneResult]? {
    guard let all = try place.kept(operations.count, in: transaction, now: now) else { return nil }
    guard zip(all, operations).allSatisfy({ kept, operation in kept.answers(operation) })
    else { return nil }
    return try zip(all, operations).map { kept, operation in
      try ZoneResult.item(operation.zone) {
        if let error = kept.failure { throw error }
        return try kept.isDeletion ? .deleted(operation.zone) : made(operation.zone)
      }
    }
  }
}

extension OperationMemory.Kept {
  /// Whether this can be the outcome of an operation. What failed does not say what was to be done.
  fileprivate func answers(_ operation: ZoneOperation) -> Bool {
    guard zone == operation.zone.name, name == operation.zone.ownerName ?? "" else { return false }
    return failure != nil || isDeletion == (operation.kind == .delete)
  }
}

extension ZoneState {
  /// A zone that is no more for the caller. The default zone, the only one that is not atomic, stays.
  static func deleted(_ zone: ZoneID) -> ZoneState {
    ZoneState(zone: zone, isAtomic: zone.name != ZoneID.defaultName, deletion: .deleted)
  }
}
