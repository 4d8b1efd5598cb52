// Zones that go by what a user does in the settings: with the app's data, or with the reset of encrypted data. Later calls
// say so, the feed of the database says so, and the sync engine reports it as that.

import BrumeCore
import BrumeKit
import BrumeModel
import BrumeServer
import BrumeStorage
import Foundation

struct Losses {
  /// How often a zone was made, and how often deleted by a device.
  private var made: [ZoneName: Int] = [:]
  private var deleted: [ZoneName: Int] = [:]
  /// The devices that had a zone when it was lost, and were not notified.
  var unreported: [ZoneName: Set<String>] = [:]

  mutating func made(_ zone: ZoneName) {
    made[zone, default: 0] += 1
    unreported[zone] = nil
  }
  mutating func deleted(_ zone: ZoneName) { deleted[zone, default: 0] += 1 }

  /// Whether it never went in another way, nor came again: its going has one reason then.
  func isOnly(_ zone: ZoneName) -> Bool { made[zone] == 1 && deleted[zone] == nil }
}

extension Oracle {
  /// A zone has gone, which the model has no more.
  func removed(_ zone: ZoneName, by exchange: Exchange?) {
    watches.excuse { $0.contains(" \(zone)/") }
    watches.all = watches.all.filter { $1.zone != zone.name || zone.owner != alice }
    if zone.owner == alice, zone.name == Sharing.zone.zoneName { badges.end() }
    guard let loss = exchange?.loss else { return losses.deleted(zone) }
    // Whoever waits for rest waits for what devices do about it, too.
    world.happened("\(zone) is gone: \(loss)")
    model.losses[zone] = loss
    forgive(in: zone)
    guard losses.isOnly(zone) else { return }
    let id = CKRecordZone.ID(zoneName: zone.name)
    let having = world.devices.filter {
      $0.userID.name == zone.owner && $0.signOuts == 0 && $0.ownDisk.zones.contains(id)
    }
    losses.unreported[zone] = Set(having.map(\.name))
  }

  /// The default zone stays when it is purged, and nothing in it does. Nobody is notified.
  func emptied(by exchange: Exchange) {
    for (_, zone) in exchange.zoneOperations where zone.isDefault {
      model.zones[zone]?.records = [:]
    }
  }

  private var alice: String? { world.users["alice"]?.name }

  /// The feed of a database says why a zone is gone; to who takes part in a share it only says that it is.
  func judgeDeletion(_ answer: [String: Any], _ zone: ZoneName, _ exchange: Exchange) {
    guard answer["deleted"] as? Bool == true else { return }
    let reason = (answer["brume"] as? [String: Any])?["deletion"] as? String ?? "-"
    let right = exchange.losses(of: zone).map { $0?.rawValue ?? "deleted" }
    if !right.contains(reason) {
      world.fail(
        "\(exchange.device.name) was answered that \(zone) is \(reason) instead of \(right)")
    }
  }

  /// The owner of a zone that is gone is answered why.
  func judgeLoss(
    _ answer: [String: Any], of zone: ZoneName, _ what: String, _ exchange: Exchange
  ) {
    let (code, right) = (
      Self.refusal(answer), exchange.losses(of: zone).map { Self.refusal(after: $0) }
    )
    if !right.contains(code) { world.fail("\(what) was refused with \(code) instead of \(right)") }
  }

  /// The code with which something is refused, and whether it says that encrypted data was reset.
  static func refusal(_ answer: [String: Any]) -> String {
    let brume = answer["brume"] as? [String: Any]
    let code = brume?["code"] as? String ?? "-"
    return code + (brume?["didResetEncryptedData"] as? Bool == true ? afterReset : "")
  }

  /// The one with which a zone is refused that is not there.
  static func refusal(after loss: Model.Loss?) -> String {
    switch loss {
    case nil: "zoneNotFound"
    case .purged: "userDeletedZone"
    case .encryptedDataReset: refusalAfterReset
    }
  }

  private static let afterReset = " after a reset"
  static let refusalAfterReset = "zoneNotFound" + afterReset

  /// An engine reports that a zone of the private database is gone.
  func reportedGone(
    _ id: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason, by device: Device
  ) {
    let zone = ZoneName(owner: device.userID.name, name: id.zoneName)
    if reason != .deleted { losses.unreported[zone]?.remove(device.name) }
    guard losses.isOnly(zone) else { return }
    if reason != (model.losses[zone]?.reason ?? .deleted) {
      world.fail("\(device.name) was notified that \(zone) is gone as \(reason)")
    }
  }

  /// Devices that were not notified why a zone is gone.
  func missingLosses() -> [String] {
    losses.unreported.sorted { $0.key < $1.key }.flatMap { zone, names in
      world.devices.filter { names.contains($0.name) && $0.signOuts == 0 }.map {
        "\($0.name) was not notified why \(zone) is gone"
      }
    }
  }
}

extension Model.Loss {
  fileprivate var reason: CKDatabase.DatabaseChange.Deletion.Reason {
    switch self {
    case .purged: .purged
    case .encryptedDataReset: .encryptedDataReset
    }
  }
}

extension Exchange {
  /// Why a zone was gone at each reading of the store, as far as its user is notified; nil: a device deleted it, or it was there.
  fileprivate func losses(of zone: ZoneName) -> [Model.Loss?] {
    seen.losses.map { user?.name == zone.owner ? $0[zone] : nil }
  }
}

extension World {
  /// A user removes the app's data in the settings, as far as it is in a zone.
  func purge(_ name: String, of device: Device) async {
    let exchange = Exchange(.purged, of: device)
    exchange.loses([ZoneName(owner: device.userID.name, name: name)])
    note("\(device.user) purges \(name)")
    await carryOut(exchange)
  }

  /// A user resets encrypted data. Which zones go is known when it is committed.
  func resetEncryptedData(of device: Device) async {
    note("\(device.user) resets encrypted data")
    await carryOut(Exchange(.encryptedDataReset, of: device))
  }

  private func carryOut(_ exchange: Exchange) async {
    guard let server = someServer() else { return }
    let (user, place) = (exchange.device.userID, containerEnvironment)
    do {
      try await server.answer {
        try await Exchange.$current.withValue(exchange) {
          let zones = server.composition.engine.zoneAdministration
          if exchange.loss == .encryptedDataReset {
            return try await zones.resetEncryptedData(of: user, in: place)
          }
          for (_, zone) in exchange.zoneOperations {
            try await zones.purge(zone.name, of: user, in: place)
          }
        }
      }
    } catch {
      note("\(exchange.action) failed: \(error)")
      // As the operator's request does, which this is the work of.
      if let error = error as? StoreError, error.code == .unavailable {
        server.composition.health.storageFailed(error)
      }
      server.superviseStorage()
    }
  }
}
