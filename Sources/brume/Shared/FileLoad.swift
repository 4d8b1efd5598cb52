// How many files an import sends before it saves their records: what no record holds yet has little room
// on the server.

import BrumeModel

struct FileLoad {
  /// Ours: files of one request. A server keeps some hundreds of a user that no record holds, also of
  /// records that it refused.
  static let most = 100
  /// Ours: their bytes. A server keeps some GB.
  static let mostBytes: Int64 = 1 << 30
  private var count = 0
  private var bytes: Int64 = 0

  /// The records in parts, each with no more files than are sent at once.
  static func parts(of records: [Record]) -> [[Record]] {
    var parts: [[Record]] = []
    var load = FileLoad()
    for record in records {
      if parts.isEmpty || !load.hasRoom(for: record) {
        parts.append([])
        load = FileLoad()
      }
      load.add(record)
      parts[parts.count - 1].append(record)
    }
    return parts
  }

  /// Whether a record may go with those that were added. The first with files always may.
  func hasRoom(for record: Record) -> Bool {
    if count == 0 { return true }
    var all = self
    all.add(record)
    return all.count <= Self.most && all.bytes <= Self.mostBytes
  }

  mutating func add(_ record: Record) {
    for file in record.files {
      count += 1
      bytes += min(file.size, Self.mostBytes)
    }
  }
}

extension Record {
  /// The files that the record holds.
  var files: [Asset] { fields.values.flatMap(\.files) }
}
