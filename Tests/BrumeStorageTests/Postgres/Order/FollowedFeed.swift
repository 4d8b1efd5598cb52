// What somebody saw who followed a feed while others saved, compared with what was saved.

struct FollowedFeed {
  /// One save. The versions of a key are 1, 2, 3 … in the order of its commits.
  struct Line: Equatable {
    /// Positions count by themselves in each.
    var stream = 0
    var position: Int64
    var key: Int
    var version: Int64
  }
  struct Faults: Equatable {
    /// Saves that were never seen.
    var missed = 0
    /// Versions that came after a higher one of the same key.
    var reordered = 0
    /// Positions that nobody has between two of the same stream.
    var gaps = 0

    static let none = Faults()
  }

  private(set) var lines: [Line] = []

  mutating func note(_ lines: [Line]) { self.lines += lines }

  /// - Parameter versions: the last version of each key.
  func faults(_ versions: [Int: Int64]) -> Faults {
    let seen = Set(lines.map { SeenVersion(key: $0.key, version: $0.version) })
    var faults = Faults()
    faults.missed = Int(versions.values.reduce(0, +)) - seen.count
    var last: (versions: [Int: Int64], positions: [Int: Int64]) = ([:], [:])
    for line in lines {
      if line.version < last.versions[line.key, default: 0] { faults.reordered += 1 }
      last.versions[line.key] = max(line.version, last.versions[line.key, default: 0])
      if line.position != last.positions[line.stream, default: 0] + 1 { faults.gaps += 1 }
      last.positions[line.stream] = line.position
    }
    return faults
  }

  private struct SeenVersion: Hashable {
    let key: Int
    let version: Int64
  }
}
