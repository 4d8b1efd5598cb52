// How much a user's private database may hold, where the operator sets a limit (case SAV-25). Records that
// participants write count for the owner. What is counted is `StoredBytes`.

import BrumeModel
import BrumeStorage

struct StorageQuota {
  private let context: ModifyContext
  private let stage: Stage
  /// What the records of the zone and of its database took before the batch; nil without a quota.
  let stored: StoredBytes?

  init(
    _ context: ModifyContext, _ view: ZoneView, _ stage: Stage, in transaction: any WriteTransaction
  ) throws {
    self.context = context
    self.stage = stage
    let isLimited = context.limits.storageBytesPerUser != nil && stage.zone.database.owner != nil
    stored = isLimited ? try StoredBytes(of: view.zone, transaction) : nil
  }

  /// Fails the saves that would carry the owner over their quota, and new children and shares of records that fail
  /// for it. Broken references come first (case SAV-26); deletes of the batch count before its saves.
  ///
  /// - Parameter cascade: what goes beside the items.
  /// - Returns: whether there were any.
  func enforce(on verdicts: inout Verdicts, beside cascade: Set<String>) throws -> Bool {
    guard let limit = context.limits.storageBytesPerUser, let stored else { return false }
    let failures = verdicts.failures.count
    var total = stored.database
    for name in cascade.union(stage.removals) {
      total -= try stage.before(name)?.quotaBytes ?? 0
    }
    var refused: Set<String> = []
    for position in verdicts.positions(to: .put) {
      guard let record = stage.puts[verdicts.items[position].name] else { continue }
      let old = try stage.before(record.name)
      let growth = record.quotaBytes - (old?.quotaBytes ?? 0)
      if growth <= 0 || total + growth <= limit {
        total += growth
      } else {
        if old == nil { refused.insert(record.name) }
        verdicts.fail(position, overQuota(record.name, growth, left: max(0, limit - total)))
      }
    }
    failChildren(of: refused, in: &verdicts)
    return verdicts.failures.count > failures
  }

  private func failChildren(of refused: Set<String>, in verdicts: inout Verdicts) {
    if refused.isEmpty { return }
    var children: [String: [Int]] = [:]
    for position in verdicts.items.indices where verdicts.isAlive(position) {
      guard let record = stage.puts[verdicts.items[position].name],
        let above = record.parent ?? record.shareDetails?.rootRecordName
      else { continue }
      children[above, default: []].append(position)
    }
    var open = Array(refused)
    while let name = open.popLast() {
      for position in children[name] ?? [] where verdicts.isAlive(position) {
        guard let record = stage.puts[verdicts.items[position].name] else { continue }
        verdicts.fail(position, overQuota(record.name, record.quotaBytes, left: 0))
        open.append(record.name)
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
