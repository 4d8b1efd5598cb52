// What the planted faults do to messages.

import BrumeClient
import BrumeModel
import BrumeTestKit
import Foundation

extension World {
  /// The request as the server gets it, and whose it takes it for.
  func tampered(_ call: HTTPCall, _ exchange: Exchange) -> (call: HTTPCall, token: String?) {
    var call = call
    switch planted {
    case .lostUpdate where exchange.isModify: 
      call.body = Self.replacing(
        "\"operationType\":\"update\"", by: "\"operationType\":\"forceUpdate\"", in: call.body)
    case .namelessDevice where exchange.isModify:
      call.headers.removeAll { $0.name == "X-Brume-Device" }
    case .staleRight where exchange.scope == "shared" && exchange.action == "changes/zone":
      guard let zone = exchange.zones.first, let user = exchange.user?.name,
        oracle.model.right(of: user, in: zone) == nil,
        let owner = devices.first(where: { $0.userID.name == zone.owner })
      else { break }
      // As a server does that does not ask whether he still takes part.
      call.target = call.target.replacingOccurrences(of: "/shared/", with: "/private/")
      call.body = Array("{\"zones\":[{\"zoneID\":{\"zoneName\":\"\(zone.name)\"}}]}".utf8)
      return (call, owner.token)
    case .keptMember where exchange.isModify: call.body = keepingMembers(call.body)
    case .vanishedZone where exchange.zoneOperations.contains(where: \.isDeletion):
      call.body = Self.replacing("\"Temporary\"", by: "\"Notes\"", in: call.body)
    default: break
    }
    return (call, nil)
  }

  /// A share without participants as one with those that it had.
  private func keepingMembers(_ body: [UInt8]) -> [UInt8] {
    let people = users.filter { $0.key == "bob" }.map {
      "{\"userIdentity\":{\"userRecordName\":\"\($0.value.name)\"},\"type\":\"USER\",\"permission\":\"READ_WRITE\"}"
    }
    return Self.replacing(
      "\"participants\":[]", by: "\"participants\":[\(people.joined())]", in: body)
  }

  private static func replacing(_ old: String, by new: String, in body: [UInt8]) -> [UInt8] {
    Array(String(decoding: body, as: UTF8.self).replacingOccurrences(of: old, with: new).utf8)
  }

  /// What comes without that the server was asked.
  func tamperedAnswer(to exchange: Exchange) -> HTTPAnswer? {
    switch planted {
    case .refusedSave where exchange.isModify && happens(onceIn: 6):
      let records = exchange.modification.operations.map { operation in
        ["recordName": operation.name, "serverErrorCode": "ACCESS_DENIED", "reason": "planted"]
      }
      let body = (try? JSONSerialization.data(withJSONObject: ["records": records])) ?? Data()
      return HTTPAnswer(status: 200, headers: [], body: Array(body))
    case .refusedRequest where happens(onceIn: 20):
      return HTTPAnswer(
        status: 503, headers: [], body: Array("{\"serverErrorCode\":\"TRY_AGAIN_LATER\"}".utf8))
    default: return nil
    }
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
