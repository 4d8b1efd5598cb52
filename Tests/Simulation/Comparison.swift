// What devices have, beside what the server has.

import BrumeKit
import BrumeModel
import BrumeStorage

struct Comparison {
  private let world: World

  init(_ world: World) { self.world = world }

  /// Notes that differ, and changes that still wait.
  func differences() async throws -> [String] {
    var found: [String] = []
    for device in world.devices {
      let own = try await notes(of: device.userID)
      let app = device.apps[0]
      let here = Dictionary(
        uniqueKeysWithValues: app.disk.notes.map {
          ("\($0.key.zoneID.zoneName)/\($0.key.recordName)", $0.value.text)
        })
      for name in Set(own.keys).union(here.keys).sorted() where own[name] != here[name] {
        found.append(
          "\(device.name) has \(name) as '\(here[name] ?? "-")', the server '\(own[name] ?? "-")'")
      }
      let waiting = app.engine.state.pendingRecordZoneChanges
      if !waiting.isEmpty { found.append("\(device.name) still has to send \(waiting.count)") }
    }
    return found
  }

  private func notes(of user: UserID) async throws -> [String: String] {
    let place = world.place
    return try await world.disk.store.read { transaction in
      var notes: [String: String] = [:]
      let database = DatabaseKey(in: place, owner: user)
      for zone in try transaction.zones.all(in: database) {
        let lines = try transaction.changes.page(
          in: zone.key, after: 0, through: .max, limit: .max)
        for case .changed(let stored) in lines {
          let record = try stored.record()
          guard record.type == "Note", case .string(let text)? = record.fields["text"] else {
            continue
          }
          notes["\(zone.key.name)/\(record.name)"] = text
        }
      }
      return notes
    }
  }
}
