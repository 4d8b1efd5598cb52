// What one item of a batch does to its record: whether the caller sees it, may write it, and has its newest
// state (`SavePolicy`). The next state is `RecordBuilder`'s; shares are `ShareRules`'.

import BrumeModel
import BrumeStorage

struct RecordRules {
  private let context: ModifyContext
  private let stage: Stage
  private let access: BatchAccess
  private let shares: ShareRules
  private let builder: RecordBuilder

  init(
    _ context: ModifyContext, _ stage: Stage, _ access: BatchAccess, _ shares: ShareRules
  ) {
    self.context = context
    self.stage = stage
    self.access = access
    self.shares = shares
    builder = RecordBuilder(context, stage)
  }

  /// Judges an item, and puts on the stage what it does.
  func judgement(of item: RecordItem) throws -> Judgement {
    try stage.attempt(item.name) { try judged(item) }
  }

  private func judged(_ item: RecordItem) throws -> Judgement {
    if item.isShare { return try shares.judgement(of: item) }
    guard let stored = try stage.before(item.name) else { return try carryOut(item, on: nil) }
    guard try access.allows(.read, stored) || access.mayLeave(stored, by: item) else {
      return try hidden(item)
    }
    // A share that the operation did not call one.
    if stored.isShare { return try shares.judgement(of: item) }
    if item.kind != .create { try access.authorize(.write, stored) }
    return try carryOut(item, on: stored)
  }

  private func carryOut(_ item: RecordItem, on stored: Record?) throws -> Judgement {
    switch try SavePolicy.decide(item.kind, tag: item.draft.changeTag, stored: stored) {
    case .nothing:
      return Judgement(action: .nothing)
    case .insert:
      try access.refuseReaders()
      let (record, receipts) = try builder.next(item, after: nil)
      try access.authorizeCreation(of: record)
      stage.put(record)
      return Judgement(action: .put, receipts: receipts)
    case .change(let stored):
      let (record, receipts) = try builder.next(item, after: stored)
      stage.put(record)
      return Judgement(action: .put, receipts: receipts)
    case .remove(let stored):
      let error = Removals.forbidden(
        stored, in: stage.zone, context.scope, shown: "'\(stored.name)'")
      if let error { throw error }
      stage.remove(item.name)
      return Judgement(action: .remove)
    }
  }

  /// What happens to a record that exists but is none of the caller's business: as if it did not,
  /// except that its name is taken.
  private func hidden(_ item: RecordItem) throws -> Judgement {
    switch item.kind {
    case .delete, .forceDelete: return Judgement(action: .nothing)
    case .update, .replace: throw SavePolicy.recordNotFound
    case .create, .forceUpdate, .forceReplace:
      try access.refuseReaders()
      throw BrumeError(
        .accessDenied, "record '\(item.name)' cannot be saved: the name is taken; choose another")
    }
  }
}
