// Whether PostgreSQL keeps what it confirms: the same answer for a start, for each connection that writes, and for
// `brume doctor`.

import BrumeStorage

struct Durability {
  /// Settings that let a loss of power take back what was confirmed.
  let off: [String]
  /// Commits do not wait for the standby that the server is given to wait for: with the server goes what was confirmed.
  let isAheadOfStandby: Bool

  init(_ connection: Connection) throws(ServerError) {
    try connection.send(Self.unsafe)
    let found = try connection.exchange().first?.map { (name: $0.text(0), value: $0.text(1)) } ?? []
    off = found.filter { $0.value == "off" }.map(\.name)
    isAheadOfStandby = found.contains { $0.value == "local" }
  }

  /// A server that answers before it has written would lose acknowledged saves with its power.
  ///
  /// - Throws: `StoreError` with `notDurable`, which names the setting.
  func require() throws(StoreError) {
    if let setting = off.first { throw Self.isOff("'\(setting)'") }
    if isAheadOfStandby {
      throw StoreError(
        .notDurable,
        "PostgreSQL's setting 'synchronous_commit' is local, beside synchronous_standby_names: it would confirm "
          + "saves that a failover takes back; set it to on")
    }
  }

  /// Of a server that is set otherwise while this process writes there.
  static let isSetOff = isOff("'fsync' or 'full_page_writes'")

  private static func isOff(_ setting: String) -> StoreError {
    StoreError(
      .notDurable,
      "PostgreSQL's setting \(setting) is off: it would confirm saves that a loss of power takes back; "
        + "turn it on")
  }

  /// As this session has them: a role or a database may have settings of its own.
  private static let unsafe = SQL(
    """
    SELECT name, setting FROM pg_settings
    WHERE name IN ('fsync', 'synchronous_commit', 'full_page_writes') AND setting = 'off'
      OR name = 'synchronous_commit' AND setting = 'local'
        AND current_setting('synchronous_standby_names') <> ''
    ORDER BY name
    """)
}
