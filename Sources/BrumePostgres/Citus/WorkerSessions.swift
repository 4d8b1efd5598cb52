// Sessions at workers of Citus that processes have left which are gone or sleep: they hold locks.

import BrumeStorage

enum WorkerSessions {
  /// Ends sessions of processes that have not said for some time that they are there, as each `LeaseRound` does on the
  /// server that it is connected to.
  static func endSleepers(_ coordinator: Connection) throws(ServerError) {
    try coordinator.send(endSleepers)
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
}
