// The fewest deeds with which a run still fails. Each attempt is a process of its own, as every run, so that one which ends by
// a trap, or not at all, is searched like any other.

import Foundation

/// A search, which ends by itself.
struct Shrinking {
  /// Ours: runs that the search may take.
  private static let most = 200
  /// Ours: seconds that it may take; the attempt that runs then is ended.
  private static let time: Double = 300
  /// Ours: how many times as long as a run without deeds an attempt may take before it counts as one that hangs, and the
  /// fewest seconds.
  private static let slowness: Double = 20
  private static let leastPatience: Double = 2

  private let order: Life.Order
  private let outcome: Life.Outcome
  private let patience: UInt32
  private let end: Double
  private var runs = 0

  /// - Parameter patience: seconds after which a run hangs.
  static func least(
    of order: Life.Order, _ outcome: Life.Outcome, patience: UInt32
  ) -> Life.Order {
    var search = Shrinking(order, outcome, patience)
    return search.least()
  }

  private init(_ order: Life.Order, _ outcome: Life.Outcome, _ patience: UInt32) {
    (self.order, self.outcome, self.patience) = (order, outcome, patience)
    end = Seeds.seconds() + Self.time
  }

  private mutating func least() -> Life.Order {
    let all = order.keep ?? Array(0..<outcome.deeds)
    if all.isEmpty { return order }
    let begin = Seeds.seconds()
    // A seed that fails without any deed is found at once.
    if fails(keeping: [], within: patience) { return order.keeping([]) }
    let usual = max(Self.leastPatience, Self.slowness * (Seeds.seconds() - begin))
    let kept = fewest(of: all, within: outcome.isHang ? min(patience, UInt32(usual)) : patience)
    if kept.count == all.count { return order }
    // An attempt was given less time than a run has. What only took longer is not what was found.
    if outcome.isHang, !Beginning.outcome(of: attempt(keeping: kept), patience: patience).isHang {
      return order
    }
    return order.keeping(kept)
  }

  private mutating func fewest(of all: [Int], within patience: UInt32) -> [Int] {
    var kept = all
    var part = max(1, kept.count / 2)
    while part >= 1 {
      var start = 0
      while start < kept.count {
        if isOver { return kept }
        var fewer = kept
        fewer.removeSubrange(start..<min(kept.count, start + part))
        if fails(keeping: fewer, within: patience) { kept = fewer } else { start += part }
      }
      part /= 2
    }
    return kept
  }

  private var isOver: Bool { runs >= Self.most || Seeds.seconds() >= end }

  private mutating func fails(keeping deeds: [Int], within patience: UInt32) -> Bool {
    runs += 1
    let left = UInt32(max(1, end - Seeds.seconds()))
    let found = Beginning.outcome(of: attempt(keeping: deeds), patience: min(patience, left))
    // A run that was ended because the search is over has shown nothing.
    return !(found.isHang && left < patience) && isLike(found)
  }

  private func attempt(keeping deeds: [Int]) -> Life.Order {
    var attempt = order.keeping(deeds)
    attempt.isVerbose = false
    attempt.isQuiet = true
    return attempt
  }

  /// A trap is looked for, what does not end, or anything that is wrong.
  private func isLike(_ other: Life.Outcome) -> Bool {
    if outcome.isHang || other.isHang { return outcome.isHang && other.isHang }
    return outcome.isCrash ? other.isCrash : !other.failures.isEmpty
  }
}

extension Life.Order {
  fileprivate func keeping(_ deeds: [Int]) -> Life.Order {
    var order = self
    order.keep = deeds
    return order
  }
}
