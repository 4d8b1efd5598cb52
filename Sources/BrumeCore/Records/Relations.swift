// How the items of a batch relate to each other and to what is stored: saves by `ReferenceRules`, deletions
// by `Removals`. Each may fail items that the other has passed, so they take turns.

import BrumeModel
import BrumeStorage

struct Relations {
  private let context: ModifyContext
  private let stage: Stage
  private let references: ReferenceRules

  init(_ context: ModifyContext, _ view: ZoneView, _ stage: Stage, _ access: BatchAccess) {
    self.context = context
    self.stage = stage
    references = ReferenceRules(context, view, stage, access)
  }

  /// Fails what may not be saved or deleted.
  ///
  /// - Returns: what goes beside the items that were asked to: targets' dependants, roots' shares.
  func settle(_ verdicts: inout Verdicts) throws -> Set<String> {
    var open = verdicts.positions(to: .put)
    for _ in 0..<context.limits.relationRounds {
      try references.settle(open, in: &verdicts)
      let cascade = try settleRemovals(&verdicts)
      let orphans = verdicts.items.indices.filter {
        verdicts.isAlive($0) && isOrphan(verdicts.items[$0].name, cascade)
      }
      if orphans.isEmpty { return cascade }
      for position in orphans {
        verdicts.fail(position, orphanError(verdicts.items[position].name))
      }
      open = verdicts.positions(to: .put)
    }
    for position in verdicts.items.indices where verdicts.isAlive(position) {
      verdicts.fail(position, Self.tangled)
    }
    return []
  }

  /// The error of what depends on each other in too many steps.
  static let tangled = BrumeError(
    .limitExceeded,
    "the saves and deletions of this request depend on each other in too many steps; save and delete "
      + "in separate requests")

  /// Fails the deletions that may not happen. Answers what goes along with the others.
  private func settleRemovals(_ verdicts: inout Verdicts) throws -> Set<String> {
    var removals = Removals(context, stage)
    let (gone, refused) = try removals.settle(
      verdicts.positions(to: .remove).map { ($0, verdicts.items[$0].name) })
    for (position, error) in refused { verdicts.fail(position, error) }
    return gone.subtracting(stage.removals)
  }

  /// Whether an item was to hang under a record that goes along.
  private func isOrphan(_ name: String, _ cascade: Set<String>) -> Bool {
    stage.puts[name]?.parent.map { cascade.contains($0) } ?? false
  }

  private func orphanError(_ name: String) -> BrumeError {
    let parent = stage.puts[name]?.parent ?? ""
    return BrumeError(
      .validatingReferenceError,
      "record '\(name)' has the parent '\(parent)', which the same request deletes")
  }
}
