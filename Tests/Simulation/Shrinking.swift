// The fewest deeds with which a run still fails.

enum Shrinking {
  /// Ours: runs that the search may take.
  private static let most = 200

  static func least(of order: Life.Order, _ outcome: Life.Outcome) -> Life.Order {
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
        if Beginning.outcome(of: shorter).failures.isEmpty {
          start += part
        } else {
          kept = fewer
        }
      }
      part /= 2
    }
    var least = order
    if kept.count < outcome.deeds { least.keep = kept }
    return least
  }
}
