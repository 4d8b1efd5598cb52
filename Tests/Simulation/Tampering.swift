// What the planted faults do to messages.

import BrumeClient
import BrumeTestKit
import Foundation

extension World {
  func tampered(_ call: HTTPCall, _ exchange: Exchange) -> HTTPCall {
    var call = call
    switch planted {
    case .lostUpdate where exchange.isModify: call.body = Self.withoutTags(call.body)
    case .staleRight where exchange.scope == "shared" && exchange.action == "changes/zone":
      break
    default: break
    }
    return call
  }

  private static func withoutTags(_ body: [UInt8]) -> [UInt8] {
    String(decoding: body, as: UTF8.self)
      .replacingOccurrences(
        of: "\"operationType\":\"update\"", with: "\"operationType\":\"forceUpdate\""
      )
      .utf8.map { $0 }
  }

  func tamper(_ body: inout [UInt8], _ exchange: Exchange) {
    guard planted == .skippedChange, exchange.action == "changes/zone", !isCalm,
      var answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      var zones = answer["zones"] as? [[String: Any]],
      let index = zones.firstIndex(where: { ($0["records"] as? [Any])?.isEmpty == false }),
      var records = zones[index]["records"] as? [Any]
    else { return }
    records.removeLast()
    zones[index]["records"] = records
    answer["zones"] = zones
    if let data = try? JSONSerialization.data(withJSONObject: answer) { body = Array(data) }
  }

  func losesPush(_ piece: [UInt8]) -> Bool {
    planted == .lostPush && String(decoding: piece, as: UTF8.self).contains("data:")
      && chance.one(in: 2)
  }
}
