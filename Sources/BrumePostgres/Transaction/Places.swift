// Databases and zones as numbers: short keys for their rows. A number, once given, is never taken back, so
// what a process has seen of a committed one stays true.

import BrumeModel
import BrumeStorage
import Synchronization

/// The numbers that this process knows of, for all transactions.
final class PlaceNumbers: Sendable {
  private struct State {
    var databases: [DatabaseKey: Int64] = [:]
    var zones: [ZoneKey: Int64] = [:]
    var free: Range<Int64> = 0..<0
  }
  /// Ours: places that are remembered; beyond it all are forgotten.
  private static let limit = 100_000
  private let state = Mutex(State())

  func number(of database: DatabaseKey) -> Int64? { state.withLock { $0.databases[database] } }
  func number(of zone: ZoneKey) -> Int64? { state.withLock { $0.zones[zone] } }

  /// Remembers numbers that are committed.
  func learn(_ databases: [DatabaseKey: Int64], _ zones: [ZoneKey: Int64]) {
    if databases.isEmpty, zones.isEmpty { return }
    state.withLock { state in
      if state.databases.count + state.zones.count > Self.limit {
        (state.databases, state.zones) = ([:], [:])
      }
      state.databases.merge(databases) { $1 }
      state.zones.merge(zones) { $1 }
    }
  }

  /// A number that nobody has; nil: all are used.
  func new() -> Int64? { state.withLock { $0.free.popFirst() } }

  /// Numbers that nobody else gets, now that the transaction that took them is committed.
  func add(_ block: Range<Int64>) {
    // Who took one at the same time leaves the smaller rest unused.
    state.withLock { if $0.free.count < block.count { $0.free = block } }
  }
}

/// The numbers as one transaction sees them.
final class Places: Remembering {
  let bucketCount: Int
  private let session: Session
  private let numbers: PlaceNumbers
  /// Found or given in this transaction; nil: there is none.
  private var databases: [DatabaseKey: Int64?] = [:]
  private var zones: [ZoneKey: Int64?] = [:]
  /// Those asked for last: a body asks for the same ones for each of its records.
  private var lastBucket: (database: DatabaseKey, bucket: Bucket)?
  private var lastZone: (key: ZoneKey, number: Int64)?
  /// The rest of a block that this transaction took. Until it is committed, a server that dies, or a standby that takes over,
  /// may give the same block again.
  private var block: Range<Int64> = 0..<0

  init(_ session: Session, _ numbers: PlaceNumbers, bucketCount: Int) {
    self.session = session
    self.numbers = numbers
    self.bucketCount = bucketCount
  }

  func bucket(of database: DatabaseKey) -> Bucket {
    if let last = lastBucket, last.database == database { return last.bucket }
    let bucket = Bucket(of: database, among: bucketCount)
    lastBucket = (database, bucket)
    return bucket
  }

  func number(of database: DatabaseKey) throws -> Int64? {
    if let known = numbers.number(of: database) { return known }
    if let known = databases[database] { return known }
    let found = try session.first(Self.findDatabase, values(database)) { $0.integer(0) }
    databases[database] = .some(found)
    return found
  }

  func number(of zone: ZoneKey) throws -> Int64? {
    if let last = lastZone, last.key == zone { return last.number }
    let found = try lookUp(zone)
    if let found { lastZone = (zone, found) }
    return found
  }

  private func lookUp(_ zone: ZoneKey) throws -> Int64? {
    if let known = numbers.number(of: zone) { return known }
    if let known = zones[zone] { return known }
    let found = try session.first(Self.findZone, values(zone)) { $0.integer(0) }
    zones[zone] = .some(found)
    return found
  }

  func givenNumber(of database: DatabaseKey) throws -> Int64 {
    if let known = try number(of: database) { return known }
    let number = try newNumber()
    databases[database] = number
    // Its sequences begin where those of all others have at least come to.
    let floor = try session.first(Self.findFloor) { $0.integer(0) } ?? 0
    put(database, number, sequence: 0, floor: floor)
    return number
  }

  func givenNumber(of zone: ZoneKey) throws -> Int64 {
    if let known = try number(of: zone) { return known }
    let number = try newNumber()
    zones[zone] = number
    try put(zone, number, [.null, .integer(0), .null, .flag(false)])
    return number
  }

  func put(_ database: DatabaseKey, _ number: Int64, sequence: Int64, floor: Int64) {
    session.put(
      values(number, in: database) + database.values + [.integer(sequence), .integer(floor)],
      in: Self.databasesTable)
  }

