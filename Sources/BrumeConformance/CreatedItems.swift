// What a case leaves behind, read from its requests and answers: zones, records outside of them,
// subscriptions, and faults. It is taken away when the case ends, also when the run is cancelled, so that somebody else's server
// is left as it was. Record types stay: the protocol cannot remove them.

import BrumeWire

struct CreatedItems: Equatable, Sendable {
  struct Item: Hashable, Sendable {
    let caller: String
    let database: String
    let call: String
    let body: String
  }
  private var items: [Item] = []

  private static let faults = "/_brume/admin/faults"

  /// The requests that clean up: what came last goes first, zones after all. Faults go before: they would meet the others.
  var steps: [(caller: String, database: String, call: String, body: String)] {
    let faults = items.filter { $0.call.hasPrefix(Self.faults) }
    let zones = items.filter { $0.call == "zones/modify" }
    let others = items.filter { !$0.call.hasPrefix(Self.faults) && $0.call != "zones/modify" }
    return (faults + others.reversed() + zones.reversed()).map {
      ($0.caller, $0.database, $0.call, $0.body)
    }
  }

  /// The answer did not arrive: what the step was to make may be there.
  mutating func lost(_ step: Step) {
    let made = (step.body?["operations"]?.array ?? []).filter {
      $0["operationType"]?.string?.lowercased().hasSuffix("delete") != true
    }
    func all(_ key: String) -> JSON { .array(made.compactMap { $0[key] }) }
    took(
      step,
      answer: [
        "zones": all("zone"), "records": all("record"), "subscriptions": all("subscription"),
      ])
  }

  mutating func took(_ step: Step, answer: JSON) {
    switch step.call {
    case "zones/modify": zones(step, answer)
    case "records/modify": records(step, answer)
    case "subscriptions/modify": subscriptions(step, answer)
    case Self.faults where step.method == "POST":
      set(step, isThere: true, by: Self.faults + "/clear") { [:] }
    default: return
    }
  }

  private mutating func zones(_ step: Step, _ answer: JSON) {
    for zone in answer["zones"]?.array ?? [] where zone["serverErrorCode"] == nil {
      guard let id = zone["zoneID"] else { continue }
      set(step, isThere: zone["deleted"] != true) {
        ["operations": [["operationType": "delete", "zone": ["zoneID": id]]]]
      }
    }
  }

  /// Records of custom zones go with their zone.
  private mutating func records(_ step: Step, _ answer: JSON) {
    for record in answer["records"]?.array ?? [] where record["serverErrorCode"] == nil {
      guard let name = record["recordName"],
        (record["zoneID"]?["zoneName"]?.string ?? "_defaultZone") == "_defaultZone"
      else { continue }
      set(step, isThere: record["deleted"] != true) {
        ["operations": [["operationType": "forceDelete", "record": ["recordName": name]]]]
      }
    }
  }

  private mutating func subscriptions(_ step: Step, _ answer: JSON) {
    for subscription in answer["subscriptions"]?.array ?? []
    where subscription["serverErrorCode"] == nil {
      guard let id = subscription["subscriptionID"] else { continue }
      set(step, isThere: subscription["subscriptionType"] != nil) {
        ["operations": [["operationType": "delete", "subscription": ["subscriptionID": id]]]]
      }
    }
  }

  private mutating func set(
    _ step: Step, isThere: Bool, by call: String? = nil, _ body: () -> JSON
  ) {
    let item = Item(
      caller: step.caller, database: step.database, call: call ?? step.call, body: body().shown)
    items.removeAll { $0 == item }
    if isThere { items.append(item) }
  }
}
