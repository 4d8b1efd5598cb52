// How this process connects: what libpq reads from the URL, with settings of our own where it says nothing.

import BrumeStorage
import CPostgres

struct ConnectionSettings: Sendable {
  private let url: String
  private var isLocal: Bool
  /// Nil: the server that the URL names.
  private(set) var worker: Worker?
  /// Ours: milliseconds after which an answer does not come any more. Longer than any statement may take, and shorter
  /// than a request may: who asked is answered what is wrong.
  var answerTimeout: Int32 = 35_000

  /// - Throws: `StoreError` if libpq is not there, or cannot read the URL. The message never holds it: it may
  ///   hold a password.
  init(_ url: String) throws(StoreError) {
    if let problem = brume_postgres_problem() {
      throw StoreError(.unreachable, String(cString: problem))
    }
    self.url = url
    isLocal = try DatabaseURL(url).hosts.allSatisfy(Self.isLocal)
  }

  /// The same database at a worker of Citus: with the URL's role, names and files, and the worker's address.
  func at(_ worker: Worker) -> Self {
    var settings = self
    settings.worker = worker
    settings.isLocal = Self.isLocal(worker.host[...])
    return settings
  }

  /// What a URL says with `hostaddr` cannot be taken back.
  var canReachWorkers: Bool { !url.contains("hostaddr=") }

  /// A socket in a folder, or this machine by name or address.
  private static func isLocal(_ host: Substring) -> Bool {
    host.isEmpty || host.hasPrefix("/") || host.hasPrefix("127.")
      || ["localhost", "::1"].contains(host)
  }

  /// Keywords and values as libpq takes them: what comes later counts, and the URL comes last.
  var parameters: [(keyword: String, value: String)] {
    [
      ("application_name", "brume"), ("connect_timeout", "5"), ("tcp_user_timeout", "10000"),
      ("keepalives_idle", "5"), ("keepalives_interval", "2"), ("keepalives_count", "3"),
      ("target_session_attrs", "read-write"),
      // Over a network nobody else may answer in the server's name.
      ("sslmode", isLocal ? "prefer" : "verify-full"), ("client_encoding", "UTF8"),
      ("dbname", url),
    ] + (worker.map { [("host", $0.host), ("port", "\($0.port)")] } ?? [])
  }

  /// Ours: seconds that a client may be silent in the middle of a transaction: half of a lease.
  static let longestSilence = 5

  static let plansOnCitus = "force_custom_plan"

  /// Settings of each session. Statements are small and their plans known: the planner must not turn a
  /// look-up into a scan when its statistics are old. Nothing waits for ever; a session whose client is
  /// gone, or sleeps in the middle of a transaction, leaves its locks sooner than its leases lapse. Citus asks the
  /// worker that has a bucket, and must know the bucket when it plans. A session waits for the disk as it did when it was
  /// looked at, whatever the server is set to meanwhile.
  static let session = SQL(
    """
    SELECT set_config(name, value, false) FROM (VALUES
      ('jit', 'off'), ('enable_seqscan', 'off'), ('enable_bitmapscan', 'off'),
      ('enable_hashjoin', 'off'), ('enable_mergejoin', 'off'),
      ('plan_cache_mode', CASE WHEN to_regproc('citus_version') IS NOT NULL
        THEN '\(plansOnCitus)' ELSE 'force_generic_plan' END),
      ('statement_timeout', '30s'), ('idle_in_transaction_session_timeout', '\(longestSilence)s'),
      ('client_connection_check_interval', '2s'), ('tcp_user_timeout', '10s'),
      ('tcp_keepalives_idle', '5'), ('tcp_keepalives_interval', '2'), ('tcp_keepalives_count', '3'),
      ('default_transaction_isolation', 'read committed'),
      ('synchronous_commit', current_setting('synchronous_commit')),
      ('deadlock_timeout', '200ms')) AS settings (name, value)
    WHERE name <> 'deadlock_timeout' OR current_setting('is_superuser') = 'on'
    """)
}
