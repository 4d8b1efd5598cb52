// Fetches of changes: all of what has changed since a token, nothing else, and a token counts as long as its zone is there.

import BrumeModel
import Foundation

extension Oracle {
  // MARK: Changes of zones

  func fetchedZones(_ exchange: Exchange, _ answer: [String: Any]) {
    let asked = exchange.body["zones"] as? [[String: Any]] ?? []
    for (index, page) in (answer["zones"] as? [[String: Any]] ?? []).enumerated() {
      guard index < asked.count, let zone = exchange.zone(asked[index]["zoneID"]) else { continue }
      let token = asked[index]["syncToken"] as? String
      let seen = exchange.seen.readings.compactMap { $0[zone] }
      if page["serverErrorCode"] != nil {
        judge(refusal: Self.refusal(page), of: zone, seen, since: token, exchange)
      } else {
        fetched(page, of: zone, seen, since: token, exchange)
      }
    }
  }

  /// Who may read a zone that is there is answered, and his token counts.
  private func judge(
    refusal code: String, of zone: ZoneName, _ seen: [Seen], since token: String?,
    _ exchange: Exchange
  ) {
    let isRight =
      switch code {
      case "zoneNotFound", "userDeletedZone", Self.refusalAfterReset:
        seen.contains { !$0.mayRead && Self.refusal(after: $0.loss) == code }
      case "changeTokenExpired":
        token.flatMap { view(of: zone, $0, exchange) }.map { view in
          seen.contains {
            $0.incarnation != view.incarnation || $0.joinings != view.joinings
          }
        } ?? false
      default: false
      }
    if !isRight { world.fail("\(exchange.device.name) was answered \(code) for \(zone)") }
  }

  private func view(of zone: ZoneName, _ token: String, _ exchange: Exchange) -> View? {
    exchange.user.flatMap { views["\($0.name) \(zone) \(token)"] }
  }

  private func fetched(
    _ page: [String: Any], of zone: ZoneName, _ seen: [Seen], since old: String?,
    _ exchange: Exchange
  ) {
    guard let user = exchange.user?.name, let token = page["syncToken"] as? String else { return }
    let device = exchange.device.name
    let readable = seen.filter(\.mayRead)
    if readable.isEmpty { world.fail("\(device) may not read \(zone), and was answered") }
    var view = View(
      incarnation: readable.last?.incarnation, joinings: readable.last?.joinings ?? 0)
    let records = page["records"] as? [[String: Any]] ?? []
    if let old {
      guard let known = self.view(of: zone, old, exchange) else {
        return world.fail("\(device) was answered by a token of \(zone) that nobody has given")
      }
      view = known
      if !readable.contains(where: { $0.incarnation == known.incarnation }) {
        world.fail("\(device) was answered by a token of a \(zone) that is gone")
      }
      for name in known.repeated(in: records) {
        world.fail("\(device) was answered \(name) in \(zone) again, which its token has passed")
      }
    }
    if view.begin.isEmpty { view.begin = seen.map(\.tags) }
    view.take(records)
    let isLast = page["moreComing"] as? Bool != true
    if isLast, !seen.contains(where: { view.isWhole(at: $0.tags) }) {
      world.fail(
        "\(device) was answered that it has all of \(zone), and has "
          + "\(Self.shown(view.tags)) instead of \(Self.shown(seen.last?.tags ?? [:]))")
    }
    if isLast { view.begin = [] }
    views["\(user) \(zone) \(token)"] = view
  }

  private static func shown(_ tags: [String: String]) -> String {
    tags.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  /// Who has just made a zone has all of it. An earlier request of his may have made it, of which he has no answer.
  func remember(_ made: [String: Any], _ zone: ZoneName, _ exchange: Exchange) {
    guard let user = exchange.user?.name, let token = made["syncToken"] as? String,
      (made["brume"] as? [String: Any])?["isNew"] as? Bool == true,
      let incarnation = exchange.seen.made[zone] ?? model.zones[zone]?.incarnation
    else { return }
    let key = "\(user) \(zone) \(token)"
    if views[key] == nil { views[key] = View(incarnation: incarnation) }
  }

  // MARK: Changes of databases

  /// The zones that have changed, come or gone since the token are in the answer, and no others.
  func fetchedDatabase(_ exchange: Exchange, _ answer: [String: Any]) {
    guard let user = exchange.user?.name, let token = answer["syncToken"] as? String,
      answer["moreComing"] as? Bool != true,
      let first = exchange.seen.versions.first, let last = exchange.seen.versions.last
    else { return }
    let isOwn = exchange.scope == "private"
    func meant(_ zones: [ZoneName: Int]) -> [ZoneName: Int] {
      zones.filter { ($0.key.owner == user) == isOwn && !$0.key.isDefault }
    }
    let old = exchange.body["syncToken"] as? String
    let known = old.map { feeds["\(exchange.scope) \(user) \($0)"] } ?? [:]
    if let known {
      judge(answer, exchange, since: known, meant(first), meant(last))
    }
    feeds["\(exchange.scope) \(user) \(token)"] = meant(last)
  }

  private func judge(
    _ answer: [String: Any], _ exchange: Exchange, since known: [ZoneName: Int],
    _ first: [ZoneName: Int], _ last: [ZoneName: Int]
  ) {
    let device = exchange.device.name
    let zones = answer["zones"] as? [[String: Any]] ?? []
    var listed: [ZoneName: Bool] = [:]
    for zone in zones {
      guard let name = exchange.zone(zone["zoneID"]) else { continue }
      listed[name] = zone["deleted"] as? Bool == true
      judgeDeletion(zone, name, exchange)
    }
    for zone in Set(first.keys).union(known.keys).sorted() where first[zone] != known[zone] {
      let isGone = first[zone] == nil
      if first[zone] == last[zone], listed[zone] != isGone {
        world.fail("\(device) was not answered that \(zone) \(isGone ? "is gone" : "has changed")")
      }
    }
    for zone in listed.keys.sorted()
    where first[zone] == last[zone] && first[zone] == known[zone] && first[zone] != nil {
      world.fail("\(device) was answered \(zone) again, which has not changed since its token")
    }
  }
}

extension View {
  /// The records of a page that were known as they are.
  func repeated(in records: [[String: Any]]) -> [String] {
    records.compactMap { record in
      guard let name = record["recordName"] as? String, record["deleted"] as? Bool != true,
        let tag = record["recordChangeTag"] as? String, tags[name] == tag
      else { return nil }
      return name
    }
  }

  mutating func take(_ records: [[String: Any]]) {
    for record in records {
      guard let name = record["recordName"] as? String else { continue }
      let isDeleted = record["deleted"] as? Bool == true
      tags[name] = isDeleted ? nil : record["recordChangeTag"] as? String
    }
  }

  /// Whether it has every record as it is in the end, apart from those that changed since the beginning.
  func isWhole(at end: [String: String]?) -> Bool {
    let end = end ?? [:]
    return begin.contains { begin in
      let begin = begin ?? [:]
      return Set(begin.keys).union(end.keys).union(tags.keys).allSatisfy { name in
        begin[name] != end[name] || tags[name] == end[name]
      }
    }
  }
}
