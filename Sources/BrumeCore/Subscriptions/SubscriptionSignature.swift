// What makes two subscriptions the same: what they watch, not how their pushes look (cases SUB-04 to
// SUB-08). Zones must have been made absolute before.

import BrumeModel
import BrumePredicate

enum SubscriptionSignature {
  static func text(_ kind: Subscription.Kind) -> String {
    switch kind {
    case .query(let query, let zone, let events, _):
      let fires = Subscription.Event.allCases.filter(events.contains).map(\.rawValue)
      return [
        "query", query.recordType, zone?.name ?? "", fires.joined(separator: ","),
        Canonical.key(query.filters),
      ].joined(separator: "\u{1f}")
    case .zone(let zone, let type):
      return ["zone", zone.name, type ?? ""].joined(separator: "\u{1f}")
    case .database(let type): return ["database", type ?? ""].joined(separator: "\u{1f}")
    }
  }
}
