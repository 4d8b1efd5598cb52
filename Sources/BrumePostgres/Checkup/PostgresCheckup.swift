// What may be wrong with a database, and what to do about it: for `brume doctor`. It changes nothing.

package import BrumeStorage

/// Looks at one database.
package struct PostgresCheckup {
  /// One thing that was looked at.
  package struct Finding: Equatable, Sendable {
    package let subject: String
    package let isWell: Bool
    /// What was found, and if it is wrong what to do. It never holds a password.
    package let text: String
  }
  /// Ours: milliseconds of an exchange, above which a server far away is supposed.
  private static let slowExchange: Int64 = 5

  private let connection: Connection
  private let now: () -> Int64
  private let nanoseconds: () -> Int64

  /// - Parameters:
  ///   - now: the time of this machine, in milliseconds.
  ///   - nanoseconds: a clock that only rises.
  /// - Throws: `StoreError` if there is no connection.
  package init(
    url: String, now: @escaping () -> Int64, nanoseconds: @escaping () -> Int64
  ) throws(StoreError) {
    let settings = try ConnectionSettings(url)
    do throws(ServerError) {
      connection = try Connection(settings)
    } catch {
      let advice =
        error.advice ?? error.nextStep
        ?? "check that the server runs, its address, the role and its password, and 'pg_hba.conf'"
      throw StoreError(.unreachable, "no connection: \(error); \(advice)")
    }
    self.now = now
    self.nanoseconds = nanoseconds
  }

  /// All that was looked at, well or not.
  ///
  /// - Throws: if the database does not answer.
  package func findings() throws(StoreError) -> [Finding] {
    do throws(ServerError) {
      return [
        version, try encoding(), try durability(), try checksums(), try tables(), try rights(),
        try connections(), try clock(), try exchange(),
      ]
    } catch {
      throw error.storeError
    }
  }

  /// Which store it is, as `storeID` of a server's transaction says it; nil: no server has begun with it.
  ///
  /// - Throws: if the database does not answer, or has no tables.
  package func storeID() throws(StoreError) -> String? {
    do throws(ServerError) {
      try connection.send(Self.findStoreID, [.text(SettingKey.secret.text)])
      return try connection.exchange().first?.first.map { $0.text(0) }
    } catch {
      throw error.storeError
    }
  }

  private var version: Finding {
    let version = connection.serverVersion / 10_000
    let isWell = connection.serverVersion >= Opening.oldest
    return Finding(
      subject: "version", isWell: isWell,
      text: "PostgreSQL \(version)" + (isWell ? "" : " is too old; use 15 or newer"))
  }

  private func encoding() throws(ServerError) -> Finding {
    let encoding = try Encoding(connection)
    let wrong = encoding.concern
    return Finding(subject: "encoding", isWell: wrong == nil, text: wrong ?? encoding.name)
  }

  private func durability() throws(ServerError) -> Finding {
    let durability = try Durability(connection)
    var wrong: [String] = []
    if !durability.off.isEmpty {
      wrong.append(
        "\(durability.off.joined(separator: ", ")) off: saves would be confirmed that a loss of power takes back; "
          + "turn on in postgresql.conf")
    }
    if durability.isAheadOfStandby {
      wrong.append(
        "synchronous_commit local, beside synchronous_standby_names: saves would be confirmed that a failover "
          + "takes back; set it to on")
    }
    return Finding(
      subject: "durability", isWell: wrong.isEmpty,
      text: wrong.isEmpty ? "what is confirmed is on disk" : wrong.joined(separator: "; "))
  }

  /// Ours cover records and the log only. It is no mistake to run without: who rents a database may have no say.
  private func checksums() throws(ServerError) -> Finding {
    let isOn = try rows(Self.dataChecksums).first?.text(0) == "on"
    return Finding(
      subject: "checksums", isWell: true,
      text: isOn
        ? "PostgreSQL's data_checksums are on"
        : "PostgreSQL's data_checksums are off: what a disk changes would be noticed in records and the log only; stop "
          + "PostgreSQL and run 'pg_checksums --enable' (docs/operating/postgresql.md)")
  }

  private func tables() throws(ServerError) -> Finding {
    func finding(_ isWell: Bool, _ text: String) -> Finding {
      Finding(subject: "tables", isWell: isWell, text: text)
    }
    let known = Migrations.all.count
    let place = try rows(Migrations.place).first
    guard place?.isTrue(0) == false else {
      return finding(false, "the first schema of the search path is missing; create it")
    }
    guard place?.isTrue(2) == false else { return finding(false, Migrations.isElsewhere) }
    guard place?.isTrue(1) == false else {
      return finding(true, "none yet; the first 'brume serve' makes them")
    }
    let version = Int(try rows(Self.tablesVersion).first?.integer(0) ?? 0)
    if version > known {
      return finding(
        false, "of version \(version), and this program knows \(known); use the newer program")
    }
    guard try rows(PostgresMoving.findNote).isEmpty else {
      return finding(false, "an unfinished migration or restore; finish it with the same command")
    }
    let next = version < known ? "; the next 'brume serve' brings them to \(known)" : ""
    return finding(true, "of version \(version)\(next)")
  }

  private func rights() throws(ServerError) -> Finding {
    let missing = try rows(Self.missingRights).map { $0.text(0) }
    return Finding(
      subject: "rights", isWell: missing.isEmpty,
      text: missing.isEmpty
        ? "the role may make, read and write tables"
        : "the role lacks \(missing.prefix(3).joined(separator: ", "))"
          + (missing.count > 3 ? " and \(missing.count - 3) more" : "")
          + "; grant them, or make it the owner of the database")
  }

  private func connections() throws(ServerError) -> Finding {
    let most = Int(try rows(Self.mostConnections).first?.integer(0) ?? 0)
    let servers = try presentServers()
    let needed =
      "a server takes \(PostgresStore.connections), and a backup one more"
      + (servers > 1 ? "; there are \(servers) servers now" : "")
    let isWell = most > PostgresStore.connections * max(1, servers)
    return Finding(
      subject: "connections", isWell: isWell,
      text: isWell
        ? "up to \(most); \(needed)"
        : "\(most) at most; \(needed): raise max_connections, or the CONNECTION LIMIT of the role or the database"
    )
  }

  /// How many servers use the database now; none before there are tables.
  private func presentServers() throws(ServerError) -> Int {
    guard try rows(Self.hasNodes).first?.isTrue(0) == true else { return 0 }
    return Int(try rows(LeaseRound.countNodes).first?.integer(0) ?? 0)
  }

  private func clock() throws(ServerError) -> Finding {
    let before = now()
    let theirs = try DatabaseClock.shown(on: connection)
    let after = now()
    // Within the exchange nobody knows.
    let difference = theirs < before ? theirs - before : max(0, theirs - after)
    let isWell = abs(difference) <= SharedTime.tolerance
    return Finding(
      subject: "clock", isWell: isWell,
      text: "\(difference) ms from this machine's"
        + (isWell
          ? ""
          : "; servers go by the database's, so let both machines set their clocks by the network (NTP)")
    )
  }

  /// The shortest of several: the others waited for something else.
  private func exchange() throws(ServerError) -> Finding {
    var shortest = Int64.max
    for _ in 0..<Self.exchanges {
      let before = nanoseconds()
      _ = try rows(Self.nothing)
      shortest = min(shortest, nanoseconds() - before)
    }
    let isWell = shortest / 1_000_000 < Self.slowExchange
    return Finding(
      subject: "distance", isWell: isWell,
      text: "an exchange takes \(shortest / 1000) µs"
        + (isWell ? "" : "; run server and database near each other, a save takes several"))
  }

  private func rows(_ sql: SQL) throws(ServerError) -> [Row] {
    try connection.send(sql)
    return try connection.exchange().first?.map { $0 } ?? []
  }
}

