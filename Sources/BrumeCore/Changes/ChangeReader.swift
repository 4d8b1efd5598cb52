// One page of the changes of a zone, read in the direction of its walk.

import BrumeModel
import BrumeStorage

/// Collects one page of changes that its reader may see.
struct ChangeReader {
  let view: ZoneView
  let walk: ChangeToken.Walk
  let types: Set<String>?
  let limits: Limits
  private(set) var position: Int64
  private(set) var changes: [ZoneChange] = []
  private(set) var moreComing = false
  /// Newest first: everything from here on was looked at.
  private var below: Int64?

  /// A walk that is under way keeps its direction.
  init(
    view: ZoneView, from token: ChangeToken?, isReverse: Bool, includesDeletions: Bool,
    types: Set<String>?, limits: Limits
  ) {
    self.view = view
    self.types = types
    self.limits = limits
    position = token?.sequence ?? 0
    let newest = view.zone.lastSequence
    walk =
      token?.walk
      ?? .init(
        through: newest, isFirst: token == nil, withDeletions: token == nil && includesDeletions,
        below: isReverse ? newest + 1 : nil)
    below = walk.below
  }

  /// The walk after this page.
  var next: ChangeToken.Walk {
    ChangeToken.Walk(
      through: walk.through, isFirst: walk.isFirst, withDeletions: walk.withDeletions, below: below)
  }

  /// Reads until the page is full, the answer is full or nothing more comes.
  mutating func read(
    _ limit: Int, from transaction: any ReadTransaction, _ budget: inout AnswerBudget
  ) throws {
    let key = view.zone.key
    var coverage = view.shares == nil ? nil : try Coverage(of: key, limits, from: transaction)
    // One more than the page shows whether more comes; what a filter leaves out may be many.
    var batch = limit + 1
    while budget.isLeft {
      try Task.checkCancellation()
      defer { batch = limits.recordsPerResponse }
      let byteLimit = budget.bytesOfPage
      let found = try transaction.changes.page(
        in: key, after: position, through: below.map { $0 - 1 } ?? walk.through, limit: batch,
        byteLimit: byteLimit, newestFirst: below != nil)
      for change in found {
        guard budget.isLeft else { return moreComing = true }
        let shown: ZoneChange?
        do { shown = try self.shown(change, &coverage, transaction, &budget) } catch is AnswerIsFull
        {
          return moreComing = true
        }
        guard shown == nil || changes.count < limit else { return moreComing = true }
        if let shown { changes.append(shown) }
        budget.take(change, shown: shown)
        if below == nil { position = change.sequence } else { below = change.sequence }
      }
      if found.isLast(limit: batch, byteLimit: byteLimit) {
        position = walk.through
        return
      }
    }
    moreComing = true
  }

  /// No more may be read to decide about changes.
  private struct AnswerIsFull: Error {}

  /// The change as its reader sees it; nil if it is none of their business.
  private func shown(
    _ change: StoredChange, _ coverage: inout Coverage?, _ transaction: any ReadTransaction,
    _ budget: inout AnswerBudget
  ) throws -> ZoneChange? {
    switch change {
    case .deleted(let gone):
      if (walk.isFirst && !walk.withDeletions) || !isDesired(gone.type) { return nil }
      if let shares = view.shares, try shares.permission(through: gone.coveringShares) == nil {
        return nil
      }
      return .deleted(name: gone.name, type: gone.type, sequence: gone.sequence)
    case .changed(let stored):
      if !stored.isUnreadable, !isDesired(stored.type) { return nil }
      guard let shares = view.shares else { return .changed(stored) }
      // Which shares cover a damaged record is unknown, so nothing is said of it.
      if stored.isUnreadable { return nil }
      let covering = try coverage?.shares(of: try stored.record(), whatIsKnownStays: true) { name in
        guard budget.mayReadAbove else { throw AnswerIsFull() }
        let found = try transaction.records.find(RecordKey(zone: view.zone.key, name: name))
        budget.take(ancestor: found)
        return try found?.record()
      }
      return try shares.permission(through: covering ?? []) == nil ? nil : .changed(stored)
    }
  }

  private func isDesired(_ type: String) -> Bool { types?.contains(type) ?? true }
}
