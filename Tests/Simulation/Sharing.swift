// The zone that alice shares with bob, and in half of all runs with carol, who may only read at first.

import BrumeKit
import BrumeModel
import Foundation

struct Sharing {
  private let world: World
  static let zone = CKRecordZone.ID(zoneName: "Shared")

  init(_ world: World) { self.world = world }

  private var alice: Device? { world.devices.first { $0.user == "alice" } }

  /// The zone, the share, and the acceptance of all who are invited.
  func begin() async throws {
    guard let alice else { return }
    let database = alice.container.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: Self.zone))
    let share = CKShare(recordZoneID: Self.zone)
    for device in world.participants {
      let permission: CKShare.ParticipantPermission =
        device.user == "carol" ? .readOnly : .readWrite
      share.addParticipant(try await invitation(of: device, by: alice, permission))
    }
    try await database.save(share)
    try await countBadges(of: alice)
    try await makeType(in: database)
    for device in world.participants {
      try await take(by: device)
      await device.shared?.fetch()
    }
  }

  /// A first note, so that the schema has all of its fields and they can be watched.
  private func makeType(in database: CKDatabase) async throws {
    let note = CKRecord(
      recordType: "Note", recordID: CKRecord.ID(recordName: "first", zoneID: Self.zone))
    for field in ["text", "by", "even"] { note[field] = "yes" }
    try await database.save(note)
    // Changes of the default zone come to nobody, so that no device learns its types.
    for device in [alice] + world.participants { await device?.hand.set("first") }
  }

  private func invitation(
    of device: Device, by alice: Device, _ permission: CKShare.ParticipantPermission
  ) async throws -> CKShare.Participant {
    let person = try await alice.container.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: device.userID.name))
    person.permission = permission
    return person
  }

  private func take(by device: Device) async throws {
    guard let alice else { return }
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: Self.zone)
    let share = try await alice.container.privateCloudDatabase.record(for: id) as? CKShare
    guard let url = share?.url else { return }
    _ = try await device.container.accept(try await device.container.shareMetadata(for: url))
  }

  func edit(_ name: String, on device: Device, _ word: String) {
    guard let shared = device.shared else {
      device.own?.edit(name, in: Self.zone, adding: word)
      return
    }
    guard let owner = alice?.userID.name else { return }
    let zone = CKRecordZone.ID(zoneName: "Shared", ownerName: owner)
    // The user sees it when the engine has reported it.
    if device.sharedDisk.zones.contains(zone) { shared.edit(name, in: zone, adding: word) }
  }

  /// Alice changes what a participant may do.
  func permit(_ permission: CKShare.ParticipantPermission?, to device: Device) async {
    guard let alice else { return }
    world.note("alice lets \(device.user) \(permission.map { "\($0.rawValue)" } ?? "do nothing")")
    let database = alice.container.privateCloudDatabase
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: Self.zone)
    do {
      guard let share = try await share(id, in: database, isMade: permission != nil) else { return }
      let known = share.participants.first {
        $0.userIdentity.userRecordID?.recordName == device.userID.name
      }
      if let permission {
        if let known {
          known.permission = permission
        } else {
          share.addParticipant(try await invitation(of: device, by: alice, permission))
        }
      } else if let known {
        share.removeParticipant(known)
      }
      try await database.save(share)
    } catch { world.note("not permitted: \((error as? CKError)?.code.rawValue ?? 0)") }
  }

  /// The share as it is, or a new one after the last has ended.
  private func share(
    _ id: CKRecord.ID, in database: CKDatabase, isMade: Bool
  ) async throws -> CKShare? {
    do {
      return try await database.record(for: id) as? CKShare
    } catch let error as CKError where error.code == .unknownItem && isMade {
      return CKShare(recordZoneID: Self.zone)
    } catch let error as CKError
      where [.userDeletedZone, .zoneNotFound].contains(error.code) && isMade
    {
      // If it fails, saving the share says so. The engine of the same device is not notified.
      _ = try? await database.save(CKRecordZone(zoneID: Self.zone))
      await alice?.own?.fetch()
      return CKShare(recordZoneID: Self.zone)
    }
  }

  /// Alice ends the share.
  func stop() async {
    guard let alice else { return }
    world.note("alice stops sharing")
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: Self.zone)
    do { try await alice.container.privateCloudDatabase.deleteRecord(withID: id) } catch {
      world.note("not stopped: \((error as? CKError)?.code.rawValue ?? 0)")
    }
  }

  func accept(by device: Device) async {
    do { try await take(by: device) } catch {
      world.note("not accepted: \((error as? CKError)?.code.rawValue ?? 0)")
    }
    await device.shared?.fetch()
  }

  /// A participant leaves by deleting the share, as apps do.
  func leave(_ device: Device) async {
    guard let alice else { return }
    let zone = CKRecordZone.ID(zoneName: "Shared", ownerName: alice.userID.name)
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone)
    world.note("\(device.user) leaves")
    // Until it is certain: an answer may be lost after all was done.
    for _ in 0..<20 {
      do {
        try await device.container.sharedCloudDatabase.deleteRecord(withID: id)
        break
      } catch let error as CKError where error.code == .zoneNotFound || error.code == .unknownItem {
        break
      } catch { await world.sleep(400) }
    }
    await device.shared?.fetch()
  }
}
