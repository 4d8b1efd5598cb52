// Records that are asked for by name, beside what was there when the server read its store.

import BrumeModel

extension Oracle {
  /// In one's own database. What is shared may have been taken away meanwhile.
  func lookedUp(_ exchange: Exchange, _ answer: [String: Any]) {
    guard exchange.scope == "private" else { return }
    let records = answer["records"] as? [[String: Any]] ?? []
    for (lookup, record) in zip(exchange.lookups, records) {
      let what = "\(exchange.device.name)'s look at \(lookup.name) in \(lookup.zone)"
      let seen = exchange.seen.readings.compactMap { $0[lookup.zone] }
      switch record["serverErrorCode"] as? String {
      case "ZONE_NOT_FOUND": judgeLoss(record, of: lookup.zone, what, exchange)
      case "NOT_FOUND":
        if !seen.contains(where: { $0.mayRead && $0.tags?[lookup.name] == nil }) {
          world.fail("\(what) found nothing, and it was there")
        }
      case let code?: world.fail("\(what) was refused with \(code)")
      case nil:
        let tag = record["recordChangeTag"] as? String
        if !seen.contains(where: { $0.tags?[lookup.name] == tag }) {
          world.fail("\(what) found the tag \(tag ?? "-"), which it had at none of these moments")
        }
      }
    }
  }
}
