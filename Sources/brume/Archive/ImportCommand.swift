// brume import file: a user's private database from the file of `brume export`. Everything is saved as the user's own
// saves are, by the same rules; so every record has its line in the change feed, with its old name.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeWire
import Foundation

struct ImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import",
    abstract: "Take data from a file of 'brume export', or from CloudKit.",
    discussion: "'brume import FILE' is short for 'brume import file FILE'.",
    subcommands: [FileImportCommand.self, CloudKitImportCommand.self],
    defaultSubcommand: FileImportCommand.self)
}

struct FileImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "file",
    abstract: "Take a user's private database from a file of 'brume export'.",
    discussion: """
      The account is made if it is missing. Records that are there already under the same name are \
      replaced by the file's; others stay. Times, change tags and creators are those of the import.
      """)
  @OptionGroup var server: ServerOptions
  @OptionGroup var answer: AnswerOption
  @Option(help: "Into whose database. (default: the name in the file)") var user: String?
  @Argument(help: "A file of 'brume export'.") var file: String

  func run() async throws {
    var reader = try ArchiveReader(file)
    guard let first = try reader.next(),
      case .heading(let version, let owner, let ownerRecord)? = try ExportLine(json: first)
    else { throw UserArchive.damaged(file, "it does not begin as one") }
    guard version == UserArchive.version else {
      throw CommandFailure(
        "'\(file)' is of another version of brume; import it with that one", .data)
    }
    let name = user ?? owner ?? ""
    let connection = try server.connect()
    let progress = TerminalProgress()
    // What can be read only once, such as a pipe, is taken as it comes.
    let check = try reader.size > 0 ? ArchiveCheck(file, progress) : nil
    progress.end()
    let place = try await connection.namedPlace()
    try await connection.makeAccount(name)
    var records = try RecordImport(
      connection: connection, user: name, owner: ownerRecord, FileSpool(uses: check?.uses),
      progress: progress)
    try await progress.during("reading the file") {
      try await read(&reader, into: &records, progress)
    }
    let (zones, saved) = (records.zones, records.saved)
    answer.show(
      [
        "user": .string(name), "zones": .int(Int64(zones)), "records": .int(Int64(saved)),
        "container": place["container"] ?? .null, "environment": place["environment"] ?? .null,
      ],
      said: "imported \(zones) zones and \(saved) records of \(name) into \(place.placeInWords)")
  }

  private func read(
    _ reader: inout ArchiveReader, into records: inout RecordImport, _ progress: TerminalProgress
  ) async throws {
    var total: Int64?
    while let line = try reader.next() {
      progress.show("\(records.saved) records saved", reader.position, of: reader.size)
      switch try ExportLine(json: line) {
      case .zone(let zone)?: try await records.begin(zone)
      case .file(let checksum)?: records.files.begin(checksum)
      case .piece(let piece)?: try records.files.add(piece)
      case .record(let record)?: try await records.add(record)
      case .end(let count)?: total = count
      case .heading?, nil:
        throw UserArchive.damaged(file, "it has a line that is none of an export's")
      }
    }
    try await records.finish()
    guard total == Int64(records.saved) else {
      throw UserArchive.damaged(
        file, "it has \(records.saved) records and should have \(total ?? 0)")
    }
  }
}
