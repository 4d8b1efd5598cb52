// brume schema validate, diff, import, deploy, reset: what a text would change, and changing it. Every change
// can be looked at before: `diff` and `--dry-run` print the same list.

import ArgumentParser
import BrumeWire

struct ValidateSchema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "validate", abstract: "Say where a file in the schema language is wrong.",
    discussion: "Ends with 65 if it is. Each mistake is a line: FILE:LINE:COLUMN: what is wrong.")
  @OptionGroup var server: ServerOptions
  @Argument(help: "A file in the schema language.") var file: String
  @Flag(help: "The server's answer as JSON.") var json = false

  func run() async throws {
    let answer = try await SchemaFile(file).look(server.connect())
    let faults = SchemaFile.faults(answer)
    if json { Output.line(answer.bytes()) }
    for fault in faults where !json {
      Output.line("\(file):\(fault.line):\(fault.column): \(fault.message)")
    }
    guard faults.isEmpty else { throw ExitStatus.data.code }
    Output.say("'\(file)' is right; record types: \(answer["recordTypes"]?.int ?? 0)")
  }
}

struct DiffSchema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff", abstract: "Show what would change, and what follows from it.",
    discussion: """
      With a file: what the schema would become by importing it. Without: what production would become by \
      a deployment.
      """)
  @OptionGroup var server: ServerOptions
  @Argument(help: "A file in the schema language.") var file: String?
  @Flag(help: "End with 1 if anything would change.") var exitCode = false
  @Flag(help: "One JSON object a line.") var json = false

  func run() async throws {
    let connection = try server.connect()
    var body = JSONObject()
    if let file { body["schema"] = .string(try await SchemaFile(file).checked(connection)) }
    let answer = try await connection.post("schema/diff", .object(body))
    SchemaChanges(answer).show(asJSON: json)
    if exitCode, answer["changes"]?.array?.isEmpty == false { throw ExitCode(1) }
  }
}

struct ImportSchema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "import", abstract: "Replace the schema by a file's, if the change is allowed.",
    discussion: """
      Record types that the file lacks go with all their records. On a terminal the command shows them and \
      asks; elsewhere it needs --allow-drops.
      """)
  @OptionGroup var server: ServerOptions
  @Argument(help: "A file in the schema language.") var file: String
  @Flag(help: "Let record types go that the file lacks, with all their records.")
  var allowDrops = false
  @Flag(help: "What changed, one JSON object a line.") var json = false

  func run() async throws {
    let connection = try server.connect()
    let text = JSON.string(try await SchemaFile(file).checked(connection))
    let changes = SchemaChanges(try await connection.post("schema/diff", ["schema": text]))
    let drops = try changes.agreedDrops(allowDrops, asJSON: json)
    // A server of before looks at the first member alone.
    _ = try await connection.post(
      "schema", ["schema": text, "allowDrops": .bool(!drops.isEmpty), "drops": .array(drops)],
      within: ServerConnection.patience)
    if json { changes.show(asJSON: true) }
    Output.say("imported \(file); changes: \(changes.count)")
  }
}

struct DeploySchema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "deploy",
    abstract: "Make production's schema what development's is. No type and no field is removed.")
  @OptionGroup var server: ServerOptions
  @Flag(help: "Only show what would change.") var dryRun = false
  @Flag(
    help: "With --dry-run: one JSON object a line. Without: the new schema, as one JSON object.")
  var json = false

  func run() async throws {
    let answer = try await server.connect().post(
      "schema/deploy", ["dryRun": .bool(dryRun)], within: ServerConnection.patience)
    if dryRun { return SchemaChanges(answer).show(asJSON: json) }
    if json { Output.line(answer.bytes()) }
    Output.say("deployed; production now has development's record types and fields")
  }
}

struct ResetSchema: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "reset", abstract: "Make development's schema what production's is.",
    discussion: """
      Record types that production does not have go, with all their records. Fields take production's types. \
      On a terminal the command shows what goes and asks; elsewhere it needs --allow-drops.
      """)
  @OptionGroup var server: ServerOptions
  @Flag(help: "Only show what would change.") var dryRun = false
  @Flag(help: "Let record types go that production does not have, with all their records.")
  var allowDrops = false
  @Flag(help: "One JSON object a line.") var json = false

  func run() async throws {
    let connection = try server.connect()
    let changes = SchemaChanges(
      try await connection.post(
        "schema/reset", ["dryRun": true], within: ServerConnection.patience))
    if dryRun { return changes.show(asJSON: json) }
    let drops = try changes.agreedDrops(allowDrops, asJSON: json)
    let done = SchemaChanges(
      try await connection.post(
        "schema/reset", ["drops": .array(drops)], within: ServerConnection.patience))
    if json || drops.isEmpty { done.show(asJSON: json) }
    Output.say("reset; development now has production's record types and fields")
  }
}

/// The server's list of changes.
private struct SchemaChanges {
  private let answer: JSON
  init(_ answer: JSON) { self.answer = answer }

  private var changes: [JSON] { answer["changes"]?.array ?? [] }
  var count: Int { changes.count }
  private var drops: [JSON] { answer["drops"]?.array ?? [] }

  /// The record types that may go: those that were shown, if somebody at a terminal or a flag agrees. Where nobody can be
  /// asked there are none, and the server says what is needed.
  ///
  /// - Throws: `CommandFailure` if somebody does not agree.
  func agreedDrops(_ areAllowed: Bool, asJSON: Bool) throws -> [JSON] {
    if drops.isEmpty { return [] }
    if asJSON {
      Output.say("record types that go: \(drops.compactMap(\.string).joined(separator: ", "))")
    } else {
      show(asJSON: false)
    }
    if areAllowed { return drops }
    guard Terminal.isThere else { return [] }
    let types = drops.count == 1 ? "1 record type" : "\(drops.count) record types"
    guard Terminal.agrees("Let \(types) go, with all their records?") else {
      throw CommandFailure("nothing was changed")
    }
    return drops
  }

  func show(asJSON: Bool) {
    if changes.isEmpty, !asJSON { return Output.say("nothing would change") }
    for change in changes {
      if asJSON {
        Output.line(change.bytes())
        continue
      }
      Output.line(change["change"]?.string ?? "")
      if let obstacle = change["obstacle"]?.string {
        Output.line("  not allowed: \(obstacle)")
      } else {
        Output.line("  \(change["consequence"]?.string ?? "")")
      }
    }
  }
}
