// A PostgreSQL server of the run's own, by the script that starts those of the tests: it ends with us,
// however we end.

import CPostgres
import Foundation

final class PostgresServer {
  /// What `brume serve --store` takes. The server has one database, and one schema for each store.
  let url: String
  let version: String
  let dataFolder: String
  private let script = Process()
  private let input = Pipe()

  /// - Parameters:
  ///   - folder: on the disk that is measured.
  ///   - hasWorkers: whether it is a coordinator of Citus with two workers.
  /// - Throws: `NotMeasured` if this machine has no PostgreSQL, or no Citus.
  init(folder: String, hasWorkers: Bool = false) throws {
    try Self.requireProgram()
    if hasWorkers { try Self.requireCitus() }
    // The script closes all files that it inherits. `Process` takes the end of one of them for the end of the program, and
    // then waits for it, while no other program can be seen to end. So a shell keeps that file open.
    script.executableURL = URL(filePath: "/bin/sh")
    // Everything that a confirmed save needs is on, as Brume asks for it.
    script.arguments =
      ["-c", #""$0" "$@"; exit $?"#, Self.scriptPath] + (hasWorkers ? ["--citus"] : [])
      + ["fsync=on", "shared_buffers=512MB", "max_wal_size=4GB"]
    script.environment = ProcessInfo.processInfo.environment.merging(
      Self.canEnter(folder) ? ["TMPDIR": folder] : [:]
    ) { $1 }
    let output = Pipe()
    script.standardInput = input
    script.standardOutput = output
    try script.run()
    let line = Self.line(of: output.fileHandleForReading)
    guard line.hasPrefix("postgres://") else {
      script.waitUntilExit()
      throw BenchError("scripts/test-postgres ended with \(script.terminationStatus)")
    }
    url = line
    let connection = try RawConnection(line)
    version = try connection.text("SHOW server_version")
    dataFolder = try connection.text("SHOW data_directory")
  }

  func stop() {
    try? input.fileHandleForWriting.close()
    script.waitUntilExit()
  }

  /// The URL of a store in a new schema of its own.
  ///
  /// - Parameter isQuiet: whether `pg_notify` does nothing there: servers then learn of each other only by
  ///   looking.
  func store(_ name: String, isQuiet: Bool = false) throws -> String {
    let connection = try RawConnection(url)
    try connection.run("CREATE SCHEMA \(name)")
    // Functions of an extension are in the other one.
    guard isQuiet else { return url + "?options=-csearch_path%3D\(name)%2Cpublic" }
    try connection.run(
      """
      CREATE FUNCTION \(name).pg_notify(text, text) RETURNS void LANGUAGE sql AS 'SELECT'
      """)
    // The system's own functions come first unless the path says otherwise.
    return url + "?options=-csearch_path%3D\(name)%2Cpg_catalog"
  }

  /// Seconds of processor time that all of the server's processes have used.
  func processorTime() throws -> Double {
    let file = try String(contentsOfFile: dataFolder + "/postmaster.pid", encoding: .utf8)
    guard let postmaster = file.split(separator: "\n").first.flatMap({ Int32($0) }) else {
      throw BenchError("postmaster.pid has no number")
    }
    return ProcessorTime.ofFamily(of: postmaster)
  }

  private static let scriptPath =
    URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../../scripts")
    .standardized.path + "/test-postgres"

  private static func requireProgram() throws {
    let folders =
      (try? FileManager.default.contentsOfDirectory(atPath: "/usr/lib/postgresql")) ?? []
    if !folders.isEmpty { return }
    _ = try Programs.find("initdb", package: "postgresql-15")
  }

  private static func requireCitus() throws {
    let root = "/usr/share/postgresql"
    let versions = (try? FileManager.default.contentsOfDirectory(atPath: root)) ?? []
    let isThere = versions.contains {
      FileManager.default.fileExists(atPath: "\(root)/\($0)/extension/citus.control")
    }
    if !isThere { throw NotMeasured("the extension citus of PostgreSQL is not installed") }
  }

  /// Whether another user may go there: started by root, the server becomes the user `postgres`.
  private static func canEnter(_ folder: String) -> Bool {
    if getuid() != 0 { return true }
    var url = URL(filePath: folder)
    while url.path != "/" {
      let found = try? FileManager.default.attributesOfItem(atPath: url.path)
      guard let rights = found?[.posixPermissions] as? Int, rights & 1 != 0 else { return false }
      url.deleteLastPathComponent()
    }
    return true
  }

  private static func line(of file: FileHandle) -> String {
    var bytes = Data()
    while let byte = try? file.read(upToCount: 1), !byte.isEmpty, byte != Data([10]) {
      bytes += byte
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
