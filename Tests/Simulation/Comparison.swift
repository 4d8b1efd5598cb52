// What devices have, beside what the server has.

import BrumeKit
import BrumeModel
import BrumeStorage

struct Comparison {
  private let world: World
  /// What the store had after so many commits.
  private var seen: (commits: Int, notes: [String: String])?

  init(_ world: World) { self.world = world }

  /// Notes that differ, changes that still wait, and pushes that have not come.
  mutating func differences() async throws -> [String] {
    let notes = try await allNotes()
    var found =
      world.oracle.missingWords(in: notes) + world.oracle.missingPushes()
      + world.oracle.watches.missing + world.oracle.missingLosses()
    for device in world.devices {
      for app in device.apps { found += differences(device, app, notes) }
    }
    return found
  }

  private func differences(
    _ device: Device, _ app: NotesApp, _ notes: [String: String]
  ) -> [String] {
    let user = device.userID.name
    let isOwn = app.database.databaseScope == .private
    let readable = Set(
      world.oracle.model.zones.filter { !$0.key.isDefault }.filter {
        isOwn ? $0.key.owner == user : $0.value.members[user] != nil
      }.keys.map { "\($0.owner)/\($0.name)/" })
    let there = notes.filter { note in readable.contains { note.key.hasPrefix($0) } }
    var here: [String: String] = [:]
    for (id, note) in app.disk.notes { here[path(id.zoneID, user) + id.recordName] = note.text }
    var found = Set(there.keys).union(here.keys).sorted().filter {
      there[$0] != here[$0] && !world.oracle.isForgotten($0, by: device)
    }.map {
      "\(device.name) has \($0) as '\(here[$0] ?? "-")', the server '\(there[$0] ?? "-")'"
    }
    let zonesHere = Set(app.disk.zones.map { path($0, user) })
    for zone in zonesHere.symmetricDifference(readable).sorted() {
      found.append(
        "\(device.name) \(zonesHere.contains(zone) ? "still has" : "lacks") the zone \(zone)")
    }
    let waiting = app.engine.state.pendingRecordZoneChanges
    if !waiting.isEmpty { found.append("\(device.name) still has to send \(waiting.count)") }
    let zones = app.engine.state.pendingDatabaseChanges
    if !zones.isEmpty { found.append("\(device.name) still has to send \(zones.count) zones") }
    return found
  }

  private func path(_ zone: CKRecordZone.ID, _ user: String) -> String {
    let owner = zone.ownerName == CKCurrentUserDefaultName ? user : zone.ownerName
    return "\(owner)/\(zone.zoneName)/"
  }

  /// What the store has, which is also compared with the model. Without a commit in between it is what it was.
  private mutating func allNotes() async throws -> [String: String] {
    let commits = world.disk.commits
    if let seen, seen.commits == commits { return seen.notes }
    let notes = try await readNotes()
    seen = (commits, notes)
    return notes
  }

  private func readNotes() async throws -> [String: String] {
    let (place, oracle) = (world.containerEnvironment, world.oracle)
    let owners = Set(world.devices.map(\.userID)).sorted { $0.name < $1.name }
    return try await world.disk.store.read { transaction in
      var notes: [String: String] = [:]
      for owner in owners {
        let key = DatabaseKey(in: place, owner: owner)
        try oracle.compare(transaction, key, owner.name)
        for zone in try transaction.zones.all(in: key) {
          let lines = try transaction.changes.page(
            in: zone.key, after: 0, through: .max, limit: .max)
          for case .changed(let line) in lines {
            let record = try oracle.records.record(line, in: zone.key)
            guard record.type == "Note" else { continue }
            notes["\(owner.name)/\(zone.key.name)/\(record.name)"] = Model.Record(record).text
          }
        }
      }
      return notes
    }
  }
}
