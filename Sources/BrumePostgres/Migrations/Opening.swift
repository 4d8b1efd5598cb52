// What is looked at before a store is used: the server's version, whether it keeps what it confirms, the tables.

import BrumeStorage

struct Opening {
  let bucketCount: Int
  let serverVersion: Int
  /// What all new sequences are above.
  let sequenceFloor: Int64
  /// The oldest server that the tests run on.
  static let oldest = 15_00_00

  /// - Parameters:
  ///   - buckets: into how many buckets a new store is divided.
  ///   - acceptsLoss: whether a server without `fsync` will do.
  init(_ connection: Connection, buckets: Int, acceptsLoss: Bool) throws {
    do {
      serverVersion = connection.serverVersion
      try Self.check(serverVersion: serverVersion)
      let encoding = try Encoding(connection)
      if let wrong = encoding.concern { throw StoreError(.unreachable, wrong) }
      if !acceptsLoss { try Durability(connection).require() }
      try Migrations.run(on: connection, buckets: buckets)
      try connection.send(SQL("SELECT buckets, sequence_floor FROM store"))
      let row = try connection.exchange().first?.first
      bucketCount = Int(row?.integer(0) ?? 0)
      sequenceFloor = row?.integer(1) ?? 0
    } catch let error as ServerError {
      throw error.opening
    }
  }

  static func check(serverVersion: Int) throws(StoreError) {
    guard serverVersion >= oldest else {
      throw StoreError(
        .unreachable,
        "PostgreSQL \(serverVersion / 10_000) is too old; use \(oldest / 10_000) or newer")
    }
  }
}

/// How a database keeps texts.
struct Encoding {
  let name: String

  init(_ connection: Connection) throws(ServerError) {
    try connection.send(SQL("SELECT current_setting('server_encoding')"))
    name = try connection.exchange().first?.first?.text(0) ?? ""
  }

  /// Names are any text, and the database has to take all of it; nil: it does.
  var concern: String? {
    if name == "UTF8" { return nil }
    return "the database's encoding is \(name), which does not have all letters; make one with "
      + "CREATE DATABASE brume ENCODING 'UTF8' TEMPLATE template0"
  }
}

extension ServerError {
  /// As an operator gets it at start.
  var opening: StoreError {
    if code == "25006" {
      return StoreError(
        .unreachable, "the database is read-only, as on a standby; connect to the primary")
    }
    if code == "42501" {
      return StoreError(
        .unreachable,
        "the database refuses to make tables (\(description)); make the role its owner "
          + "(ALTER DATABASE … OWNER TO …), or give it CREATE on the schema")
    }
    if code == "55P03" {
      return StoreError(
        .unreachable,
        "a table that is to be brought to a newer version is in use, as by a backup (\(description)); start again "
          + "when that has ended")
    }
    return storeError
  }
}
