// Answers, beside what the model says at the moments at which the server read its store.

import BrumeModel
import Foundation

extension Oracle {
  /// - Parameter isCancelled: who asked does not wait any more.
  func answered(_ exchange: Exchange, _ status: Int, _ body: [UInt8], isCancelled: Bool) {
    if status / 100 != 2 { return refused(exchange, status, isCancelled: isCancelled) }
    if exchange.action == "stream/ack" {
      acknowledged(DeviceStream(exchange.device, exchange.target).cursor, by: exchange.device)
    }
    guard let answer = try? JSONSerialization.jsonObject(with: Data(body)) as? [String: Any]
    else { return }
    judgeContents(of: answer, exchange)
    switch exchange.action {
    case "records/modify": modified(exchange, answer)
    case "zones/modify": modifiedZones(exchange, answer)
    case "records/lookup": lookedUp(exchange, answer)
    case "changes/zone": fetchedZones(exchange, answer)
    case "changes/database": fetchedDatabase(exchange, answer)
    default: break
    }
  }

  /// A request is refused as a whole if nobody is signed in, or if the disk has refused it.
  private func refused(_ exchange: Exchange, _ status: Int, isCancelled: Bool) {
    let isRight =
      switch status {
      case 401, 403, 421: exchange.user == nil
      case 503: exchange.seen.diskFailed || isCancelled
      default: false
      }
    if !isRight {
      world.fail("\(exchange.device.name)'s \(exchange.action) was refused with \(status)")
    }
  }

  // MARK: Saves

  /// What is acknowledged was committed, with this tag; what is refused had to be.
  private func modified(_ exchange: Exchange, _ answer: [String: Any]) {
    let records = answer["records"] as? [[String: Any]] ?? []
    let operations = exchange.modification.operations
    guard records.count == operations.count else {
      return world.fail(
        "\(exchange.device.name) got \(records.count) answers, not \(operations.count)")
    }
    for (index, record) in records.enumerated() {
      let what = exchange.shown(operations[index])
      guard exchange.seen.verdicts.indices.contains(index) else {
        world.fail("\(what) was answered, and nothing was committed")
        continue
      }
      if let code = record["serverErrorCode"] as? String {
        judge(refusal: code, record, what, exchange.seen.verdicts[index])
        if code == "ZONE_NOT_FOUND", !exchange.seen.isRepeated {
          judgeLoss(record, of: operations[index].zone, what, exchange)
        }
      } else {
        acknowledged(record, index, what, exchange)
      }
    }
  }

  private func judge(
    refusal code: String, _ answer: [String: Any], _ what: String, _ verdict: Model.Verdict
  ) {
    if verdict != .either, verdict != .refused(code) {
      world.fail("\(what) was refused with \(code) instead of \(verdict)")
    }
    let brume = answer["brume"] as? [String: Any]
    if code == "CONFLICT", brume?["serverRecord"] == nil {
      world.fail("\(what) was refused, and the server's record is not there")
    }
  }

  private func acknowledged(
    _ record: [String: Any], _ index: Int, _ what: String, _ exchange: Exchange
  ) {
    switch exchange.seen.verdicts[index] {
    case .refused(let code): return world.fail("\(what) was acknowledged instead of \(code)")
    case .nothing, .either: return
    case .done: break
    }
    guard let done = exchange.seen.done[index] else {
      return world.fail("\(what) was acknowledged, and nothing was committed")
    }
    let tag = record["recordChangeTag"] as? String
    if record["deleted"] as? Bool != true, tag != done {
      world.fail("\(what) was acknowledged as \(tag ?? "-"), and committed as \(done ?? "-")")
    }
    judgeTime(of: record, what)
  }

  /// Ours: more than the disk's clock is set by in all of a run, and less than clocks of machines are apart.
  private static let clockBound: Milliseconds = 45 * 60_000

  /// Whichever of several servers took a save, its time is the disk's.
  private func judgeTime(of record: [String: Any], _ what: String) {
    let modified = record["modified"] as? [String: Any]
    guard world.nodes.count > 1, let time = modified?["timestamp"] as? Int64 else { return }
    if abs(time - world.clock) > Self.clockBound {
      world.fail("\(what) has a time that is \((time - world.clock) / 1000) s away")
    }
  }

  /// Zones are made, and deleted if they are there.
  private func modifiedZones(_ exchange: Exchange, _ answer: [String: Any]) {
    let zones = answer["zones"] as? [[String: Any]] ?? []
    guard zones.count == exchange.zoneOperations.count, exchange.seen.hasCommitted else {
      return world.fail("\(exchange.device.name)'s zones were answered, and nothing was committed")
    }
    for (index, zone) in zones.enumerated() {
      let code = zone["serverErrorCode"] as? String
      let expected = exchange.seen.missingZones.contains(index) ? "ZONE_NOT_FOUND" : nil
      let name = exchange.zoneOperations[index].zone
      let what = "\(exchange.device.name)'s change of \(name)"
      if code == nil {
        remember(zone, name, exchange)
      } else if !exchange.seen.isRepeated {
        judgeLoss(zone, of: name, what, exchange)
      }
      if code != expected {
        world.fail(
          "\(what) was answered with \(code ?? "success") instead of \(expected ?? "success")")
      }
    }
  }
}
