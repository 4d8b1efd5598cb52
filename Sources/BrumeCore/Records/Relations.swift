// How the items of a batch relate to each other and to what is stored: saves by `ReferenceRules`, deletions
// by `Removals`. Each may fail items that the other has passed, so they take turns. So may the quota: what it refuses
// stays as it was.

import BrumeModel
import BrumeStorage

struct Relations {
  private let context: ModifyContext
  private let stage: Stage
  private let references: ReferenceRules
  /// What is known of the links between records; nil: nobody has looked.
  private let links: Removals.Links?
  /// What goes in other zones of the request.
  private let before: CascadeSize

  init(
    _ context: ModifyContext, _ view: ZoneView, _ stage: Stage, _ access: BatchAccess,
    _ links: Removals.Links?, behind before: CascadeSize
  ) {
    self.context = context
    self.stage = stage
    self.links = links
    self.before = before
    references = ReferenceRules(context, view, stage, access)
  }

  /// Fails what may not be saved or deleted.
  ///
  /// - Parameter size: what goes in all, with other zones of the request.
  /// - Returns: what goes beside the items that were asked to: targets' dependants, roots' shares.
  /// - Throws: `LargeCascade` if that is much and nobody has looked.
  func settle(_ verdicts: inout Verdicts, _ size: inout CascadeSize) throws -> Set<String> {
    var open = verdicts.positions(to: .put)
    for _ in 0..<context.limits.relationRounds {
      let moveStays = try references.settle(open, in: &verdicts)
      let (cascade, removalStays) = try settleRemovals(&verdicts, &size)
      let all = Array(verdicts.items.indices)
      let haveOrphans = try failOrphans(among: all, in: &verdicts, beside: cascade)
      open = verdicts.positions(to: .put)
      // They were judged beside what was to go or to move, and stays.
      let areRight = open.isEmpty || !moveStays && !removalStays
      if !haveOrphans, areRight { return cascade }
    }
    failTangled(&verdicts)
    return []
  }

  /// Fails what is over the quota, and what may not be saved or deleted without that.
  ///
  /// - Parameter cascade: what goes beside the items before.
  /// - Returns: what still goes.
  func settle(
    _ verdicts: inout Verdicts, _ size: inout CascadeSize, within quota: StorageQuota,
    beside cascade: Set<String>
  ) throws -> Set<String> {
    var cascade = cascade
    for _ in 0..<context.limits.relationRounds {
      guard try quota.enforce(on: &verdicts, beside: cascade) else { return cascade }
      cascade = try settle(&verdicts, &size)
    }
    failTangled(&verdicts)
    return []
  }

  private func failTangled(_ verdicts: inout Verdicts) {
    for position in verdicts.items.indices where verdicts.isAlive(position) {
      verdicts.fail(position, Self.tangled)
    }
  }

  /// The error of what depends on each other in too many steps.
  static let tangled = BrumeError(
    .limitExceeded,
    "the saves and deletions of this request depend on each other in too many steps; save and delete "
      + "in separate requests")

  /// What is known of the links. It was found for certain moves; one that is refused meanwhile takes nothing out of a root's
  /// tree.
  private func knownLinks() throws -> Removals.Links? {
    guard let links, try links.moved != Set(stage.movedNames()) else { return links }
    return Removals.Links()
  }

  /// Fails the deletions that may not happen. Answers what goes along with the others, and whether there were any of those.
  private func settleRemovals(
    _ verdicts: inout Verdicts, _ size: inout CascadeSize
  ) throws -> (gone: Set<String>, removalStays: Bool) {
    var removals = Removals(context, stage, try knownLinks(), behind: before)
    let wanted = verdicts.positions(to: .remove).filter { !verdicts.items[$0].isShare }
    let (gone, refused) = try removals.settle(wanted.map { ($0, verdicts.items[$0].name) })
    let read = size.bytesRead
    size = removals.size(with: gone)
    size.bytesRead = max(read, size.bytesRead)
    for (position, error) in refused { verdicts.fail(position, error) }
    return (gone.subtracting(stage.removals), !refused.isEmpty)
  }

  /// Fails items that were to hang under a record that goes, and what changes the share of one.
  ///
  /// - Returns: whether there were any.
  @discardableResult
  func failOrphans(
    among positions: [Int], in verdicts: inout Verdicts, beside cascade: Set<String>
  ) throws -> Bool {
    let failures = try positions.filter { verdicts.isAlive($0) }.compactMap { position in
      try orphanError(verdicts.items[position].name, verdicts, cascade).map { (position, $0) }
    }
    for (position, error) in failures { verdicts.fail(position, error) }
    return !failures.isEmpty
  }

  private func orphanError(
    _ name: String, _ verdicts: Verdicts, _ cascade: Set<String>
  ) throws -> BrumeError? {
    guard let record = stage.puts[name] else { return nil }
    if let root = record.shareDetails?.rootRecordName {
      if verdicts.failure(of: root) != nil, try stage.after(root) == nil {
        return BrumeError(
          .internalError,
          "share '\(name)' was not saved because its root '\(root)' failed; mend that one and send both "
            + "again")
      }
      guard cascade.contains(root) || stage.removals.contains(root) else { return nil }
      return BrumeError(
        .validatingReferenceError,
        "share '\(name)' goes with its root '\(root)', which the same request deletes; leave the share "
          + "out, or keep the root")
    }
    if let target = record.targets(by: .validate).filter(cascade.contains).min() {
      return BrumeError(
        .validatingReferenceError,
        "record '\(name)' refers to '\(NameRules.shown(target))' with action VALIDATE, which goes with what the same "
          + "request deletes")
    }
    guard let parent = record.parent, cascade.contains(parent) else { return nil }
    return BrumeError(
      .validatingReferenceError,
      "record '\(name)' has the parent '\(parent)', which the same request deletes")
  }
}