  /// - Parameter columns: incarnation (NULL: the zone was never put), last sequence, deletion, whether it
  ///   has shares.
  func put(_ zone: ZoneKey, _ number: Int64, _ columns: [SQLValue]) throws {
    let database = try givenNumber(of: zone.database)
    session.put(
      values(number, in: zone.database) + [.integer(database), .text(zone.name)] + columns,
      in: Self.zonesTable)
  }

  /// For whatever needs a number that nothing else has.
  func newNumber() throws -> Int64 {
    if let number = block.popFirst() ?? numbers.new() { return number }
    let first = try session.first(Self.takeBlock) { $0.integer(0) } ?? 0
    block = first + 1..<first + Self.blockSize
    return first
  }

  /// What is to be asked before anything else about places whose numbers nobody here knows.
  func questions(_ wanted: [DatabaseKey], _ wantedZones: [ZoneKey]) -> [Question] {
    let unknownZones = wantedZones.filter { numbers.number(of: $0) == nil && zones[$0] == nil }
    let unknown = wanted.filter { numbers.number(of: $0) == nil && databases[$0] == nil }
    return unknown.map { database in
      Question(Self.findDatabase, values(database)) { [self] rows in
        databases[database] = .some(rows.first?.integer(0))
      }
    }
      + unknownZones.map { zone in
        Question(Self.findZone, values(zone)) { [self] rows in
          zones[zone] = .some(rows.first?.integer(0))
        }
      }
  }

  private func values(_ database: DatabaseKey) -> [SQLValue] {
    [bucketValue(of: database)] + database.values
  }

  /// With which keys of rows begin: the bucket, and the number of a database or of a zone in it.
  func values(_ number: Int64, in database: DatabaseKey) -> [SQLValue] {
    [bucketValue(of: database), .integer(number)]
  }

  func bucketValue(of database: DatabaseKey) -> SQLValue {
    .integer(bucket(of: database).number)
  }

  private func values(_ zone: ZoneKey) -> [SQLValue] { values(zone.database) + [.text(zone.name)] }

  /// The transaction is over and its work is in the store.
  func committed() {
    numbers.learn(databases.compactMapValues { $0 }, zones.compactMapValues { $0 })
    numbers.add(block)
    block = 0..<0
    forget()
  }

  /// The transaction is over and nothing of it is in the store.
  func failed() {
    block = 0..<0
    forget()
  }

  /// Keeps the block: no rollback takes it back while the transaction goes on.
  func forget() { (databases, zones, lastZone) = ([:], [:], nil) }

  /// As the sequence in the database is made.
  static let blockSize: Int64 = 1000
  private static let databasesTable = Table(
    "databases", key: [("bucket", .integer), ("id", .integer)],
    columns: [
      ("container", .text), ("environment", .text), ("owner", .text), ("sequence", .integer),
      ("floor", .integer),
    ], kept: ["container", "environment", "owner"])
  private static let zonesTable = Table(
    "zones", key: [("bucket", .integer), ("id", .integer)],
    columns: [
      ("database", .integer), ("name", .text), ("incarnation", .integer),
      ("last_sequence", .integer), ("deletion", .text), ("has_shares", .integer),
    ], kept: ["database", "name"])
  static let findFloor = SQL("SELECT sequence_floor FROM store")
  private static let takeBlock = SQL("SELECT nextval('place_numbers')")
  private static let findDatabase = SQL(
    """
    SELECT id FROM databases
    WHERE bucket = $1 AND container = $2 AND environment = $3 AND owner = $4
    """)
  private static let findZone = SQL(
    """
    SELECT id FROM zones WHERE bucket = $1 AND name = $5 AND database = (
      SELECT id FROM databases
      WHERE bucket = $1 AND container = $2 AND environment = $3 AND owner = $4)
    """)
}

extension DatabaseKey {
  /// Container, environment, owner, as columns have them.
  var values: [SQLValue] {
    [.text(container.name), .text(environment.rawValue), .text(ownerColumn)]
  }
}

extension ContainerEnvironment {
  /// As two columns have them.
  var values: [SQLValue] { [.text(container.name), .text(environment.rawValue)] }
}

extension Row {
  /// Three columns: container, environment, owner.
  func database(_ column: Int32) throws -> DatabaseKey {
    DatabaseKey(in: try containerEnvironment(column), ownerColumn: text(column + 2))
  }

  /// Two columns.
  func containerEnvironment(_ column: Int32) throws -> ContainerEnvironment {
    ContainerEnvironment(
      ContainerID(text(column)),
      try known(Environment(rawValue: text(column + 1)), "environment"))
  }
}
