// Zones and database sequences in memory.

import BrumeModel

extension MemoryTransaction {
  func zone(_ key: ZoneKey) throws -> Zone? { zone(of: key)?.row }

  func zones(in database: DatabaseKey) throws -> [Zone] {
    rows(of: database).filter(\.isLive)
      .sorted { ByteText($0.key.name) < ByteText($1.key.name) }
  }

  func zonesChanged(
    in database: DatabaseKey, after: Int64, limit: Int
  ) throws -> [Zone] {
    let changed = rows(of: database).filter { $0.lastSequence > after }
      .sorted {
        ($0.lastSequence, ByteText($0.key.name)) < ($1.lastSequence, ByteText($1.key.name))
      }
    return Array(changed.prefix(limit))
  }

  func lastSequence(in database: DatabaseKey) throws -> Int64 {
    state.databases[database]?.sequence ?? 0
  }

  func nextSequence(in database: DatabaseKey) throws -> Int64 {
    requireScope(.database(database))
    let next = max(try lastSequence(in: database), state.sequenceFloor) + 1
    state.databases[database, default: .init()].sequence = next
    return next
  }

  func raiseSequences(above floor: Int64) throws {
    requireScope(.server)
    state.sequenceFloor = max(state.sequenceFloor, floor)
  }

  func put(_ zone: Zone) throws {
    requireScope(.database(zone.key.database))
    change(zone.key) { $0.row = zone }
  }

  func removeContents(of zone: ZoneKey) throws {
    requireScope(.database(zone.database))
    for kept in self.zone(of: zone)?.records.values.map(\.record) ?? [] {
      assetsLetGo(from: kept, to: nil)
    }
    change(zone) {
      $0.records = [:]
      $0.deletions = [:]
    }
  }

  private func rows(of database: DatabaseKey) -> [Zone] {
    state.databases[database]?.zones.values.compactMap(\.row) ?? []
  }
}
