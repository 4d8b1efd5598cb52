// changes/zone: what changed in zones since a token, page by page.
//
// A fetch of several pages ends where it began to look: what changes meanwhile belongs to the next
// fetch (case CHG-16). A fetch from the beginning contains no old deletion (case CHG-07), unless it
// asks: whoever knew the zone before a token expired would keep deleted records otherwise. A fetch may
// walk from the newest change to the oldest; its last token goes on forwards from where it began
// (cases CHG-14, CHG-15).

import BrumeModel
import BrumeStorage

/// The changes of zones, for one request.
struct ZoneChanges: Sendable {
  let scope: DatabaseScope
  let caller: Caller
  let limits: Limits
  let tokens: ChangeTokens

  func page(
    _ request: ZoneChangesRequest, _ transaction: any ReadTransaction,
    among joined: inout JoinedShares, _ budget: inout AnswerBudget
  ) throws -> ZoneChangesPage {
    let key = try caller.zoneKey(request.zone, in: scope, limits: limits)
    if key.isDefault {
      throw BrumeError(
        .badRequest, "cannot get changes in default zone; save the records in a custom zone")
    }
    let view = try ZoneView(
      of: key, in: scope, for: caller, among: &joined, from: transaction)
    var reader = ChangeReader(
      view: view, from: try token(request.token, of: view, transaction),
      isReverse: request.reverse ?? false,
      includesDeletions: request.withDeletions ?? false,
      types: request.desiredTypes.map { Set($0) }, limits: limits)
    try reader.read(limits.page(request.limit), from: transaction, &budget)
    let next = try tokens.token(
      .zone(view), at: reader.position, in: scope, for: caller,
      walk: reader.moreComing ? reader.next : nil)
    return ZoneChangesPage(
      zone: key.id, changes: reader.changes, token: next, moreComing: reader.moreComing,
      isReverse: reader.walk.below != nil,
      clientData: try ClientData.recall(in: view.zone, as: caller, transaction))
  }

  /// The token that a request goes on from; nil if it begins. It is expired unless it is of this zone as the caller
  /// sees it now, and knows of all deletions that the zone has forgotten.
  private func token(
    _ text: String?, of view: ZoneView, _ transaction: any ReadTransaction
  ) throws -> ChangeToken? {
    guard let text else { return nil }
    let token = try tokens.opened(text, in: scope, for: caller)
    let subject = try ChangeToken.Subject.zone(view)
    guard token.subject == subject, token.sequence <= view.zone.lastSequence,
      try !TokenRules.missesDeletions(
        token, forgotten: transaction.forgottenDeletions(in: view.zone.key))
    else { throw TokenRules.expired(token, for: subject) }
    return token
  }
}

/// What one answer may still hold and look at, over all the zones that it is about. A zone for which
/// nothing is left gets an empty page and is asked for again.
struct AnswerBudget {
  private(set) var bytes: Int
  private var changes: Int

  init(_ limits: Limits) {
    bytes = limits.answerBytes
    changes = limits.changesLookedAt
  }

  var isLeft: Bool { bytes > 0 && changes > 0 }

  /// Counts a change that was looked at, and what of it the answer holds.
  mutating func take(_ shown: ZoneChange?) {
    changes -= 1
    bytes -= shown?.byteCount ?? 0
  }
}

/// Collects one page of changes that its reader may see.
private struct ChangeReader {
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
      let before = budget.bytes
      let found = try transaction.changes.page(
        in: key, after: position, through: below.map { $0 - 1 } ?? walk.through, limit: batch,
        byteLimit: budget.bytes, newestFirst: below != nil)
      for change in found {
        let shown = try shown(change, &coverage, transaction)
        guard shown == nil || changes.count < limit, budget.isLeft else { return moreComing = true }
        if let shown { changes.append(shown) }
        budget.take(shown)
        if below == nil { position = change.sequence } else { below = change.sequence }
      }
      // Fewer than asked for are all there are, unless the answer is full with them.
      if found.count < batch, found.reduce(0, { $0 + $1.byteCount }) < before {
        position = walk.through
        return
      }
    }
    moreComing = true
  }

  /// The change as its reader sees it; nil if it is none of their business.
  private func shown(
    _ change: StoredChange, _ coverage: inout Coverage?, _ transaction: any ReadTransaction
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
      let covering = try coverage?.shares(of: try stored.record()) { name in
        try transaction.records.find(RecordKey(zone: view.zone.key, name: name))?.record()
      }
      return try shares.permission(through: covering ?? []) == nil ? nil : .changed(stored)
    }
  }

  private func isDesired(_ type: String) -> Bool { types?.contains(type) ?? true }
}
