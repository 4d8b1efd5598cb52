// Rows that vouch for commits, of processes that are gone. At each start: a row of one that is there is what shows that a
// commit was lost, and one that sleeps or is cut off is not seen. So a row goes only with all others of its process, when that
// wrote nothing for long.

import BrumeStorage

enum OldWriterRows {
  static func remove(on connection: Connection) throws(ServerError) {
    try connection.send(findProcesses)
    try connection.send(findRecent)
    let processes = try connection.exchange().flatMap { rows in rows.map { $0.text(0) } }
    try connection.send(removeOld, [.texts(processes)])
    _ = try connection.exchange()
  }

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
