// The sequences of databases in SQLite. They are counted in memory; each is on disk with the zone that it was
// given to. The database's own row is written only for a sequence that no zone has, so that a save changes
// one page less.

import BrumeModel
import BrumeStorage

final class SQLiteSequences: SequenceWriting, Remembering {
  private let connection: Connection
  private let numbers: DatabaseNumbers
  /// By the database's number.
  private var lasts: [Int64: Int64] = [:]
  /// Databases whose last one no row holds yet.
  private var unwritten: Set<Int64> = []
  /// Every new sequence is above it.
  private var floor: Int64?

  init(_ connection: Connection, _ numbers: DatabaseNumbers) {
    self.connection = connection
    self.numbers = numbers
  }

  func last(in database: DatabaseKey) throws -> Int64 {
    guard let number = try numbers.number(of: database) else { return 0 }
    return try last(of: number)
  }

  func next(in database: DatabaseKey) throws -> Int64 {
    let number = try numbers.givenNumber(of: database)
    let next = max(try last(of: number), try knownFloor()) + 1
    lasts[number] = next
    unwritten.insert(number)
    return next
  }

  /// A row of a zone holds this sequence.
  func isWritten(_ sequence: Int64, withZoneOf database: Int64) {
    if sequence >= lasts[database] ?? 0 { unwritten.remove(database) }
  }

  func raise(above floor: Int64) throws {
    guard try knownFloor() < floor else { return }
    try connection.run(SQLiteSettings.put) {
      $0.bind(1, Self.floorName)
      $0.bind(2, String(floor))
    }
    self.floor = floor
  }

  private func knownFloor() throws -> Int64 {
    if let floor { return floor }
    let found = try connection.first(SQLiteSettings.find, { $0.bind(1, Self.floorName) }) { row in
      guard row.bool(1), let floor = Int64(row.text(0)) else {
        throw connection.damage(.settings, Self.floorName, "the floor of all sequences")
      }
      return floor
    }
    floor = found ?? 0
    return found ?? 0
  }

  private func last(of number: Int64) throws -> Int64 {
    if let known = lasts[number] { return known }
    let last = try connection.first(Self.findSequence, { $0.bind(1, number) }) { row in
      // One that is too small would be given twice.
      let isDamaged = connection.noteDamage(row, .sequences, at: 1)
      if connection.noteDamage(row, .zones, at: 2) || isDamaged {
        throw BrumeError.damaged("the order of changes in this database")
      }
      return row.int(0)
    }
    lasts[number] = last ?? 0
    return last ?? 0
  }

  func bodyBegins() { if lasts.count > Remembered.limit { forget() } }

  func bodyEnds() throws {
    for database in unwritten {
      try connection.run(Self.setSequence) {
        $0.bind(1, lasts[database] ?? 0)
        $0.bind(2, database)
      }
    }
    unwritten = []
  }

  /// Those that were given must be given again.
  func bodyFailed() { if !unwritten.isEmpty { forget() } }

  func forget() { (lasts, unwritten, floor) = ([:], [], nil) }

  /// Whose row it is was compared when its number was looked for.
  private static let setSequence = SQL(
    """
    UPDATE databases SET sequence = ?1,
      sequence_checksum = row_sum(container, environment, owner, ?1)
    WHERE id = ?2
    """)
  static let floorName = "sequence-floor"
  private static let findSequence = SQL(
    """
    SELECT max(d.sequence, ifnull(z.last, 0)), \(SummedTable.sequences.damage("d")), z.damage
    FROM databases d, (SELECT max(last_sequence) AS last, max(\(SummedTable.zones.damage)) AS damage
      FROM zones WHERE database = ?1) z
    WHERE d.id = ?1
    """)
}
