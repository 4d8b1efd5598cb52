// brume export: everything in a user's private database, in one file. The server reads it, page by page, while it goes
// on: what changes meanwhile may be in the file or not, record by record. Who takes it along is in the audit log.

import ArgumentParser
import BrumeWire

struct ExportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export", abstract: "Write a user's private database into a file.",
    discussion: """
      Zones, records and their files, one JSON object a line; 'brume import' takes it. Shares, \
      subscriptions and devices are not in it. It is for operators with the role 'full', and the audit log \
      has a line about it. It is of one container and environment, which is said at the end; 'brume user \
      delete NAME --dry-run' lists where a user has data.
      """)
  @OptionGroup var server: ServerOptions
  @OptionGroup var answer: AnswerOption
  @Option(help: "Whose database: a user's sign-in name.") var user: String
  @Argument(help: "The file to write; it must not exist.") var file: String

  func run() async throws {
    let connection = try server.connect()
    let place = try await connection.namedPlace()
    let export = UserExport(connection: connection, user: user, file: file)
    let (contents, shares) = try await export.run()
    answer.show(
      [
        "zones": .int(contents.zones), "records": .int(contents.records),
        "files": .int(contents.files), "shares": .int(shares),
        "container": place["container"] ?? .null, "environment": place["environment"] ?? .null,
      ],
      said:
        "wrote \(contents.zones) zones, \(contents.records) records and \(contents.files) files of \(user), from "
        + place.placeInWords)
    if shares > 0 {
      Output.say("\(shares) shares are not in the file; who takes part must join again")
    }
  }
}

private struct UserExport {
  let connection: ServerConnection
  let user: String
  let file: String
  private let progress = TerminalProgress()

  /// Writes the file. Answers what is in it, and how many shares are not.
  ///
  /// - Throws: also where all is there, and could not get its name; the error says then where it is.
  func run() async throws -> (ArchiveContents, shares: Int64) {
    let writer = try ArchiveWriter(file)
    return try await progress.during("the server is asked") {
      let content = try await content(into: writer)
      try writer.finish()
      return content
    }
  }

  /// Nothing of it stays if this throws.
  private func content(
    into writer: ArchiveWriter
  ) async throws -> (ArchiveContents, shares: Int64) {
    do {
      let shares = try await connection.all("shares", of: user).count
      return (try await write(writer), Int64(shares))
    } catch {
      writer.discard()
      throw error
    }
  }

  private func write(_ writer: ArchiveWriter) async throws -> ArchiveContents {
    var contents = ArchiveContents()
    try await connection.download("users/export", [("user", user)]) { bytes in
      try writer.write(bytes)
      contents.add(bytes)
      progress.show("\(contents.records) records, \(contents.files) files")
    }
    guard contents.isWhole else { throw ServerConnection.brokenOff }
    return contents
  }
}
