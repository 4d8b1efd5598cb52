// How far a database has come, and whether another state of it knows less: a database that was brought back from a
// copy looks like any other, and clients hold tokens and change tags from a future that it does not know.

import BrumeModel

struct DatabaseProgress: Equatable, Sendable {
  /// Which store it is: the same in every copy of it.
  var store: String
  /// What all sequences of its generation are above.
  var floor: Int64
  /// The last position of each log, by the number of its bucket.
  var positions: [Int64: Int64]

  /// Whether `mark` knows something of the same store that this does not.
  ///
  /// Positions count within a generation: who begins a new one has said that the database is older.
  func isBehind(_ mark: DatabaseProgress) -> Bool {
    guard store == mark.store else { return false }
    if floor != mark.floor { return floor < mark.floor }
    return mark.positions.contains { positions[$0.key, default: 0] < $0.value }
  }
}

// MARK: As text: a line that says what it is, one of the store, one for each log

extension DatabaseProgress {
  private static let name = "brume-postgres-mark-1"

  var text: String {
    let logs = positions.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
    return "\(Self.name)\n\(store) \(floor)\n" + logs.joined()
  }

  /// Nil: this is no mark, or not all of one.
  init?(text: String) {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    guard lines.count > 2, lines[0] == Self.name, lines.last == "",
      let (store, floor) = Self.pair(lines[1])
    else { return nil }
    var positions: [Int64: Int64] = [:]
    for line in lines[2..<(lines.count - 1)] {
      guard let (bucket, position) = Self.pair(line), let bucket = Int64(bucket) else { return nil }
      positions[bucket] = position
    }
    self.init(store: String(store), floor: floor, positions: positions)
  }

  private static func pair(_ line: Substring) -> (Substring, Int64)? {
    let words = line.split(separator: " ", omittingEmptySubsequences: false)
    guard words.count == 2, !words[0].isEmpty, let number = Int64(words[1]) else { return nil }
    return (words[0], number)
  }
}
