// How far a store had come: which start of it, and the last position of its log. The database says it
// of itself; a mark beside it and one elsewhere say what was acknowledged. A database that is behind a
// mark is an older copy: clients hold tokens and change tags from a future that it does not know.

import BrumeModel

struct StoreProgress: Equatable, Sendable {
  /// Counts the starts of the store.
  var start: Int64
  /// The identity of that start: two copies of one folder count alike, but are not the same start.
  var runID: String
  /// The last log position that was durable.
  var position: Int64

  /// Whether `mark` knows something that this does not.
  func isBehind(_ mark: StoreProgress) -> Bool {
    if start != mark.start { return start < mark.start }
    return runID != mark.runID || position < mark.position
  }
}

// MARK: As a line of text, always of the same length

extension StoreProgress {
  private static let name = "brume-mark-1"

  /// - Parameter runID: without spaces and line ends.
  var line: String { "\(Self.name) \(Self.padded(start)) \(Self.padded(position)) \(runID)\n" }

  /// Nil: this is no mark.
  init?(line: String) {
    let parts = line.split(separator: " ", omittingEmptySubsequences: false)
    guard parts.count == 4, parts[0] == Self.name, let start = Int64(parts[1]),
      let position = Int64(parts[2]), parts[3].last == "\n", parts[3].count > 1
    else { return nil }
    self.init(start: start, runID: String(parts[3].dropLast()), position: position)
  }

  private static func padded(_ number: Int64) -> String {
    let digits = String(number)
    return String(repeating: "0", count: max(0, 19 - digits.count)) + digits
  }
}

// MARK: What it means

/// What the mark outside of the data folder says.
enum ExternalMark: Equatable, Sendable {
  /// There is none.
  case missing
  /// Another process runs a store of this identity.
  case taken
  case says(StoreProgress)
}

enum CopyRules {
  /// Why the database is older than what was acknowledged from it, or may be; nil if it is not.
  ///
  /// - Parameters:
  ///   - database: what the database says of itself; nil before its first start that counts.
  ///   - isSameFile: whether the database file is the one of that start; nil if nobody knows.
  static func finding(
    database: StoreProgress?, isSameFile: Bool?, inFolder: StoreProgress?, outside: ExternalMark
  ) -> String? {
    guard let database else {
      return inFolder == nil ? nil : "the folder's mark is of a later version of the database"
    }
    if let inFolder, database.isBehind(inFolder) { return ahead(inFolder, "in the folder") }
    switch outside {
    case .taken: return "another server runs a copy of it"
    case .says(let mark) where database.isBehind(mark): return ahead(mark, "outside of the folder")
    // Also where the marks agree: an older file beside a newer log of SQLite's looks like the newest.
    case .says, .missing:
      return isSameFile == false
        ? "the database file is a copy, and nobody knows whether something was saved after it was made"
        : nil
    }
  }

  private static func ahead(_ mark: StoreProgress, _ place: String) -> String {
    "the mark \(place) says start \(mark.start), log position \(mark.position)"
  }
}
