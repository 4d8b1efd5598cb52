// What an engine does so that its store can be moved to another engine, and another's to it, or be backed up. One
// thread does all of it. No server runs during a move; a backup reads one state while a server goes on. Who leads
// through them are BrumeCore's `StoreMove` and `BackupWriter`.

package import BrumeModel

/// A store that is read from its first row to its last.
///
/// Every call throws `StoreError`; one with `corrupt` names table and key of a row that cannot be read.
package protocol StoreExport: AnyObject {
  /// How an operator calls the engine.
  var engineName: String { get }
  /// Into how many buckets the store is divided.
  var bucketCount: Int { get }
  /// What is known of the store; asked for before its rows.
  func outline() throws -> StoreOutline
  /// Where all entries of the log are, by bucket and position.
  func logPlaces() throws -> [LogPlace]
  /// All rows of a table, in the order of their keys. It ends the reading before it.
  func rows(of table: MovedTable) throws -> any MovedRows
}

/// Rows that are read one after the other.
package protocol MovedRows: AnyObject {
  /// The next row; nil after the last, or once another table is read.
  ///
  /// - Throws: `StoreError`, with `corrupt` for a row that is damaged.
  func next() throws -> MovedRow?
}

/// A store that is filled.
///
/// What a call throws leaves the store with its note, so that no server takes it for whole.
package protocol StoreImport: StoreExport {
  /// How far an unfinished move into this store has come. A server refuses a store with a note.
  func note() throws -> String?
  /// Makes ready for rows of the source, and writes the first note.
  func prepare(_ source: StoreOutline, note: String) throws
  /// Takes up a move that was interrupted.
  func resume(_ source: StoreOutline) throws
  /// Adds rows of one table and replaces the note, in one transaction.
  func put(_ rows: [MovedRow], note: String) throws
  /// Writes what belongs to no row, and removes the note, in one transaction.
  func finish(_ ending: MoveEnding) throws
}

/// What is known of a store before its rows.
package struct StoreOutline: Sendable {
  /// Which store it is, and in which state: another text as soon as a server has run on it.
  package let identity: String
  /// Every new sequence is above it.
  package let sequenceFloor: Int64
  /// None above it was ever given to something that waits in a mailbox or is kept.
  package let lastDelivery: Int64
  /// The notifier's cursors as they are saved.
  package let cursors: [Bucket: [UInt8]]

  package init(
    identity: String, sequenceFloor: Int64, lastDelivery: Int64, cursors: [Bucket: [UInt8]]
  ) {
    self.identity = identity
    self.sequenceFloor = sequenceFloor
    self.lastDelivery = lastDelivery
    self.cursors = cursors
  }
}

/// Where an entry of the log is.
package struct LogPlace: Sendable {
  /// As the store that has it is divided.
  package let bucket: Bucket
  package let position: Int64
  package let database: DatabaseKey
  /// When the change was made.
  package let time: Milliseconds

  package init(bucket: Bucket, position: Int64, database: DatabaseKey, time: Milliseconds) {
    self.bucket = bucket
    self.position = position
    self.database = database
    self.time = time
  }

  /// - Parameter database: container, environment, owner, as engines keep them.
  /// - Throws: `StoreError` with `corrupt` if there is no such environment.
  package init(
    bucket: Int64, position: Int64, in database: (String, String, String), time: Milliseconds
  ) throws {
    let (container, environment, owner) = database
    guard let environment = Environment(rawValue: environment) else {
      throw StoreError(
        .corrupt, "table log, bucket \(bucket), position \(position): its environment is unknown")
    }
    let containerEnvironment = ContainerEnvironment(ContainerID(container), environment)
    self.init(
      bucket: Bucket(Int(bucket)), position: position,
      database: DatabaseKey(in: containerEnvironment, ownerColumn: owner), time: time)
  }
}

/// What ends a move.
package struct MoveEnding: Sendable {
  /// Every new sequence will be above it.
  package let sequenceFloor: Int64
  /// The notifier's cursors, in the form in which settings keep them.
  package let cursors: [Bucket: [UInt8]]
  /// Why the generation is to be raised, for `SettingKey.copiedBack`.
  package let reason: String

  package init(sequenceFloor: Int64, cursors: [Bucket: [UInt8]], reason: String) {
    self.sequenceFloor = sequenceFloor
    self.cursors = cursors
    self.reason = reason
  }
}
