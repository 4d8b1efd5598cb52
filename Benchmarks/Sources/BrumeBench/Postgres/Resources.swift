// What a server and its database have used of the machine.

import Foundation

struct Resources {
  let server: Server
  let store: Store

  enum Store {
    /// With the file of the records.
    case sqlite(folder: String)
    /// With the schema of the store.
    case postgres(PostgresServer, schema: String)
  }

  struct Used {
    var spent = Spent()
    /// Bytes that the store has grown by.
    var kept = 0.0
    /// Bytes that were written to the disk, or to the write-ahead log of PostgreSQL.
    var written = 0.0
    var kilobytes = 0

    static func - (a: Used, b: Used) -> Used {
      Used(
        spent: a.spent - b.spent, kept: a.kept - b.kept, written: a.written - b.written,
        kilobytes: a.kilobytes - b.kilobytes)
    }

    func text(each count: Double) -> String {
      String(
        format: "kept %.2f KB, written %.2f KB, memory %.2f KB", kept / count / 1024,
        written / count / 1024, Double(kilobytes) / count)
    }
  }

  func used() throws -> Used {
    var used = Used(spent: Spent(servers: 0), kilobytes: residentKilobytes)
    used.spent.servers = ProcessorTime.of(server.processIdentifier)
    used.spent.clients = ProcessorTime.own
    switch store {
    case .sqlite(let folder):
      used.kept = Self.size(of: folder + "/brume.sqlite")
      used.written = writtenBytes
    case .postgres(let postgres, let schema):
      used.spent.database = try postgres.processorTime()
      let connection = try RawConnection(postgres.url)
      used.kept = Double(try connection.text(Self.sizeOfTables(schema))) ?? 0
      used.written =
        Double(try connection.text("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn")) ?? 0
    }
    return used
  }

  var residentKilobytes: Int { Server.residentKilobytes(server.processIdentifier) }

  private static func size(of file: String) -> Double {
    let found = try? FileManager.default.attributesOfItem(atPath: file)
    return (found?[.size] as? NSNumber)?.doubleValue ?? 0
  }

  private static func sizeOfTables(_ schema: String) -> String {
    """
    SELECT sum(pg_total_relation_size(oid)) FROM pg_class
    WHERE relkind = 'r' AND relnamespace = '\(schema)'::regnamespace
    """
  }

  /// As Linux counts what the server had written to the disk.
  private var writtenBytes: Double {
    let path = "/proc/\(server.processIdentifier)/io"
    let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("write_bytes:") }
    return line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
  }
}
