// The sequences of databases. Under the lock of the database's bucket nobody else counts.

import BrumeModel
import BrumeStorage

final class PostgresSequences: SequenceWriting, Remembering {
  private let session: Session
  private let places: Places
  private var lasts: [DatabaseKey: Int64] = [:]

  init(_ session: Session, _ places: Places) {
    self.session = session
    self.places = places
  }

  func last(in database: DatabaseKey) throws -> Int64 {
    if let known = lasts[database] { return known }
    guard let number = try places.number(of: database) else { return 0 }
    let last = try session.first(Self.find, values(database, number)) { $0.integer(0) } ?? 0
    lasts[database] = last
    return last
  }

  func next(in database: DatabaseKey) throws -> Int64 {
    let number = try places.givenNumber(of: database)
    let next = try last(in: database) + 1
    lasts[database] = next
    places.put(database, number, sequence: next)
    return next
  }

  func raise(above floor: Int64) throws {
    let current = try session.first(Places.findFloor) { $0.integer(0) } ?? 0
    guard current < floor else { return }
    session.run(Self.setFloor, [.integer(floor)])
    session.run(Self.raise, [.integer(floor)])
    lasts = [:]
  }

  func question(_ database: DatabaseKey) throws -> Question? {
    guard let number = try places.number(of: database) else { return nil }
    return Question(Self.find, values(database, number)) { [self] rows in
      lasts[database] = rows.first?.integer(0) ?? 0
    }
  }

  func forget() { lasts = [:] }

  private func values(_ database: DatabaseKey, _ number: Int64) -> [SQLValue] {
    [places.bucketValue(of: database), .integer(number)]
  }

  private static let find = SQL("SELECT sequence FROM databases WHERE bucket = $1 AND id = $2")
  private static let setFloor = SQL("UPDATE store SET sequence_floor = $1")
  private static let raise = SQL("UPDATE databases SET sequence = $1 WHERE sequence < $1")
}
