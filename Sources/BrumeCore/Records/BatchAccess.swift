// What the caller of a batch may do with the records that are stored in its zone. Fetches ask
// `RecordAccess`; the decision itself is `Permissions`.

import BrumeModel
import BrumeStorage

final class BatchAccess {
  private let context: ModifyContext
  private let view: ZoneView
  private let stage: Stage
  /// What covers records as they are stored.
  private(set) var coverage: Coverage

  init(_ context: ModifyContext, _ view: ZoneView, _ stage: Stage) throws {
    self.context = context
    self.view = view
    self.stage = stage
    coverage =
      view.zone.hasShares
      ? try Coverage(of: stage.zone, context.limits, from: stage.transaction)
      : Coverage(hasZoneShare: false, chainLimit: context.limits.parentChain)
  }

  func allows(_ action: Permissions.Action, _ stored: Record) throws -> Bool {
    try refusal(of: action, on: stored, in: place(of: stored)) == nil
  }

  func authorize(_ action: Permissions.Action, _ stored: Record) throws {
    if let error = try refusal(of: action, on: stored, in: place(of: stored)) { throw error }
  }

  /// Whether an item is how somebody who takes part in a share leaves it: he may, also if he may see nothing of it.
  func mayLeave(_ stored: Record, by item: RecordItem) -> Bool {
    context.scope == .shared && item.kind.isDelete
      && stored.shareDetails?.participant(context.user)?.acceptance == .accepted
  }

  /// Refuses new records of a type that the caller may not make.
  func authorizeCreation(of record: Record) throws(BrumeError) {
    guard context.scope == .public else { return }
    let place = Permissions.Context.public(stage.schema.rights(of: record.type))
    if let error = refusal(of: .create, on: record, in: place) { throw error }
  }

  /// Refuses new records of those who may only read in a shared zone, before it matters which names are taken
  /// there: they would learn those of records that they do not see.
  func refuseReaders() throws {
    guard let shares = view.shares else { return }
    let place = Permissions.Context.shared(try shares.best())
    if let error = Permissions.decide(
      context.caller.principal, .create, in: place, creator: nil)
    {
      throw error
    }
  }

  /// The error for a save in the shared database: the shares that cover the record afterwards must allow
  /// the write (cases SHR-11 to SHR-13).
  func refusal(of action: Permissions.Action, through covering: [String]) throws -> BrumeError? {
    let place = Permissions.Context.shared(try view.shares?.permission(through: covering))
    return Permissions.decide(context.caller.principal, action, in: place, creator: nil)
  }

  /// Where a stored record is, seen from the caller.
  private func place(of stored: Record) throws -> Permissions.Context {
    switch context.scope {
    case .public: return .public(stage.schema.schema.rightsOfStored(stored.type))
    case .private: return .own
    case .shared:
      let covering = try coverage.shares(of: stored) { try stage.neighbour($0) }
      return .shared(try view.shares?.permission(through: covering))
    }
  }

  private func refusal(
    of action: Permissions.Action, on record: Record, in place: Permissions.Context
  ) -> BrumeError? {
    Permissions.decide(
      context.caller.principal, action, in: place, creator: record.created?.user)
  }
}
