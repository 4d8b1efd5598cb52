// What a device does without the engine: fetching with a token of its own, and saving several records,
// with what it knows of them.

import BrumeKit
import BrumeModel
import Foundation

/// Sendable because a simulation has one thread.
final class Hand: @unchecked Sendable {
  unowned let device: Device
  private var tokens: [CKRecordZone.ID: CKServerChangeToken] = [:]
  private var known: [String: CKRecord] = [:]
  /// A save failed of which it does not know whether it happened, or still will.
  private var isUnsure = false

  init(_ device: Device) { self.device = device }

  var database: CKDatabase {
    device.own == nil
      ? device.container.sharedCloudDatabase : device.container.privateCloudDatabase
  }

  /// Where it saves: who has no zone of his own does so in the one that is shared with him.
  private var home: CKRecordZone.ID { device.own == nil ? Self.shared(device) : NotesApp.notes }

  private static func shared(_ device: Device) -> CKRecordZone.ID {
    CKRecordZone.ID(
      zoneName: Sharing.zone.zoneName, ownerName: device.world.users["alice"]?.name ?? "")
  }

  func fetch() async {
    if device.world.planted == .suddenTrap, !known.isEmpty { fatalError("planted") }
    while device.world.planted == .endlessStep, !known.isEmpty { _ = getpid() }
    await fetch(home, in: database)
    guard device.user == "bob" else { return }
    // Also when he has lost the right, which the server has to notice.
    await fetch(Self.shared(device), in: device.container.sharedCloudDatabase)
  }

  private func fetch(_ zone: CKRecordZone.ID, in database: CKDatabase) async {
    let isOwn = zone == home
    do {
      while true {
        let page = try await database.recordZoneChanges(inZoneWith: zone, since: tokens[zone])
        for (id, result) in page.modificationResultsByID where isOwn {
          if let record = try? result.get().record { known[id.recordName] = record }
        }
        for gone in page.deletions where isOwn { known[gone.recordID.recordName] = nil }
        tokens[zone] = page.changeToken
        if !page.moreComing { return }
      }
    } catch let error as CKError where error.code == .changeTokenExpired {
      tokens[zone] = nil
      if isOwn { known = [:] }
    } catch { device.world.note("\(device.name) did not fetch") }
  }

  /// A setting in the default zone, which nobody follows.
  func set(_ word: String) async {
    let (database, id) = (
      device.container.privateCloudDatabase, CKRecord.ID(recordName: Self.setting)
    )
    do {
      let known = try? await database.record(for: id)
      let record = known ?? CKRecord(recordType: "Setting", recordID: id)
      record["text"] = word
      _ = try await database.save(record)
    } catch { device.world.note("\(device.name) did not save its setting") }
  }

  static let setting = "setting"

  func save(_ names: [String], _ deleting: [String], isAtomic: Bool, _ word: String) async {
    let records = names.map { name in
      let id = CKRecord.ID(recordName: name, zoneID: home)
      let record =
        (known[name]?.copy() as? CKRecord) ?? CKRecord(recordType: "Note", recordID: id)
      record["text"] = word
      return record
    }
    let gone = deleting.map { CKRecord.ID(recordName: $0, zoneID: home) }
    if records.isEmpty && gone.isEmpty { return }
    do {
      let answer = try await database.modifyRecords(
        saving: records, deleting: gone, atomically: isAtomic)
      for (id, result) in answer.saveResults {
        switch result {
        case .success(let record): known[id.recordName] = record
        case .failure(let error as CKError):
          if let record = error.serverRecord { known[id.recordName] = record }
        case .failure: break
        }
      }
    } catch {
      device.world.note("\(device.name) did not save by hand")
      isUnsure = true
    }
  }

  /// A second copy of a request has arrived, in which a save may happen that failed before. Nobody notifies the device of what
  /// it did itself, so this stands for the app that is opened again later.
  func copyArrived() async {
    if isUnsure { await device.apps.first?.fetch() }
  }
}
