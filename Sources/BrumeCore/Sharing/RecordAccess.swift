// What one caller may do with stored records, zone by zone, remembering what it saw on the way. Fetches
// and repeated requests ask here; a batch of saves asks `BatchAccess`. The decision itself is
// `Permissions`.

import BrumeModel
import BrumeSchema
import BrumeStorage

struct RecordAccess {
  let transaction: any ReadTransaction
  let scope: DatabaseScope
  let caller: Caller
  let limits: Limits
  let schema: Schema
  private var joined = JoinedShares()
  private var views: [ZoneKey: ZoneView] = [:]
  private var coverages: [ZoneKey: Coverage] = [:]

  init(
    _ transaction: any ReadTransaction, _ scope: DatabaseScope, _ caller: Caller, _ limits: Limits,
    _ schema: Schema
  ) {
    self.transaction = transaction
    self.scope = scope
    self.caller = caller
    self.limits = limits
    self.schema = schema
  }

  /// The zone as the caller sees it, or the error that it does not exist for them.
  mutating func view(of zone: ZoneKey) throws -> ZoneView {
    if let known = views[zone] { return known }
    let view = try ZoneView(
      of: zone, in: scope, for: caller, among: &joined, from: transaction)
    views[zone] = view
    return view
  }

  /// Whether the caller may do this with a record that is stored there.
  mutating func allows(
    _ action: Permissions.Action, _ stored: StoredRecord, in zone: ZoneKey
  ) throws -> Bool {
    _ = try view(of: zone)
    if scope == .private { return true }
    let context = try context(of: stored, in: zone).context
    return Permissions.decide(
      caller.principal, action, in: context, creator: try stored.record().created?.user) == nil
  }

  /// Where a stored record is, seen from the caller, and the shares that cover it for them.
  mutating func context(
    of stored: StoredRecord, in zone: ZoneKey
  ) throws -> (context: Permissions.Context, shares: [String]) {
    switch scope {
    case .private: return (.own, [])
    case .public: return (.public(schema.rightsOfStored(stored.type)), [])
    case .shared: return try shared(through: covering(stored.record(), in: zone), zone)
    }
  }

  /// The same of a record of the shared database that is not there yet.
  ///
  /// - Parameter parent: nil: it has none, so that only a share of the whole zone covers it.
  mutating func contextOfNew(
    below parent: StoredRecord?, in zone: ZoneKey
  ) throws -> (context: Permissions.Context, shares: [String]) {
    let new = Record(name: "", zone: zone.id, type: "", changeTag: "", parent: parent?.name)
    return try shared(through: covering(new, in: zone), zone)
  }

  private mutating func shared(
    through covering: [String], _ zone: ZoneKey
  ) throws -> (context: Permissions.Context, shares: [String]) {
    let own = try view(of: zone).shares
    let accepted = try covering.filter { try own?.permission(of: $0) != nil }
    return (.shared(try own?.permission(through: covering)), accepted)
  }

  private mutating func covering(_ record: Record, in zone: ZoneKey) throws -> [String] {
    var coverage = try coverages[zone] ?? Coverage(of: zone, limits, from: transaction)
    let covering = try coverage.shares(of: record) { name in
      try transaction.records.find(RecordKey(zone: zone, name: name))?.record()
    }
    coverages[zone] = coverage
    return covering
  }
}
