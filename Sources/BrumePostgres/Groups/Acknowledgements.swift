// The last commit of each writing connection whose answer came: what the database must have. One that has not
// was restored from a copy, or is a standby that had not received everything, and nothing is read or written
// there any more by who knows better.

import BrumeStorage
import Synchronization

final class Acknowledgements: Sendable {
  private struct State {
    var commits: [String: Int64] = [:]
    var isBroken = false
  }
  private let state = Mutex(State())

  /// - Parameter writer: the name of a connection's row.
  func note(_ writer: String, _ commit: Int64) {
    state.withLock { $0.commits[writer] = commit }
  }

  /// - Throws: `StoreError` with `unavailable` if acknowledged commits were found missing.
  func check() throws(StoreError) {
    if state.withLock({ $0.isBroken }) { throw Self.lost }
  }

  /// Looks for all of them. Every new connection does, before it is used. If some are missing, the database
  /// notes it as SQLite does with a file that was copied back: the next start raises the generation.
  func check(on connection: Connection) throws {
    try check()
    let commits = state.withLock { $0.commits }
    if commits.isEmpty { return }
    try connection.send(Self.find, [.texts(commits.keys)])
    let rows = try connection.exchange().first?.map { ($0.text(0), $0.integer(1)) } ?? []
    let found = Dictionary(rows) { $1 }
    if commits.allSatisfy({ found[$0.key, default: 0] >= $0.value }) { return }
    state.withLock { $0.isBroken = true }
    try connection.send(Self.noteLoss, [.text(SettingKey.copiedBack.text), .bytes(Self.finding)])
    _ = try connection.exchange()
    throw Self.lost
  }

  private static let lost = StoreError(
    .unavailable,
    "the database has lost commits that were acknowledged, as when a standby took over that was not "
      + "synchronous, or an older copy was restored")
  private static let finding = Array("a process missed commits that it had acknowledged".utf8)
  private static let find = SQL(
    "SELECT name, last_commit FROM writers WHERE name = ANY ($1::text[])")
  private static let noteLoss = SQL(
    """
    INSERT INTO settings (bucket, name, value) VALUES (-1, $1, $2)
    ON CONFLICT (bucket, name) DO UPDATE SET value = excluded.value
    """)
}
