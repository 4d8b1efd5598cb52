// How much a user's private database may hold, where the operator sets a limit (case SAV-25). What a
// zone takes is counted beside its records and valid as of one sequence: whatever wrote without
// counting makes the next save count again. Records that participants write count for the owner.

import BrumeModel
import BrumeStorage

extension ZoneBatch {
  /// Fails the saves that would carry the owner over his quota, and new children of records that fail
  /// for it. Broken references come first (case SAV-26); deletes of the batch count before its saves.
  mutating func enforceQuota() throws {
    guard let limit = context.limits.storageBytesPerUser, stage.zone.database.owner != nil else {
      return
    }
    let stored = try StoredBytes(of: view.zone, stage.transaction)
    storedBytes = stored
    var total = stored.database
    for name in cascade.union(stage.removals) {
      total -= try stage.before(name)?.quotaBytes ?? 0
    }
    var refused: Set<String> = []
    for position in items.indices where isAlive(position) && actions[position] == .put {
      guard let record = stage.puts[items[position].name] else { continue }
      let old = try stage.before(record.name)
      let growth = record.quotaBytes - (old?.quotaBytes ?? 0)
      if growth <= 0 || total + growth <= limit {
        total += growth
      } else {
        if old == nil { refused.insert(record.name) }
        fail(position, overQuota(record.name, growth, left: max(0, limit - total)))
      }
    }
    failChildren(of: refused)
  }

  private mutating func failChildren(of refused: Set<String>) {
    var refused = refused
    var isSettled = refused.isEmpty
    while !isSettled {
      isSettled = true
      for position in items.indices where isAlive(position) {
        guard let record = stage.puts[items[position].name],
          let parent = record.parent, refused.contains(parent)
        else { continue }
        refused.insert(record.name)
        fail(position, overQuota(record.name, record.quotaBytes, left: 0))
        isSettled = false
      }
    }
  }

  /// How much the owner has left is nobody else's business.
  private func overQuota(_ name: String, _ growth: Int64, left: Int64) -> BrumeError {
    let room =
      context.scope == .private
      ? "the user's storage has \(left) bytes left" : "its owner's storage is full"
    return BrumeError(
      .quotaExceeded,
      "record '\(name)' cannot be saved: \(room), and this needs \(growth) bytes or comes after what "
        + "did not fit; delete records, or ask for a larger quota")
  }
}
