// A push as a device received it, reduced to what the demo checks.

import Foundation

struct Push: Sendable {
  let id: String
  let subscriptionID: String?
  /// `qry`, `fet` or `met`; nil for a pruned push.
  let kind: String?
  /// 1 private, 2 public, 3 shared.
  let database: Int?
  let zone: String?
  let recordName: String?
  let reason: Int?
  let alert: String?
  let sound: String?
  let badge: Int?
  let isSilent: Bool
  let isPruned: Bool
  let byteCount: Int
  private(set) var reaction = ""

  init(_ payload: [String: Any]) {
    let aps = payload["aps"] as? [String: Any] ?? [:]
    let ck = payload["ck"] as? [String: Any] ?? [:]
    let kind = ["qry", "fet", "met"].first { ck[$0] != nil }
    let subject = kind.flatMap { ck[$0] as? [String: Any] } ?? [:]
    self.kind = kind
    id = ck["nid"] as? String ?? ""
    subscriptionID = (kind == nil ? ck : subject)["sid"] as? String
    database = subject["dbs"] as? Int
    zone = subject["zid"] as? String
    recordName = subject["rid"] as? String
    reason = subject["fo"] as? Int
    alert = (aps["alert"] as? [String: Any])?["body"] as? String
    sound = aps["sound"] as? String
    badge = aps["badge"] as? Int
    isSilent = aps["content-available"] as? Int == 1 && aps["alert"] == nil && aps["sound"] == nil
    isPruned = ck["p"] != nil
    byteCount = (try? JSONSerialization.data(withJSONObject: payload))?.count ?? 0
  }

  func reacting(_ text: String) -> Push {
    var copy = self
    copy.reaction = text
    return copy
  }

  var summary: String {
    var parts: [String] = []
    if isSilent { parts.append("silent") }
    if let alert { parts.append("\u{201c}\(alert.prefix(60))\u{201d}") }
    if let sound { parts.append("sound \(sound)") }
    if let badge { parts.append("badge \(badge)") }
    if isPruned { parts.append("pruned to \(byteCount) bytes") }
    if let subscriptionID { parts.append("subscription \(subscriptionID)") }
    if let zone, zone != "_defaultZone" { parts.append("zone \(zone)") }
    return parts.joined(separator: ", ")
  }
}
