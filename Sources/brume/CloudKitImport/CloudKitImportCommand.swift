// brume import cloudkit: what a container of another server of the protocol holds, such as Apple's. The source is
// only read; a record that the target has already, with the same content, is not saved again.

import ArgumentParser
import BrumeModel
import BrumeWire

struct CloudKitImportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "cloudkit",
    abstract: "Take the records of a container at Apple, or at any server of the protocol.",
    discussion: """
      The public database is read with a server-to-server key, a private one with its user's web \
      auth token. The protocol cannot list record types: name each with --type. Queries for all \
      records of a type need a queryable index on its recordName at the source. In custom zones all \
      types come by themselves.

      Names, zones, fields, files, parents and references stay; times, change tags and creators are \
      those of the import; shares are left out. Give the command again after it was cut short, or to \
      get what is new: what is there already is left alone, and nothing is deleted.

        brume import cloudkit --container iCloud.org.example.app --from-environment production \\
          --key-id ID --key-file key.pem --type Trail --type Photo --user importer
      """)
  @OptionGroup(title: "The target") var server: ServerOptions
  @OptionGroup(title: "The source") var source: SourceOptions
  @Option(
    help: "Into whose private database, or who makes the public records. Made if it is missing.")
  var user: String
  @Option(
    name: .customLong("type"),
    help: "A record type of the public database, or of the default zone; may be repeated.")
  var types: [String] = []
  @Flag(help: "Only count what would come. Nothing is written, no file is fetched.")
  var dryRun = false
  @OptionGroup var answer: AnswerOption

  func validate() throws {
    guard server.container ?? ServerOptions.variable("BRUME_CONTAINER") != nil else {
      throw ValidationError("--container is missing, and BRUME_CONTAINER is not set")
    }
    if try source.scope() == .public, types.isEmpty {
      throw ValidationError(
        "name the record types of the public database with --type; the protocol cannot list them")
    }
  }

  func run() async throws {
    let place = try source.place(server)
    let reader = SourceServer(place, try source.credentials())
    var target: ImportTarget?
    if !dryRun {
      target = try await ImportTarget(server.connect(), scope: place.scope, user: user)
    }
    var work = CloudKitImport(source: reader, target: target, types: types)
    do {
      defer { ImportRetries.progress.end() }
      try await work.run()
    }
    try report(work.counts, work.refused)
  }

  /// What the command answers programs; of a dry run only what it has counted.
  private static func json(_ counts: ImportCounts, refused: Int, asked isDryRun: Bool) -> JSON {
    var object = JSONObject()
    var types = JSONObject()
    for (type, count) in counts.types { types[type] = .int(Int64(count)) }
    object["types"] = .object(types)
    object["records"] = .int(Int64(counts.records))
    object["files"] = .int(Int64(counts.files))
    object["shares"] = .int(Int64(counts.shares))
    guard !isDryRun else { return .object(object) }
    object["saved"] = .int(Int64(counts.saved))
    object["unchanged"] = .int(Int64(counts.unchanged))
    object["refused"] = .int(Int64(refused))
    return .object(object)
  }

  private func report(_ counts: ImportCounts, _ refused: [RefusedRecord]) throws {
    let types = counts.types.sorted { $0.key < $1.key }
    answer.show(
      Self.json(counts, refused: refused.count, asked: dryRun),
      dryRun ? types.map { "\($0.key)  \($0.value)" } : [])
    if counts.shares > 0 { Output.say("\(counts.shares) shares are left out") }
    guard !dryRun else {
      return Output.say("would read \(counts.records) records with \(counts.files) files")
    }
    Output.say(
      "read \(counts.records) records: \(counts.saved) saved, \(counts.unchanged) there already, "
        + "\(refused.count) refused; \(counts.files) files fetched")
    let first = refused.filter { !$0.isAboutAnother } + refused.filter(\.isAboutAnother)
    for record in first.prefix(20) { Output.say("refused: \(record.sentence)") }
    guard refused.isEmpty else {
      throw CommandFailure(
        "\(refused.count) records are refused; put right what is said above, and give the command "
          + "again")
    }
  }
}
