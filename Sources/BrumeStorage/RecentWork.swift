// Who has lately brought much work, as a value. Two things are asked for it: on which threads a caller's requests run
// (`GivingWay.swift` of the server), and how soon a write of his gives way to others' (`WriteTurns.swift` of SQLite's engine).

/// The time that was spent for each name, of which some is forgotten all the time. Times are in nanoseconds.
package struct RecentWork: Sendable {
  /// Ours: beyond this a name has brought much. A page, a batch of saves and their like are far below it.
  package static let much: Int64 = 50_000_000
  /// Ours: forgotten in a second. Who needs no more than a tenth of one processor never has brought much.
  package static let forgottenPerSecond: Int64 = 100_000_000
  /// Ours: no more is remembered, so that somebody who stops is like all others a second later.
  package static let most: Int64 = 150_000_000
  /// Ours: names that are remembered at once. With more, those of whom nothing is left are forgotten; then no others
  /// are taken in.
  package static let names = 4096

  private var spent: [String: (time: Int64, at: Int64)] = [:]

  package init() {}

  /// So many names are remembered.
  package var count: Int { spent.count }

  /// So much processor time was spent for a name.
  package mutating func add(_ time: Int64, for name: String, now: Int64) {
    if spent[name] == nil, spent.count >= Self.names {
      spent = spent.filter { left(of: $0.value, now) > 0 }
      if spent.count >= Self.names { return }
    }
    let before = spent[name].map { left(of: $0, now) } ?? 0
    spent[name] = (min(before + min(max(0, time), Self.most), Self.most), now)
  }

  /// Whether it was much lately.
  package func isMuch(for name: String, now: Int64) -> Bool {
    spent[name].map { left(of: $0, now) > Self.much } ?? false
  }

  private func left(of entry: (time: Int64, at: Int64), _ now: Int64) -> Int64 {
    let seconds = Double(max(0, now - entry.at)) / 1e9
    return entry.time - Int64(min(seconds * Double(Self.forgottenPerSecond), 1e15))
  }
}
