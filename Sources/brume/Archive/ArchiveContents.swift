// What is in an export that goes by in pieces: its lines are counted by how they begin, and none is kept.

/// What an export has in it, as far as it has come.
struct ArchiveContents {
  private(set) var zones: Int64 = 0
  private(set) var records: Int64 = 0
  private(set) var files: Int64 = 0
  /// Whether the line has come that ends an export.
  private(set) var isWhole = false
  /// How the line begins that is not at its end yet.
  private var beginning: [UInt8] = []
  /// Ours: the longest of the beginnings below.
  private static let beginningBytes = 10

  /// Counts what is at its end with a piece, wherever the piece was cut.
  mutating func add(_ piece: ArraySlice<UInt8>) {
    var rest = piece
    while !rest.isEmpty {
      let end = rest.firstIndex(of: UInt8(ascii: "\n"))
      let line = rest[..<(end ?? rest.endIndex)]
      beginning += line.prefix(Self.beginningBytes - beginning.count)
      guard let end else { return }
      count()
      rest = rest[(end + 1)...]
    }
  }

  private mutating func count() {
    let begins = String(decoding: beginning, as: UTF8.self)
    beginning = []
    if begins == "{\"record\":" {
      records += 1
    } else if begins.hasPrefix("{\"zone\":") {
      zones += 1
    } else if begins.hasPrefix("{\"file\":") {
      files += 1
    } else if begins.hasPrefix("{\"end\":") {
      isWhole = true
    }
  }
}
