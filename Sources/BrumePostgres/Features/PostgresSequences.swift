// The sequences of databases. Under the lock of the database's bucket nobody else counts; a transaction that
// does not have it takes it.

import BrumeModel
import BrumeStorage

final class PostgresSequences: SequenceWriting, Remembering {
  private let session: Session
  private let places: Places
  private let locks: Locks
  private let acknowledgements: Acknowledgements
  /// The last sequence given, and what every new one is above.
  private typealias Counter = (last: Int64, floor: Int64)
  private var counters: [DatabaseKey: Counter] = [:]
  /// What all sequences are above when the transaction is committed, as the running body and those before it have said.
  private var floor: (running: Int64?, accepted: Int64?)

  init(
    _ session: Session, _ places: Places, _ locks: Locks, _ acknowledgements: Acknowledgements
  ) {
    self.session = session
    self.places = places
    self.locks = locks
    self.acknowledgements = acknowledgements
  }

  func last(in database: DatabaseKey) throws -> Int64 {
    guard let number = try places.number(of: database) else { return 0 }
    // A reader may see the store as it was before the row was made, and know its number by another transaction.
    return try counter(database, number)?.last ?? 0
  }

  func next(in database: DatabaseKey) throws -> Int64 {
    // What was counted before the lock may have gone on.
    if try locks.take(.saves, in: places.bucket(of: database)) { counters = [:] }
    let number = try places.givenNumber(of: database)
    guard var counter = try self.counter(database, number) else {
      throw noCounter(of: database, number)
    }
    counter.last = max(counter.last, counter.floor) + 1
    counters[database] = counter
    places.put(database, number, sequence: counter.last, floor: counter.floor)
    return counter.last
  }

  /// No save of any bucket may be under way with what it has read before.
  func raise(above floor: Int64) throws {
    let current = try session.first(Self.lockAll) { $0.integer(0) } ?? 0
    guard current < floor else { return }
    acknowledgements.mayRaise(to: floor)
    self.floor.running = floor
    session.run(Self.setFloor, [.integer(floor)])
    // There the floor stands with each database, because what belongs to none is on another server.
    if session.isOnCitus { session.run(Self.raise, [.integer(floor)]) }
    counters = [:]
  }

  /// Nil: it is in no row.
  private func counter(_ database: DatabaseKey, _ number: Int64) throws -> Counter? {
    if let known = counters[database] { return known }
    let counter: Counter? = try session.first(Self.find, places.values(number, in: database)) {
      ($0.integer(0), $0.integer(1))
    }
    counters[database] = counter
    return counter
  }

  /// Without its row nobody knows what was given, and from 0 it would be given a second time.
  private func noCounter(of database: DatabaseKey, _ number: Int64) -> StoreError {
    StoreError(
      .corrupt,
      "the table 'databases' has no row of database \(number) in bucket "
        + "\(places.bucket(of: database).number), whose sequences it counts: nothing is written "
        + "there; restore a backup")
  }

  func question(_ database: DatabaseKey) throws -> Question? {
    guard let number = try places.number(of: database) else { return nil }
    return Question(Self.find, places.values(number, in: database)) { [self] rows in
      counters[database] = rows.first.map { ($0.integer(0), $0.integer(1)) }
    }
  }

  func accept() { floor.accepted = floor.running ?? floor.accepted }

  /// Only now: a commit that fails would leave this server with a floor that no other knows.
  func committed() {
    if let floor = floor.accepted { acknowledgements.note(floor: floor) }
  }

  func forget() {
    counters = [:]
    floor.running = nil
  }

  private static let find = SQL(
    """
    SELECT sequence, greatest(floor, (SELECT sequence_floor FROM store)) FROM databases
    WHERE bucket = $1 AND id = $2
    """,
    onCitus: "SELECT sequence, floor FROM databases WHERE bucket = $1 AND id = $2",
    each: [.integer, .integer])
  private static let lockAll = SQL(
    """
    SELECT sequence_floor FROM store WHERE
      (SELECT count(*) FROM (SELECT 1 FROM buckets ORDER BY bucket FOR UPDATE) AS locked) >= 0
    """,
    onCitus: """
      WITH locked AS (UPDATE buckets SET last = last RETURNING 1)
      SELECT sequence_floor FROM store WHERE (SELECT count(*) FROM locked) >= 0
      """)
  private static let setFloor = SQL("UPDATE store SET sequence_floor = $1")
  private static let raise = SQL("UPDATE databases SET floor = $1 WHERE floor < $1")
}
