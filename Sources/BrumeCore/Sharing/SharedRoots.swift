// Where roots of shares are, as a batch leaves the zone: a record takes part in one share only (case SHR-05), so no root
// may come to be below another one, whether that one is shared or the former is moved. Moves are asked for before shares
// are judged, and fail by themselves; a new share fails when everything else is certain, because nothing depends on it.

import BrumeModel
import BrumeStorage

struct SharedRoots {
  private let context: ModifyContext
  private let view: ZoneView
  private let stage: Stage
  /// Names of stored records among which all roots are that matter.
  private var candidates: [String]?
  /// By the name of a record above a root: the root's share.
  private var sharesBelow: [String: String]?
  /// Ours: records that are looked at one by one before the zone's shares are.
  private static let few = 100

  init(_ context: ModifyContext, _ view: ZoneView, _ stage: Stage) {
    self.context = context
    self.view = view
    self.stage = stage
  }

  /// Forgets what it found, because an item of the batch was refused.
  mutating func forget() { sharesBelow = nil }

  /// The share of a record somewhere below one that is moved, or shared anew; nil if there is none.
  ///
  /// - Throws: `limitExceeded` if too many records, or bytes of them, would have to be looked at.
  mutating func share(below name: String) throws -> String? {
    let known = try sharesBelow ?? stage.boundingReads { try found() }
    sharesBelow = known
    return known[name]
  }

  /// Fails new shares of records that take part in another one, the later of two in a request.
  mutating func failSecondShares(in verdicts: inout Verdicts) throws {
    for (position, key, judgement) in verdicts.alive.reversed() where judgement.shortGUID != nil {
      guard let root = stage.puts[key.name]?.shareDetails?.rootRecordName else { continue }
      do {
        guard let other = try otherShare(of: root, beside: key.name) else { continue }
        verdicts.fail(position, Self.secondShare(of: root, beside: other))
      } catch let error as BrumeError {
        verdicts.fail(position, error)
      }
      forget()
    }
  }

  private mutating func otherShare(of root: String, beside share: String) throws -> String? {
    guard let record = try stage.after(root) else { return nil }
    var above = Coverage(hasZoneShare: false, chainLimit: context.limits.parentChain)
    let covering = try above.shares(of: record) { try stage.neighbourAfter($0) }
    if let other = try covering.first(where: { try $0 != share && stage.after($0) != nil }) {
      return other
    }
    return try self.share(below: root)
  }

  static func secondShare(of root: String, beside share: String) -> BrumeError {
    BrumeError(
      .alreadyShared,
      "record '\(root)' cannot be shared: it, its parent or one of its children has the share "
        + "'\(share)' already; end that one first, or invite people to it")
  }
}

// MARK: Looking

extension SharedRoots {
  private mutating func found() throws -> [String: String] {
    let names = try candidates ?? storedCandidates()
    candidates = names
    var found: [String: String] = [:]
    for name in Set(names).union(stage.rootNames) {
      // A root may name a share that is not there: earlier versions left some.
      guard let root = try stage.after(name), let share = root.share,
        try stage.after(share) != nil
      else { continue }
      var next = root.parent
      // Above one that is known everything is, and a line of parents that ends nowhere ends so too.
      while let above = next, found[above] == nil {
        found[above] = share
        next = try stage.after(above)?.parent
      }
    }
    return found
  }

  /// Those below what moves and what is shared anew, or those that have a share, whichever are few.
  private func storedCandidates() throws -> [String] {
    guard view.zone.hasShares else { return [] }
    let tops = try stage.movedNames() + stage.rootNames
    let records = stage.transaction.records
    let below = try records.descendants(of: tops, in: stage.zone, limit: Self.few + 1)
    if below.count <= Self.few { return below + tops }
    if let roots = try storedRoots() { return roots }
    let maximum = context.limits.cascade
    let all = try records.descendants(of: tops, in: stage.zone, limit: maximum + 1)
    if all.count <= maximum { return all + tops }
    throw BrumeError(
      .limitExceeded,
      "zone '\(stage.zone.name)' has more than \(Self.few) shares, and more than \(maximum) records are "
        + "below what is shared or moved; share or move a part of them")
  }

  /// Nil: there are too many shares to look at.
  private func storedRoots() throws -> [String]? {
    var roots: [String] = []
    var missing = Self.few + 1
    var next: QueryPosition?
    repeat {
      let page = try stage.sharesBefore(after: next, limit: missing, context.limits)
      roots += try page.records.compactMap { try $0.record().shareDetails?.rootRecordName }
      missing -= page.records.count
      next = page.next
    } while next != nil && missing > 0
    return missing > 0 ? roots : nil
  }
}
