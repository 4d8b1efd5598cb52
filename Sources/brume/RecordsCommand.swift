// brume records: looking at records.

import ArgumentParser
import BrumeModel
import BrumeWire

struct RecordsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "records", abstract: "Records of a database.",
    subcommands: [List.self, Get.self])

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "List the records of a type, one JSON a line.")
    @OptionGroup var options: DatabaseOptions
    @Argument(help: "The record type.") var type: String
    @Option(help: "The zone. (default: the default zone)") var zone: String?
    @Option(help: "At most so many.") var limit = 200

    func run() async throws {
      var body = Self.body(zone)
      body["query"] = ["recordType": .string(type)]
      var left = limit
      while left > 0 {
        body["resultsLimit"] = .int(Int64(min(left, 200)))
        let page = try await options.call("records/query", .object(body))
        let records = page["records"]?.array ?? []
        for record in records { Output.line(record.bytes()) }
        left -= records.count
        guard let marker = page["continuationMarker"]?.string else { return }
        body["continuationMarker"] = .string(marker)
      }
    }

    static func body(_ zone: String?) -> JSONObject {
      var body = JSONObject()
      body["zoneID"] = zone.map { ["zoneName": .string($0)] }
      return body
    }
  }

  struct Get: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Print one record as JSON.")
    @OptionGroup var options: DatabaseOptions
    @Argument(help: "The record name.") var name: String
    @Option(help: "The zone. (default: the default zone)") var zone: String?

    func run() async throws {
      var body = List.body(zone)
      body["records"] = [["recordName": .string(name)]]
      let answer = try await options.call("records/lookup", .object(body))
      guard let record = answer["records"]?.array?.first else { return }
      guard record["serverErrorCode"] == nil else {
        throw CommandFailure("\(name): \(Wire.error(record).reason)")
      }
      Output.line(record.bytes())
    }
  }
}