// MARK: Statements

extension PostgresCheckup {
  private static let exchanges = 20
  /// A limit of -1 is none.
  private static let mostConnections = SQL(
    """
    SELECT least(
      current_setting('max_connections')::bigint - current_setting('superuser_reserved_connections')::bigint,
      (SELECT nullif(rolconnlimit, -1) FROM pg_roles WHERE rolname = current_user),
      (SELECT nullif(datconnlimit, -1) FROM pg_database WHERE datname = current_database()))
    """)
  private static let hasNodes = SQL("SELECT to_regclass('nodes') IS NOT NULL")
  private static let tablesVersion = SQL("SELECT version FROM store")
  /// As texts, such as "UPDATE on records".
  private static let missingRights = SQL(
    """
    SELECT 'CREATE on schema ' || current_schema()
      WHERE NOT has_schema_privilege(current_schema(), 'CREATE')
    UNION ALL
    SELECT what || ' on ' || tablename FROM pg_tables,
      unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS what
    WHERE schemaname = current_schema()
      AND NOT has_table_privilege(format('%I.%I', schemaname, tablename), what)
    UNION ALL
    SELECT 'USAGE on sequence ' || sequencename FROM pg_sequences
    WHERE schemaname = current_schema()
      AND NOT has_sequence_privilege(format('%I.%I', schemaname, sequencename), 'USAGE')
    """)
  /// What seals tokens does not leave the database.
  private static let findStoreID = SQL(
    """
    SELECT left(encode(sha256('brume-store-id'::bytea || value), 'hex'), 16) FROM settings
    WHERE bucket = -1 AND name = $1
    """)
  private static let dataChecksums = SQL("SELECT current_setting('data_checksums')")
  private static let nothing = SQL("SELECT 1")
}
