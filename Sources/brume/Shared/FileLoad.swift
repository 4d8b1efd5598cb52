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

  /// Whether a record may go with those that were added. The first with files always may.
  func hasRoom(for record: Record) -> Bool {
    if count == 0 { return true }
    var all = self
    all.add(record)
    return all.count <= Self.most && all.bytes <= Self.mostBytes
  }

  mutating func add(_ record: Record) {
    for file in record.fields.values.flatMap(\.files) {
      count += 1
      bytes += min(file.size, Self.mostBytes)
    }
  }
}
