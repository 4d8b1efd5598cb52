// What a backup holds, for programs.

import BrumeCore
import BrumeStorage
import BrumeWire

extension BackupTalk {
  /// What `show` prints as a table.
  static func json(_ report: BackupReport) -> JSON {
    var object = JSONObject()
    if let header = report.header {
      object["backup"] = .string(header.id)
      object["made"] = .int(header.made)
      object["of"] = .string(header.engineName)
      object["continues"] = header.base.map {
        ["file": .string($0.file), "backup": .string($0.id)]
      }
      object["changes"] = header.base.map { _ in .int(report.entries) }
    }
    object["format"] = .int(Int64(BackupHeader.version))
    object["generation"] = report.generation.map { .string($0) }
    object["containers"] = .array(report.places.map { .string($0) })
    object["rows"] = rows(report)
    object["assets"] = assets(report)
    object["hash"] = .string(report.hash)
    return .object(object)
  }

  private static func rows(_ report: BackupReport) -> JSON {
    var rows = JSONObject()
    for table in MovedTable.allCases {
      rows[table.rawValue] = report.counts[table].map { .int($0) }
    }
    return .object(rows)
  }

  private static func assets(_ report: BackupReport) -> JSON {
    [
      "count": .int(Int64(report.count.assets)), "bytes": .int(Int64(report.count.bytes)),
      "earlier": .int(Int64(report.count.earlier)), "missing": .int(Int64(report.count.missing)),
    ]
  }
}
