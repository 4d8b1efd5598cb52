// What is left of processes that are gone or sleep: sessions that hold locks at workers of Citus, and rows that vouch for
// commits.

import BrumeStorage

enum WorkerSessions {
  /// Ends sessions of processes that have not said for some time that they are there, as each `LeaseRound` does on the
  /// server that it is connected to.
  static func endSleepers(_ coordinator: Connection) throws(ServerError) {
    try coordinator.send(endSleepers)
    _ = try coordinator.exchange()
  }

  /// Removes what processes have left that are gone, and wrote nothing for long. At each start: a row of one that is there
  /// is what shows that a commit was lost, and one that sleeps or is cut off is not seen.
  static func removeOldCommits(_ coordinator: Connection) throws(ServerError) {
    try coordinator.send(findProcesses)
    try coordinator.send(findRecent)
    let processes = try coordinator.exchange().flatMap { rows in rows.map { $0.text(0) } }
    try coordinator.send(removeOld, [.texts(processes)])
    _ = try coordinator.exchange()
  }

  private static let endSleepers = SQL(
    """
    SELECT count(*) FROM nodes, LATERAL run_command_on_workers(format(
      $$SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE starts_with(application_name, %L) AND usename = current_user
          AND xact_start < now() - interval '\(ConnectionSettings.longestSilence) seconds'$$,
      '\(WriterRow.application)' || name || '.'))
    WHERE seen < now() - interval '\(LeaseRound.presence) seconds'
    """)
  private static let findProcesses = SQL("SELECT name FROM nodes")
  private static let findRecent = SQL(
    "SELECT DISTINCT split_part(name, '.', 1) FROM writers WHERE NOT \(isOld)",
    onCitus: "SELECT DISTINCT split_part(writer, '.', 1) FROM commits WHERE NOT \(isOld)")
  private static let isOld = "made < now() - interval '30 days'"
  private static let removeOld = SQL(
    "DELETE FROM writers WHERE \(isOld) AND split_part(name, '.', 1) <> ALL ($1::text[])",
    onCitus:
      "DELETE FROM commits WHERE \(isOld) AND split_part(writer, '.', 1) <> ALL ($1::text[])")
}
