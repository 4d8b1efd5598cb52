// The zone that alice shares with bob.

import BrumeKit
import BrumeModel
import Foundation

struct Sharing {
  private let world: World
  static let zone = CKRecordZone.ID(zoneName: "Shared")

  init(_ world: World) { self.world = world }

  private var alice: Device? { world.devices.first { $0.user == "alice" } }
  private var bob: Device? { world.devices.first { $0.user == "bob" } }

  /// The zone, the share, and bob's acceptance.
  func begin() async throws {
    guard let alice, let bob else { return }
    let database = alice.container.privateCloudDatabase
    try await database.save(CKRecordZone(zoneID: Self.zone))
    let share = CKShare(recordZoneID: Self.zone)
    share.addParticipant(try await invitation(of: bob, by: alice, .readWrite))
    try await database.save(share)
    try await countBadges(of: alice)
    try await take()
    await bob.apps[1].fetch()
  }

  private func invitation(
    of bob: Device, by alice: Device, _ permission: CKShare.ParticipantPermission
  ) async throws -> CKShare.Participant {
    let person = try await alice.container.shareParticipant(
      forUserRecordID: CKRecord.ID(recordName: bob.userID.name))
    person.permission = permission
    return person
  }

  private func take() async throws {
    guard let alice, let bob else { return }
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: Self.zone)
    let share = try await alice.container.privateCloudDatabase.record(for: id) as? CKShare
    guard let url = share?.url else { return }
    _ = try await bob.container.accept(try await bob.container.shareMetadata(for: url))
  }

  func edit(_ name: String, on device: Device, _ word: String) {
    guard device.user == "bob" else {
      return device.apps[0].edit(name, in: Self.zone, adding: word)
    }
    guard let owner = alice?.userID.name else { return }
    let zone = CKRecordZone.ID(zoneName: "Shared", ownerName: owner)
    // He sees it when the engine has reported it.
    if device.sharedDisk.zones.contains(zone) { device.apps[1].edit(name, in: zone, adding: word) }
  }

  /// Alice changes what bob may do.
  func permit(_ permission: CKShare.ParticipantPermission?) async {
    guard let alice, let bob else { return }
    world.note("alice lets bob \(permission.map { "\($0.rawValue)" } ?? "do nothing")")
    let database = alice.container.privateCloudDatabase
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: Self.zone)
    do {
      guard let share = try await share(id, in: database, isMade: permission != nil) else { return }
      let known = share.participants.first {
        $0.userIdentity.userRecordID?.recordName == bob.userID.name
      }
      if let permission {
        if let known {
          known.permission = permission
        } else {
          share.addParticipant(try await invitation(of: bob, by: alice, permission))
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

  func accept() async {
    do { try await take() } catch {
      world.note("not accepted: \((error as? CKError)?.code.rawValue ?? 0)")
    }
    await bob?.apps[1].fetch()
  }

  /// Bob leaves by deleting the share, as apps do.
  func leave() async {
    guard let alice, let bob else { return }
    let zone = CKRecordZone.ID(zoneName: "Shared", ownerName: alice.userID.name)
    let id = CKRecord.ID(recordName: CKRecordNameZoneWideShare, zoneID: zone)
    world.note("bob leaves")
    // Until it is certain: an answer may be lost after all was done.
    for _ in 0..<20 {
      do {
        try await bob.container.sharedCloudDatabase.deleteRecord(withID: id)
        break
      } catch let error as CKError where error.code == .zoneNotFound || error.code == .unknownItem {
        break
      } catch { await world.sleep(400) }
    }
    await bob.apps[1].fetch()
  }
}
