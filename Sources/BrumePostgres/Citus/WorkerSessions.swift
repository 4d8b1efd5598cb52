// What is left at workers of processes that are gone or sleep: sessions that hold locks, and rows that vouch for commits.

import BrumeStorage

enum WorkerSessions {
  /// Ends sessions of processes that have not said for some time that they are there, as each `LeaseRound` does on the
  /// server that it is connected to.
  static func endSleepers(_ coordinator: Connection) throws(ServerError) {
    try coordinator.send(endSleepers)
    _ = try coordinator.exchange()
  }

  /// Removes what processes that are gone have left. At each start: a row of one that is there is what shows that a commit
  /// was lost.
  static func removeOldCommits(_ coordinator: Connection) throws(ServerError) {
    guard coordinator.isOnCitus else { return }
    try coordinator.send(findProcesses)
    let processes = try coordinator.exchange()[0].map { $0.text(0) }
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
  private static let removeOld = SQL(
    """
    DELETE FROM commits WHERE made < now() - interval '7 days'
      AND split_part(writer, '.', 1) <> ALL ($1::text[])
    """)
}
