// A server's own note of how far the database had come when it last looked, kept where no copy of the database is brought
// back. The next start compares: PostgreSQL itself does not say that it was restored.

import BrumeModel
import BrumeStorage
import Logging
import Synchronization

/// Where a server keeps its note between two starts.
package struct KeptMark: Sendable {
  let read: @Sendable () throws -> [UInt8]?
  let write: @Sendable ([UInt8]) throws -> Void

  /// - Parameters:
  ///   - read: what was written last; nil: nothing was.
  ///   - write: replaces that, all at once.
  package init(
    read: @escaping @Sendable () throws -> [UInt8]?,
    write: @escaping @Sendable ([UInt8]) throws -> Void
  ) {
    self.read = read
    self.write = write
  }
}

final class DatabaseMark: Sendable {
  private let kept: KeptMark
  private let logger: Logger
  private struct State {
    /// Nil: the database has not said yet which store it is.
    var store: String?
    var written: DatabaseProgress?
    var hasFailed = false
  }
  private let state = Mutex(State())

  init(_ kept: KeptMark, logger: Logger) {
    self.kept = kept
    self.logger = logger
  }

  /// Whether the database has less than it had when this server last looked.
  ///
  /// - Parameter floor: what all new sequences are above.
  func isAhead(of connection: Connection, floor: Int64) throws -> Bool {
    guard let bytes = try? kept.read(),
      let mark = DatabaseProgress(text: String(decoding: bytes, as: UTF8.self)),
      let store = try store(connection)
    else { return false }
    try connection.send(PostgresLog.findAllLast)
    let positions = try connection.exchange()[0].map { ($0.integer(0), $0.integer(1)) }
    let now = DatabaseProgress(
      store: store, floor: floor, positions: Dictionary(uniqueKeysWithValues: positions))
    return now.isBehind(mark)
  }

  /// Notes what the database has. Called by one thread.
  func note(floor: Int64, _ positions: [Int64: Int64], on connection: Connection) throws {
    guard let store = try store(connection) else { return }
    let now = DatabaseProgress(store: store, floor: floor, positions: positions)
    guard state.withLock({ $0.written }) != now else { return }
    do {
      try kept.write(Array(now.text.utf8))
      state.withLock { $0.written = now }
    } catch {
      guard !state.withLock({ exchange(&$0.hasFailed, with: true) }) else { return }
      logger.warning(
        "a mark cannot be written; a database that is brought back from a copy may go unnoticed",
        metadata: ["error.message": "\(error)"])
    }
  }

  /// Which store it is. Nil before its first server has begun.
  private func store(_ connection: Connection) throws -> String? {
    if let store = state.withLock({ $0.store }) { return store }
    try connection.send(Self.findStore, [.text(SettingKey.secret.text)])
    let store = try connection.exchange()[0].first.map { $0.text(0) }
    state.withLock { $0.store = store }
    return store
  }

  /// The secret is made with the store and goes with it; what seals tokens does not leave the database.
  private static let findStore = SQL(
    "SELECT md5(value) FROM settings WHERE bucket = -1 AND name = $1")
}
