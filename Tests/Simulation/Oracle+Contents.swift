// What is in answers, whichever they are: records as they were under their tags, and nothing of zones that the user may
// not read.

import BrumeModel
import Foundation

extension Oracle {
  /// - Parameter object: the answer, or a part of it.
  func judgeContents(of object: Any, _ exchange: Exchange) {
    if let list = object as? [Any] {
      for part in list { judgeContents(of: part, exchange) }
    }
    guard let object = object as? [String: Any] else { return }
    judgeRight(to: object, exchange)
    judgeRecord(object, exchange)
    for (_, part) in object.sorted(by: { $0.key < $1.key }) { judgeContents(of: part, exchange) }
  }

  /// What is refused or deleted names what the user has named or known.
  private func judgeRight(to object: [String: Any], _ exchange: Exchange) {
    guard let zone = Self.zone(object["zoneID"]), let user = exchange.user?.name,
      object["serverErrorCode"] == nil, object["deleted"] as? Bool != true, zone.owner != user
    else { return }
    let isOfShares = ["records/resolve", "records/accept"].contains(exchange.action)
    let open = isOfShares ? exchange.seen.known : exchange.seen.readable
    if !open.contains(zone) {
      world.fail(
        "\(exchange.device.name) may not read \(zone), and was answered about it in "
          + exchange.action)
    }
  }

  /// A repeated save is answered with the record as it is now, under the tag that it got then.
  private func judgeRecord(_ object: [String: Any], _ exchange: Exchange) {
    guard let zone = Self.zone(object["zoneID"]), let name = object["recordName"] as? String,
      let tag = object["recordChangeTag"] as? String, object["deleted"] as? Bool != true,
      !exchange.seen.isRepeated
    else { return }
    let what = "\(exchange.device.name) was answered \(name) in \(zone) under \(tag) as"
    guard let known = contents["\(zone) \(name) \(tag)"] else {
      return world.fail("\(what) \(object["fields"] ?? ""), which was never stored")
    }
    let fields = Modification.fields(object["fields"])
    if fields != known.fields.mapValues({ $0 }) {
      world.fail("\(what) \(fields) instead of \(known.fields)")
    }
    let stamps = ["created", "modified"].flatMap { key in
      let stamp = object[key] as? [String: Any]
      return ["userRecordName", "deviceID"].map { stamp?[$0] as? String ?? "" }
    }
    if stamps != known.stamps { world.fail("\(what) of \(stamps) instead of \(known.stamps)") }
  }

  private static func zone(_ id: Any?) -> ZoneName? {
    guard let id = id as? [String: Any], let name = id["zoneName"] as? String,
      let owner = id["ownerRecordName"] as? String
    else { return nil }
    return ZoneName(owner: owner, name: name)
  }
}
