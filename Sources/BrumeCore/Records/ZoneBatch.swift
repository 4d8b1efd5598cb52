// One zone's part of a request, inside the transaction: judge every item, check how the items relate
// to each other and to what is stored, and only then write. The judgements are SavePolicy.swift,
// FieldRules.swift, ReferenceRules.swift, Sharing/ and Schema/; what failing items mean for the
// others is AtomicBatch.swift; the writing is ApplyBatch.swift.

import BrumeModel
import BrumeStorage

/// What all of a request's transactions need to know.
struct ModifyContext: Sendable {
  let caller: Caller
  let user: UserID
  let scope: DatabaseScope
  let now: Milliseconds
  let limits: Limits
  /// What the request said; zones without the capability ignore it (case ATM-05).
  let isAtomic: Bool
  /// Opens the receipts of assets.
  let seal: Seal

  var stamp: Stamp { Stamp(time: now, user: user, device: caller.device?.name ?? "1") }
}

struct ZoneBatch {
  /// What will happen for an item.
  enum Action: Equatable { case put, remove, leaveShare, nothing }

  let context: ModifyContext
  let items: [RecordItem]
  let view: ZoneView
  var stage: Stage
  var schema: JustInTimeSchema
  /// What covers records as they are stored.
  var coverage: Coverage
  /// By position in `items`.
  var actions: [Int: Action] = [:]
  var failures: [Int: BrumeError] = [:]
  /// Everything that goes beside the items that were asked to: targets' dependants, roots' shares.
  var cascade: Set<String> = []
  /// Participants who lose or leave a share.
  var departures: [Membership] = []
  /// What the records of the zone and of its database took before the batch, where there is a quota.
  var storedBytes: StoredBytes?
  /// The short names of shares made here; the zone has a share from now on.
  var shortGUIDs: [String: RecordKey] = [:]
  /// What the answer holds of records so far, over all zones of the request.
  var answerBytes: Int
  /// By record name: the uploads whose files the record takes.
  var receipts: [String: [String]] = [:]

  init(
    _ items: [RecordItem], in zone: ZoneKey, schema: JustInTimeSchema, context: ModifyContext,
    transaction: any WriteTransaction, answerBytes: Int = 0
  ) throws {
    self.answerBytes = answerBytes
    self.context = context
    self.items = items
    self.schema = schema
    view = try ZoneView(of: zone, in: context.scope, for: context.caller, from: transaction)
    stage = Stage(transaction, zone: zone)
    coverage =
      view.zone.hasShares
      ? try Coverage(of: zone, context.limits, from: transaction)
      : Coverage(hasZoneShare: false, chainLimit: context.limits.parentChain)
  }

  /// Judges, then writes what may be written. The results are in the order of `items`.
  mutating func run() throws -> [RecordResult] {
    for position in items.indices where !items[position].isShare { try judge(position) }
    try settleRelations()
    for position in items.indices where items[position].isShare { try judge(position) }
    try enforceQuota()
    AtomicBatch.spread(&failures, over: items, isAtomic: context.isAtomic && view.zone.isAtomic)
    let outcomes = try failures.count == items.count ? [:] : apply()
    return items.indices.map { position in
      if let error = failures[position] { return .failure(ItemFailure(items[position].id, error)) }
      return .success(outcomes[position] ?? deleted(position))
    }
  }

  func deleted(_ position: Int) -> RecordOutcome {
    .deleted(name: items[position].name, zone: items[position].id.zone)
  }

  private mutating func judge(_ position: Int) throws {
    let item = items[position]
    if let flaw = item.flaw { return failures[position] = flaw }
    do {
      actions[position] = item.isShare ? try shareAction(for: item) : try action(for: item)
      if !fits(stage.puts[item.name]) { fail(position, answerIsFull(before: item.name)) }
    } catch let error as BrumeError {
      failures[position] = fits(error.serverRecord) ? error : answerIsFull(before: item.name)
    }
  }

  /// Counts a record that the answer will show; one always fits.
  private mutating func fits(_ record: Record?) -> Bool {
    guard let record else { return true }
    let isFirst = answerBytes == 0
    answerBytes += record.byteCount
    return isFirst || answerBytes <= context.limits.answerBytes
  }

