// Zones that go with the app's data of a user: later calls say so, the feed of the database says so, and the sync engine
// reports it as that.

import BrumeCore
import BrumeKit
import BrumeModel
import BrumeServer
import Foundation

struct Purges {
  /// How often a zone was made, and how often deleted by a device.
  private var made: [ZoneName: Int] = [:]
  private var deleted: [ZoneName: Int] = [:]
  /// The devices that had a zone when it was purged, and were not notified.
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
    guard exchange?.isPurge == true else { return purges.deleted(zone) }
    // Whoever waits for rest waits for what devices do about it, too.
    world.happened("\(zone) is purged")
    model.purged.insert(zone)
    forgive(in: zone)
    guard purges.isOnly(zone) else { return }
    let id = CKRecordZone.ID(zoneName: zone.name)
    let having = world.devices.filter {
      $0.userID.name == zone.owner && $0.signOuts == 0 && $0.ownDisk.zones.contains(id)
    }
    purges.unreported[zone] = Set(having.map(\.name))
  }

  private var alice: String? { world.users["alice"]?.name }

  /// The feed of a database says why a zone is gone; to who takes part in a share it only says that it is.
  func judgeDeletion(_ answer: [String: Any], _ zone: ZoneName, _ exchange: Exchange) {
    guard answer["deleted"] as? Bool == true else { return }
    let reason = (answer["brume"] as? [String: Any])?["deletion"] as? String ?? "-"
    let isOwn = exchange.user?.name == zone.owner
    let right = exchange.seen.purged.map { isOwn && $0.contains(zone) ? "purged" : "deleted" }
    if !right.contains(reason) {
      world.fail(
        "\(exchange.device.name) was answered that \(zone) is \(reason) instead of \(right)")
    }
  }

  /// The owner of a purged zone is answered that it was.
  func judgePurge(
    _ answer: [String: Any], _ operation: Model.Operation, _ what: String, _ exchange: Exchange
  ) {
    guard answer["serverErrorCode"] as? String == "ZONE_NOT_FOUND", !exchange.seen.isRepeated
    else { return }
    let code = (answer["brume"] as? [String: Any])?["code"] as? String ?? "-"
    let zone = operation.zone
    let isPurged =
      exchange.user?.name == zone.owner
      && exchange.seen.purged.contains { $0.contains(zone) }
    let right = isPurged ? "userDeletedZone" : "zoneNotFound"
    if code != right { world.fail("\(what) was refused with \(code) instead of \(right)") }
  }

  /// An engine reports that a zone of the private database is gone.
  func reportedGone(
    _ id: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason, by device: Device
  ) {
    let zone = ZoneName(owner: device.userID.name, name: id.zoneName)
    if reason == .purged { purges.unreported[zone]?.remove(device.name) }
    guard purges.isOnly(zone) else { return }
    if (reason == .purged) != model.purged.contains(zone) {
      world.fail("\(device.name) was notified that \(zone) is gone as \(reason)")
    }
  }

  /// Devices that were not notified of a purge as one.
  func missingPurges() -> [String] {
    purges.unreported.sorted { $0.key < $1.key }.flatMap { zone, names in
      world.devices.filter { names.contains($0.name) && $0.signOuts == 0 }.map {
        "\($0.name) was not notified that \(zone) was purged"
      }
    }
  }
}

extension World {
  /// A user removes the app's data in the settings, as far as it is in a zone.
  func purge(_ name: String, of device: Device) async {
    guard let server = someServer() else { return }
    note("\(device.user) purges \(name)")
    let exchange = Exchange(purging: name, of: device)
    let (user, place) = (device.userID, containerEnvironment)
    do {
      try await server.answer {
        try await Exchange.$current.withValue(exchange) {
          try await server.composition.engine.zoneAdministration.purge(name, of: user, in: place)
        }
      }
    } catch { note("not purged: \(error)") }
  }
}
