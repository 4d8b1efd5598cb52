// The fewest deeds with which a run still fails. Each attempt is a process of its own, as every run, so that one which ends by
// a trap is searched like any other.

enum Shrinking {
  /// Ours: runs that the search may take.
  private static let most = 200

  /// A run that hangs is not searched: each attempt could take as long as the patience for one.
  static func least(of order: Life.Order, _ outcome: Life.Outcome) -> Life.Order {
    if outcome.isHang { return order }
    var kept = order.keep ?? Array(0..<outcome.deeds)
    var runs = 0
    var part = max(1, kept.count / 2)
    while part >= 1, runs < most {
      var start = 0
      while start < kept.count, runs < most {
        var fewer = kept
        fewer.removeSubrange(start..<min(kept.count, start + part))
        runs += 1
        var shorter = order
        shorter.keep = fewer
        shorter.isVerbose = false
        shorter.isQuiet = true
        if isLike(outcome, Beginning.outcome(of: shorter)) { kept = fewer } else { start += part }
      }
      part /= 2
    }
    var least = order
    if kept.count < outcome.deeds { least.keep = kept }
    return least
  }

  /// A trap is looked for, or anything that is wrong.
  private static func isLike(_ first: Life.Outcome, _ other: Life.Outcome) -> Bool {
    first.isCrash ? other.isCrash && !other.isHang : !other.failures.isEmpty
  }
}