  private func answerIsFull(before name: String) -> BrumeError {
    BrumeError(
      .limitExceeded,
      "the answer to this request would hold more than \(context.limits.answerBytes) bytes of "
        + "records with '\(name)'; save it and those after it in another request")
  }

  /// Takes an item out of the batch again.
  mutating func fail(_ position: Int, _ error: BrumeError) {
    failures[position] = error
    stage.unput(items[position].name)
    stage.unremove(items[position].name)
  }

  func isAlive(_ position: Int) -> Bool { failures[position] == nil }
}

// MARK: Judging one item

extension ZoneBatch {
  private mutating func action(for item: RecordItem) throws -> Action {
    guard let stored = try stage.before(item.name) else {
      return try carryOut(
        SavePolicy.decide(item.kind, tag: item.draft.changeTag, stored: nil), item)
    }
    let accessContext = try accessContext(of: stored)
    guard isAllowed(.read, on: stored, in: accessContext) else { return try hidden(item) }
    // A share that the operation did not call one.
    if stored.isShare { return try shareAction(for: item) }
    if item.kind != .create { try authorize(.write, on: stored, in: accessContext) }
    return try carryOut(
      SavePolicy.decide(item.kind, tag: item.draft.changeTag, stored: stored), item)
  }

  private mutating func carryOut(
    _ decision: SavePolicy.Decision, _ item: RecordItem
  ) throws -> Action {
    switch decision {
    case .nothing:
      return .nothing
    case .insert:
      let record = try built(item, on: nil)
      if context.scope == .public {
        try authorize(.create, on: record, in: .public(schema.rights(of: record.type)))
      }
      stage.put(record)
      return .put
    case .change(let stored):
      stage.put(try built(item, on: stored))
      return .put
    case .remove(let stored):
      try refuseForbiddenDelete(of: stored)
      stage.remove(item.name)
      return .remove
    }
  }

  private func refuseForbiddenDelete(of stored: Record) throws(BrumeError) {
    if stored.type == Record.usersType, RecordKey(zone: stage.zone, name: stored.name).mayBeUser {
      throw BrumeError(
        .accessDenied,
        "user record '\(stored.name)' cannot be deleted; it stays as long as the account: clear "
          + "its fields instead")
    }
    if context.scope == .shared, stored.share != nil {
      throw BrumeError(
        .accessDenied,
        "DELETE operation not permitted: only the owner deletes '\(stored.name)', the root of a "
          + "share; delete the share to leave it")
    }
  }

  /// What happens to a record that exists but is none of the caller's business: as if it did not,
  /// except that its name is taken.
  func hidden(_ item: RecordItem) throws(BrumeError) -> Action {
    switch item.kind {
    case .delete, .forceDelete: return .nothing
    case .update, .replace: throw SavePolicy.recordNotFound
    case .create, .forceUpdate, .forceReplace:
      throw BrumeError(
        .accessDenied, "record '\(item.name)' cannot be saved: the name is taken; choose another")
    }
  }

  /// Where a stored record is, seen from the caller.
  mutating func accessContext(of stored: Record) throws -> Permissions.Context {
    switch context.scope {
    case .public: return .public(schema.rights(of: stored.type))
    case .private: return .own
    case .shared:
      var reading = stage
      let covering = try coverage.shares(of: stored) { try reading.before($0) }
      return .shared(view.shares?.permission(through: covering))
    }
  }

  func authorize(
    _ action: Permissions.Action, on record: Record, in accessContext: Permissions.Context
  ) throws(BrumeError) {
    if let error = refusal(of: action, on: record, in: accessContext) { throw error }
  }

  func isAllowed(
    _ action: Permissions.Action, on record: Record, in accessContext: Permissions.Context
  ) -> Bool {
    refusal(of: action, on: record, in: accessContext) == nil
  }

  private func refusal(
    of action: Permissions.Action, on record: Record, in accessContext: Permissions.Context
  ) -> BrumeError? {
    Permissions.decide(
      context.caller.principal, action, in: accessContext, creator: record.created?.user)
  }
}
