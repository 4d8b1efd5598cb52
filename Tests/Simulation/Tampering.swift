// What the planted faults do to messages.

import BrumeClient
import BrumeModel
import BrumeStorage
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
    case .droppedField where exchange.isModify:
      call.body = Self.replacing(
        "\"operationType\":\"update\"", by: "\"operationType\":\"replace\"", in: call.body)
    case .ignoredToken where exchange.action == "changes/zone":
      call.body = Self.replacing("\"syncToken\"", by: "\"ignored\"", in: call.body)
    case .keptMember where exchange.isModify: call.body = keepingMembers(call.body, exchange)
    case .unknownCommit
    where exchange.id.map(unknownOperations.contains) == true:
      call.body = Self.replacing(
        "\"operationID\":\"", by: "\"operationID\":\"again-", in: call.body)
    case .endlessSubscription:
      call.body = Self.replacing("\"firesOnce\":true", by: "\"firesOnce\":false", in: call.body)
    case .curiousSubscription where exchange.isSubscribedByHand:
      call.body = Self.replacing(
        "\"firesOn\":[", by: "\"firesOn\":[\"create\",\"update\",\"delete\",", in: call.body)
    case .borrowedRight where exchange.isModify && exchange.device.user == "carol":
      return (call, participants.first { $0.user == "bob" }?.token)
    case .removedOthers where exchange.isModify: call.body = removingOthers(call.body, exchange)
    case .vanishedZone where exchange.zoneOperations.contains(where: \.isDeletion):
      call.body = Self.replacing("\"Temporary\"", by: "\"Notes\"", in: call.body)
    default: break
    }
    return (call, nil)
  }

  /// A share that somebody is removed from as one in which they stay.
  private func keepingMembers(_ body: [UInt8], _ exchange: Exchange) -> [UInt8] {
    changingParticipants(body, exchange) { people, removed in
      people
        + removed.map {
          [
            "userIdentity": ["userRecordName": $0], "type": "USER", "permission": "READ_WRITE",
          ]
        }
    }
  }

  /// A share that somebody is removed from as one with nobody in it.
  private func removingOthers(_ body: [UInt8], _ exchange: Exchange) -> [UInt8] {
    changingParticipants(body, exchange) { people, _ in
      people.filter { $0["type"] as? String == "OWNER" }
    }
  }

  /// - Parameter change: what becomes of the participants, if some of those before are not among them.
  private func changingParticipants(
    _ body: [UInt8], _ exchange: Exchange,
    by change: (_ people: [[String: Any]], _ removed: [String]) -> [[String: Any]]
  ) -> [UInt8] {
    let removed = exchange.modification.operations.flatMap { operation -> [String] in
      guard let people = operation.people else { return [] }
      let known = oracle.model.zones[operation.zone]?.people ?? [:]
      return known.keys.filter { people[$0] == nil }.sorted()
    }
    guard !removed.isEmpty,
      var object = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      let operations = object["operations"] as? [[String: Any]]
    else { return body }
    object["operations"] = operations.map { operation in
      var (operation, record) = (operation, operation["record"] as? [String: Any] ?? [:])
      let people = record["participants"] as? [[String: Any]]
      record["participants"] = people.map { change($0, removed) }
      operation["record"] = record
      return operation
    }
    return (try? JSONSerialization.data(withJSONObject: object)).map { Array($0) } ?? body
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
    guard let planted, !isCalm,
      let key = [
        "changes/zone": "zones", "changes/database": "zones", "records/modify": "records",
      ][exchange.action],
      var answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any],
      let items = answer[key] as? [[String: Any]]
    else { return }
    answer[key] = tampered(items, planted, exchange)
    if let data = try? JSONSerialization.data(withJSONObject: answer) { body = Array(data) }
  }

  private func tampered(
    _ items: [[String: Any]], _ planted: Planted, _ exchange: Exchange
  ) -> [[String: Any]] {
    switch (planted, exchange.action) {
    case (.skippedChange, "changes/zone"):
      Self.changing(items) { $0.isEmpty ? $0 : Array($0.dropLast()) }
    case (.staleContent, "changes/zone"): Self.changing(items, by: withFieldsOfBefore)
    case (.expiredToken, "changes/zone") where chance.one(in: 4):
      items.map { item in
        [
          "zoneID": item["zoneID"] ?? "", "serverErrorCode": "BAD_REQUEST",
          "brume": ["code": "changeTokenExpired"],
        ]
      }
    case (.plainDeletion, "changes/database"):
      items.map { item in
        var item = item
        if item["deleted"] as? Bool == true { item["brume"] = ["deletion": "deleted"] }
        return item
      }
    case (.purgedReset, "changes/database"):
      items.map { item in
        var item = item
        let isReset = (item["brume"] as? [String: String])?["deletion"] == "encryptedDataReset"
        if isReset { item["brume"] = ["deletion": "purged"] }
        return item
      }
    case (.untoldZone, "changes/database") where exchange.scope == "shared": []
    case (.leakingRefusal, "changes/zone"): items.map(leaking)
    default: items
    }
  }

  private static func changing(
    _ zones: [[String: Any]], by change: ([[String: Any]]) -> [[String: Any]]
  ) -> [[String: Any]] {
    zones.map { zone in
      var zone = zone
      if let records = zone["records"] as? [[String: Any]] { zone["records"] = change(records) }
      return zone
    }
  }

  private func withFieldsOfBefore(_ records: [[String: Any]]) -> [[String: Any]] {
    records.map { record in
      var record = record
      let name = "\(record["zoneID"] ?? "") \(record["recordName"] ?? "")"
      let old = firstFields[name]
      firstFields[name] = old ?? record["fields"]
      if let old, record["fields"] != nil { record["fields"] = old }
      return record
    }
  }

  private func leaking(_ item: [String: Any]) -> [String: Any] {
    var item = item
    if item["serverErrorCode"] != nil {
      item["brume"] = ["serverRecord": ["recordName": "k0", "zoneID": item["zoneID"] ?? ""]]
    }
    return item
  }

  /// The request for a stream as the server gets it.
  func tampered(stream target: String) -> String {
    planted == .replayedMailbox
      ? target.replacingOccurrences(of: "cursor=", with: "ignored=") : target
  }

  func tampered(_ piece: [UInt8]) -> [UInt8] {
    switch planted {
    case .doubledPush: Self.doubled(piece)
    case .vaguePush: Self.replacing("\"met\":", by: "\"any\":", in: piece)
    default: piece
    }
  }

  /// Each event twice, under positions and an ID of its own.
  private static func doubled(_ piece: [UInt8]) -> [UInt8] {
    let events = String(decoding: piece, as: UTF8.self).components(separatedBy: "\n\n")
    let doubled = events.flatMap { event -> [String] in
      guard event.hasPrefix("id: "), let line = event.split(separator: "\n").first else {
        return [event]
      }
      let position = 2 * DeviceStream.position(String(line))
      return [Int64(0), 1].map { copy in
        event.replacingOccurrences(of: line, with: "id: 0-\(position + copy)")
          .replacingOccurrences(of: "\"nid\":\"", with: "\"nid\":\"\(copy)")
      }
    }
    return Array(doubled.joined(separator: "\n\n").utf8)
  }

  func losesPush(_ piece: [UInt8]) -> Bool {
    if planted == .lostQueryPush {
      return String(decoding: piece, as: UTF8.self).contains("\"qry\":") && chance.one(in: 2)
    }
    return planted == .lostPush && String(decoding: piece, as: UTF8.self).contains("data:")
      && chance.one(in: 2)
  }
}

