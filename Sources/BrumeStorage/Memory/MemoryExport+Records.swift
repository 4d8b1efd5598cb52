// Databases, zones, records and what belongs to them, as rows. References and holders of files are read from the
// records themselves.

import BrumeModel

extension MemoryExport {
  private var allZones: [(key: ZoneKey, zone: MemoryZone)] {
    state.databases.flatMap { database, content in
      content.zones.map { (ZoneKey(database: database, name: $0.text), $1) }
    }
  }

  var databases: [[MovedValue]] {
    state.databases.compactMap { key, database in
      let zones = database.zones.values.compactMap { $0.row?.lastSequence }
      let last = max(database.sequence, zones.max() ?? 0)
      return last > 0 ? key.moved + [.integer(last)] : nil
    }
  }

  var zones: [[MovedValue]] {
    allZones.compactMap { key, zone in
      zone.row.map { row in
        key.moved + [
          .integer(row.incarnation), .integer(row.lastSequence), .text(row.deletion?.rawValue),
          .integer(row.hasShares ? 1 : 0),
        ]
      }
    }
  }

  var records: [[MovedValue]] {
    allZones.flatMap { key, zone in
      zone.records.values.map { kept -> [MovedValue] in
        key.moved + [
          .text(kept.record.name), .text(kept.record.type), .null, .null, .null,
          .integer(kept.sequence), .text(kept.record.parent), .bytes(kept.bytes),
        ]
      }
        + zone.deletions.values.map { line, creator -> [MovedValue] in
          key.moved + [
            .text(line.name), .null, .text(line.type), .text(creator?.name),
            .text(Lines.column(line.coveringShares)), .integer(line.sequence), .null, .null,
          ]
        }
    }
  }

  var references: [[MovedValue]] {
    allZones.flatMap { key, zone in
      zone.records.values.flatMap { kept in
        kept.record.pointers(within: key).map { pointer in
          key.moved + [
            .text(pointer.target.text), .text(pointer.action.rawValue), .text(kept.record.name),
          ]
        }
      }
    }
  }

  var assetHolders: [[MovedValue]] {
    allZones.flatMap { key, zone in
      zone.records.values.flatMap { kept in
        kept.record.assetChecksums.map { key.moved + [.text(kept.record.name), .text($0)] }
      }
    }
  }

  var memberships: [[MovedValue]] {
    state.memberships.map {
      $0.share.zone.moved + [.text($0.share.name), .text($0.user.name)]
    }
  }
}

extension DatabaseKey {
  /// Container, environment, owner.
  var moved: [MovedValue] { containerEnvironment.moved + [.text(ownerColumn)] }
}

extension ZoneKey {
  var moved: [MovedValue] { database.moved + [.text(name)] }
}
