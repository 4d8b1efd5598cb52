// Zones in memory.

import BrumeModel

final class MemoryZones: MemoryFeature, ZoneWriting {
  func find(_ key: ZoneKey) throws -> Zone? { draft.zone(of: key)?.row }

  func all(in database: DatabaseKey) throws -> [Zone] {
    rows(of: database).filter(\.isLive)
      .sorted { ByteText($0.key.name) < ByteText($1.key.name) }
  }

  func changed(
    in database: DatabaseKey, after: Int64, limit: Int
  ) throws -> [Zone] {
    let changed = rows(of: database).filter { $0.lastSequence > after }
      .sorted {
        ($0.lastSequence, ByteText($0.key.name)) < ($1.lastSequence, ByteText($1.key.name))
      }
    return Array(changed.prefix(limit))
  }

  func count(in database: DatabaseKey, limit: Int) throws -> Int {
    min(rows(of: database).count, limit)
  }

  func databases(of owner: UserID) throws -> [DatabaseKey] {
    draft.state.databases.keys.filter { $0.owner == owner }
      .sorted { $0.containerEnvironment < $1.containerEnvironment }
  }

  func databases(in containerEnvironment: ContainerEnvironment) throws -> [DatabaseKey] {
    draft.state.databases.keys.filter { $0.containerEnvironment == containerEnvironment }
      .sorted { ByteText($0.ownerColumn) < ByteText($1.ownerColumn) }
  }

  func unfinishedDeletions(limit: Int) throws -> [ZoneKey] {
    let zones = draft.state.databases.values.lazy.flatMap(\.zones.values)
    let left = zones.filter { zone in
      zone.row?.isLive == false && !(zone.records.isEmpty && zone.deletions.isEmpty)
    }
    return left.prefix(limit).compactMap(\.row?.key)
  }

  func databaseCounts() throws -> [ContainerEnvironment: Int] {
    Dictionary(grouping: draft.state.databases.keys, by: \.containerEnvironment)
      .mapValues(\.count)
  }

  func put(_ zone: Zone) throws {
    draft.requireScope(.database(zone.key.database))
    draft.change(zone.key) { $0.row = zone }
  }

  private func rows(of database: DatabaseKey) -> [Zone] {
    draft.state.databases[database]?.zones.values.compactMap(\.row) ?? []
  }
}