extension Disk {
  /// What a purge of the default zone takes away, to be put back.
  func setting(_ transaction: any WriteTransaction, _ exchange: Exchange?) throws
    -> BrumeModel.Record?
  {
    guard exchange?.loss == .purged, let user = exchange?.user else { return nil }
    let key = RecordKey(zone: standard(of: user), name: Hand.setting)
    return try transaction.records.find(key)?.record()
  }

  func put(back record: BrumeModel.Record?, _ transaction: any WriteTransaction) throws {
    guard let record, let user = record.created?.user,
      let sequence = Int64(record.changeTag, radix: 36)
    else { return }
    _ = try transaction.records.put(record, in: standard(of: user), sequence: sequence)
  }

  private func standard(of user: UserID) -> ZoneKey {
    ZoneKey(
      database: DatabaseKey(in: world.containerEnvironment, owner: user),
      name: BrumeModel.ZoneID.defaultName)
  }

  /// Gives a record that was just saved a tag which it had before the last one.
  func reuseTag(_ transaction: any WriteTransaction, _ exchange: Exchange?) throws {
    for operation in exchange?.modification.operations ?? [] {
      guard let user = exchange?.user, operation.zone.owner == user.name else { continue }
      let zone = ZoneKey(
        database: DatabaseKey(in: world.containerEnvironment, owner: user),
        name: operation.zone.name)
      guard
        var record = try transaction.records.find(RecordKey(zone: zone, name: operation.name))?
          .record(),
        let old = world.oracle.tags(of: operation.name, in: operation.zone).first(where: {
          $0 != operation.tag && $0 != record.changeTag
        }), let sequence = Int64(old, radix: 36)
      else { continue }
      record.changeTag = old
      _ = try transaction.records.put(record, in: zone, sequence: sequence)
    }
  }
}
