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
      types: request.desiredTypes, limits: limits)
    try reader.read(limits.page(request.limit), from: transaction, &budget)
    let next = try tokens.token(
      .zone(view), at: reader.position, in: scope, for: caller,
      walk: reader.moreComing ? reader.next : nil)
    if reader.moreComing, reader.changes.isEmpty, next == request.token {
      // An empty page with the token of before is what a server that stands still answers (case CHG-28).
      throw BrumeError(
        .tryAgainLater, "the answer is full before zone '\(key.id.name)'; ask for it again",
        retryAfter: 1)
    }
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
/// nothing is left gets an empty page, or an error if its reader has that page's token, and is asked for again.
struct AnswerBudget {
  /// Of what the answer holds.
  private var bytes: Int
  /// Of what is read for it, whether its reader may see it or not: twice as many.
  private var bytesRead: Int
  /// Of records above them that are read to decide about them.
  private var bytesAbove: Int
  private var changes: Int
  private var hasTaken = false

  init(_ limits: Limits) {
    bytes = limits.answerBytes
    bytesRead = 2 * limits.answerBytes
    bytesAbove = 2 * limits.answerBytes
    changes = limits.changesLookedAt
  }

  var isLeft: Bool { bytesOfPage > 0 && changes > 0 }

  /// How many bytes the next page may have.
  var bytesOfPage: Int { min(bytes, bytesRead) }

  /// Counts a change that was looked at, and what of it the answer holds.
  mutating func take(_ change: StoredChange, shown: ZoneChange?) {
    hasTaken = true
    changes -= 1
    bytesRead -= change.byteCount
    bytes -= shown?.byteCount ?? 0
  }

  /// Whether more records may be read to decide about changes. Those that were read are known for the rest of the page.
  /// For the first change they all are, or an answer might have none.
  var mayReadAbove: Bool { bytesAbove > 0 || !hasTaken }

  /// Counts a record that was read to decide about a change.
  mutating func take(ancestor: StoredRecord?) { bytesAbove -= ancestor?.byteCount ?? 0 }
}
