// brume records: looking at records and changing them. What changes is in `RecordChangeCommands.swift`.

import ArgumentParser
import BrumeCore
import BrumeModel
import BrumePredicate
import BrumeServer
import BrumeWire

struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Records of a database.",
    discussion: """
      The operator sees and changes everything; --as NAME sees and may do what that user does.
        brume records query Note --user alice --where "title BEGINSWITH 'A'" --sort title
        brume records create Note --user alice --set title=Hello
      """,
    subcommands: [
      QueryCommand.self, Get.self, CreateRecord.self, UpdateRecord.self, DeleteRecords.self,
    ])

  struct QueryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      commandName: "query", abstract: "Print records that meet a condition, one JSON a line.",
      aliases: ["list"])
    @OptionGroup var options: DataOptions
    @OptionGroup var zone: ZoneOption
    @Argument(help: "The record type.") var type: String
    @Option(help: "A condition as NSPredicate has it, such as \"age > 3 AND name BEGINSWITH 'A'\".")
    var `where`: String?
    @Option(help: "A field to sort by; with ':desc', from the highest down. May be repeated.")
    var sort: [String] = []
    @Option(help: "At most so many.") var limit = 200
    @Flag(help: "Print how the query was answered instead of the records.") var plan = false
    @Flag(help: "One JSON object a line, as always; for scripts that say it everywhere.")
    var json = false

    func validate() throws {
      try LineLimit.require(limit)
    }

    func run() async throws {
      var request = QueryRequest(query: try query(), zone: zone.id)
      var left = limit
      while left > 0 {
        request.limit = min(left, Limits.apple.recordsPerResponse)
        let page = try await options.call("records/query", request.json)
        try Self.refuseMissing(page)
        if plan { return Output.line((page["plan"] ?? .null).bytes()) }
        let records = page["records"]?.array ?? []
        for record in records { Output.line(record.bytes()) }
        left -= records.count
        guard let marker = page["continuationMarker"]?.string else { return }
        request.marker = marker
      }
      Output.say("there may be more: --limit N prints up to N records")
    }

    private func query() throws -> Query {
      let now = Host.real.now()
      let filters = try `where`.map { try Predicate(format: $0).filters(now: now) } ?? []
      return Query(recordType: type, filters: filters, sorts: try sort.map { try Self.sort($0) })
    }

    private static func sort(_ text: String) throws -> Sort {
      let parts = text.split(separator: ":", maxSplits: 1).map(String.init)
      guard let name = parts.first, parts.count == 1 || ["asc", "desc"].contains(parts[1]) else {
        throw ValidationError("--sort is '\(text)'; write FIELD, FIELD:asc or FIELD:desc")
      }
      return Sort(try FieldName(keyPath: name), ascending: parts.count == 1 || parts[1] == "asc")
    }

    /// A query that the operator may run all the same brings records.
    private static func refuseMissing(_ page: JSON) throws {
      let missing = page["plan"]?["missing"]?.array ?? []
      guard !missing.isEmpty, page["plan"]?["sources"]?.array?.isEmpty ?? true else { return }
      let commands = missing.compactMap { $0["command"]?.string }
      throw CommandFailure(
        "the query needs indexes that the schema lacks; run\n  "
          + commands.joined(separator: "\n  "))
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print one record as JSON.")
    @OptionGroup var options: DataOptions
    @OptionGroup var zone: ZoneOption
    @OptionGroup var answer: AlwaysJSONOption
    @Argument(help: "The record name.") var name: String

    func run() async throws {
      let request = LookupRecordsRequest(zone: zone.id, items: [.init(name: name)])
      let found = try await options.call("records/lookup", request.json)
      Output.line(try found.onlyRecord(name).bytes())
    }
  }
}

extension JSON {
  /// The one record of an answer, or its failure.
  func onlyRecord(_ name: String) throws -> JSON {
    guard let record = self["records"]?.array?.first else {
      throw CommandFailure("the server answered nothing about '\(name)'; see its log")
    }
    guard record["serverErrorCode"] == nil else {
      throw CommandFailure("\(name): \(Wire.error(record).reason)")
    }
    return record
  }
}
