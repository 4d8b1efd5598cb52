// brume export: everything in a user's private database, in one file. It is read as the operator, while the server
// goes on: what changes meanwhile may be in the file or not, record by record.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeSchema
import BrumeStorage
import BrumeWire
import Foundation

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a user's private database into a file.",
    discussion: """
      Zones, records and their files, one JSON object a line; 'brume import' takes it. Shares, \
      subscriptions and devices are not in it.
      """)
  @OptionGroup var server: ServerOptions
  @OptionGroup var answer: AnswerOption
  @Option(help: "Whose database: a user's sign-in name.") var user: String
  @Argument(help: "The file to write; it must not exist.") var file: String

  func run() async throws {
    let connection = try server.connect()
    let export = UserExport(connection: connection, user: user, writer: try ArchiveWriter(file))
    let counts = try await export.run()
    answer.show(
      counts.json,
      said:
        "wrote \(counts.zones) zones, \(counts.records) records and \(counts.files) files of \(user)"
    )
    if counts.shares > 0 {
      Output.say("\(counts.shares) shares are not in the file; who takes part must join again")
    }
  }
}

private struct UserExport {
  struct Counts {
    var zones = 0
    var records = 0
    var files = 0
    var shares = 0

    /// What the command answers programs.
    var json: JSON {
      [
        "zones": .int(Int64(zones)), "records": .int(Int64(records)), "files": .int(Int64(files)),
        "shares": .int(Int64(shares)),
      ]
    }
  }
  let connection: ServerConnection
  let user: String
  let writer: ArchiveWriter
  private let progress = TerminalProgress()
  /// Asked at the address by which this command reaches the server.
  private let files: Session

  init(connection: ServerConnection, user: String, writer: ArchiveWriter) {
    self.connection = connection
    self.user = user
    self.writer = writer
    // The container is not asked for: addresses of files carry their own proof.
    files = Session(
      .success(
        Configuration(
          url: connection.access.url,
          in: ContainerEnvironment(ContainerID("iCloud.files"), .development),
          trust: connection.access.trust)))
  }

  func run() async throws -> Counts {
    try await progress.during("the server is asked") { try await write() }
  }

  private func write() async throws -> Counts {
    var counts = Counts()
    var written: Set<String> = []
    let zones = try await pages("zones").compactMap { $0["zoneID"] }
    try writer.write([
      "brume": "export", "version": .int(UserArchive.version), "user": .string(user),
      "owner": zones.first?["ownerRecordName"] ?? .null,
    ])
    counts.shares = try await pages("shares").count
    let types = try await types()
    for zone in zones.compactMap({ $0["zoneName"]?.string }) {
      counts.zones += 1
      try writer.write(["zone": .string(zone)])
      for type in types {
        try await records(of: type, in: zone) { record in
          counts.files += try await writeFiles(of: Record(json: record), &written)
          try writer.write(["record": record])
          counts.records += 1
          progress.show("\(counts.records) records, \(counts.files) files")
        }
      }
    }
    try writer.finish(records: counts.records)
    return counts
  }

  private func types() async throws -> [String] {
    let text = try await connection.get("schema")["schema"]?.string ?? ""
    return try Schema(stored: text).recordTypes.keys.filter { $0 != Record.shareType }.sorted()
  }

  /// All items of one of the operator's lists.
  private func pages(_ list: String) async throws -> [JSON] {
    var items: [JSON] = []
    var after: String?
    repeat {
      let page = try await connection.get(
        list, [("user", user)] + (after.map { [("after", $0)] } ?? []))
      items += page[list]?.array ?? []
      after = page["after"]?.string
    } while after != nil
    return items
  }

  private func records(
    of type: String, in zone: String, _ take: (JSON) async throws -> Void
  ) async throws {
    var body = JSONObject()
    body["user"] = .string(user)
    body["zoneID"] = ["zoneName": .string(zone)]
    body["query"] = ["recordType": .string(type)]
    repeat {
      let page = try await connection.post("records/query", .object(body))
      for record in page["records"]?.array ?? [] { try await take(record) }
      body["continuationMarker"] = page["continuationMarker"]
    } while body["continuationMarker"] != nil
  }

  /// Writes the files that a record holds and that are not in the export yet. Answers how many.
  private func writeFiles(of record: Record, _ written: inout Set<String>) async throws -> Int {
    let new = record.assets.filter { written.insert($0.fileChecksum).inserted }
    for asset in new {
      guard let address = asset.downloadURL else { continue }
      try await TemporaryFile.with { url in
        let handle = try FileHandle(forWritingTo: url)
        try await files.download(connection.access.own(address)) {
          try handle.write(contentsOf: Data($0))
        }
        try handle.close()
        try writer.write(file: asset, from: url)
      }
    }
    return new.count
  }
}
