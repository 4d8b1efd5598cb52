// brume records create, update, delete: changes under a user's name, by the rules that a save of theirs has.
// Values come as FIELD=VALUE, or as a JSON object of Apple's field dictionaries.

import ArgumentParser
import BrumeModel
import BrumeWire

/// The values that a command gives to fields.
struct FieldOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "A text for a field, or a number such as -3 or 0.5; 007, +49 and 1e3 are texts. Repeatable.",
      valueName: "field=value"))
  var set: [String] = []
  @Option(help: ArgumentHelp("A field to empty. Repeatable.", valueName: "field"))
  var clear: [String] = []
  @Option(
    help: ArgumentHelp(
      "A JSON object of fields as CloudKit's HTTP protocol has them, such as "
        + "'{\"age\": {\"value\": 3}}'; @FILE reads it.",
      valueName: "json"))
  var fields: String?

  func validate() throws {
    for text in set where !(text.contains("=") && !text.hasPrefix("=")) {
      throw ValidationError("--set is '\(text)'; write FIELD=VALUE")
    }
  }

  var isEmpty: Bool { self.set.isEmpty && clear.isEmpty && fields == nil }

  /// The dictionary `fields` of a record.
  func dictionary() throws -> JSONObject {
    var object = try given()
    for text in set {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      object[String(parts[0])] = ["value": Self.value(String(parts[1]))]
    }
    for name in clear { object[name] = ["value": .null] }
    return object
  }

  private func given() throws -> JSONObject {
    guard let fields else { return JSONObject() }
    guard fields.hasPrefix("@") else { return try Self.object(Array(fields.utf8)) }
    return try Self.object(
      GivenFile.content(of: String(fields.dropFirst()), "the file of --fields"))
  }

  private static func object(_ bytes: [UInt8]) throws -> JSONObject {
    let form = "write '{\"FIELD\": {\"value\": VALUE}}'"
    do throws(BrumeError) {
      if case .object(let object) = try JSON(parsing: bytes) { return object }
    } catch {
      throw CommandFailure("--fields: \(error.reason); \(form)", .data)
    }
    throw CommandFailure("--fields is no JSON object; \(form)", .data)
  }

  /// A number if it is one as JSON has it, without an exponent, so that nothing of it is lost. Quotation marks make it a text.
  private static func value(_ text: String) -> JSON {
    if text.hasPrefix("\""), text.hasSuffix("\""), text.count >= 2 {
      return .string(String(text.dropFirst().dropLast()))
    }
    if let number = Int64(text), String(number) == text { return .int(number) }
    if text.contains("."), text.allSatisfy({ "-.0123456789".contains($0) }),
      case .double(let number)? = try? JSON(parsing: Array(text.utf8))
    {
      return .double(number)
    }
    return .string(text)
  }
}

struct CreateRecord: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "create", abstract: "Save a new record; prints it as JSON.")
  @OptionGroup var options: DataOptions
  @OptionGroup var zone: ZoneOption
  @OptionGroup var fields: FieldOptions
  @OptionGroup var answer: AlwaysJSONOption
  @Argument(help: "The record type.") var type: String
  @Argument(help: "The record name. (default: the server chooses one)") var name: String?

  /// Else the value of a field would become the name of an empty record.
  func validate() throws {
    guard fields.isEmpty, let name, name.contains("=") else { return }
    throw ValidationError(
      "'\(name)' would be the record's name; write --set before the value of a field (a record without fields that is "
        + "called so needs --fields '{}')")
  }

  func run() async throws {
    var record = JSONObject()
    record["recordType"] = .string(type)
    record["recordName"] = name.map { .string($0) }
    record["fields"] = .object(try fields.dictionary())
    let saved = try await options.modify("create", .object(record), in: zone)
    Output.line(try saved.onlyRecord(name ?? type).bytes())
  }
}

struct UpdateRecord: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "update", abstract: "Change fields of a record; prints it as JSON.",
    discussion: """
      With --change-tag the record must still be as it was then; a conflict ends with 1 and prints the \
      server's record. Without it the fields are changed whatever it is.
      """)
  @OptionGroup var options: DataOptions
  @OptionGroup var zone: ZoneOption
  @OptionGroup var fields: FieldOptions
  @OptionGroup var answer: AlwaysJSONOption
  @Option(help: "The record's change tag, as it was read.") var changeTag: String?
  @Argument(help: "The record name.") var name: String

  func validate() throws {
    guard !fields.isEmpty else {
      throw ValidationError("nothing is to be changed: give --set, --clear or --fields")
    }
  }

  func run() async throws {
    var record = JSONObject()
    record["recordName"] = .string(name)
    record["recordType"] = try await recordType()
    record["recordChangeTag"] = changeTag.map { .string($0) }
    record["fields"] = .object(try fields.dictionary())
    let saved = try await options.modify(
      changeTag == nil ? "forceUpdate" : "update", .object(record), in: zone)
    if let current = saved["records"]?.array?.first?["brume"]?["serverRecord"] {
      Output.line(current.bytes())
    }
    Output.line(try saved.onlyRecord(name).bytes())
  }

  /// A forced update of a record that is not there would make one; this command does not.
  private func recordType() async throws -> JSON? {
    let request = LookupRecordsRequest(zone: zone.id, items: [.init(name: name)])
    return try await options.call("records/lookup", request.json).onlyRecord(name)["recordType"]
  }
}

struct DeleteRecords: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "delete", abstract: "Delete records, whatever their state.")
  @OptionGroup var options: DataOptions
  @OptionGroup var zone: ZoneOption
  @OptionGroup var answer: AnswerOption
  @Argument(help: "The records' names.") var names: [String]

  func run() async throws {
    var absent: Set<String> = []
    let work = await NamedItems.inParts(names) { names in
      absent.formUnion(try await self.absent(names))
      let request = ModifyRecordsRequest(
        zone: zone.id, operations: names.map { .init(.forceDelete, RecordDraft(name: $0)) })
      return try await options.call("records/modify", request.json)["records"]
    }
    for name in names where absent.contains(name) {
      Output.say(
        "there is no record '\(name)' in zone '\(zone.zone ?? ZoneID.defaultName)'; --zone names another"
      )
    }
    try work.show(answer, as: "records", said: "deleted", but: absent)
  }

  /// A deletion answers the same whether a record was there: whoever looks into the wrong zone would not notice.
  private func absent(_ names: [String]) async throws -> [String] {
    let request = LookupRecordsRequest(
      zone: zone.id, items: names.map { .init(name: $0) }, desiredKeys: [])
    let found = try await options.call("records/lookup", request.json)["records"]?.array ?? []
    return zip(names, found).filter { $1["serverErrorCode"]?.string == "NOT_FOUND" }.map(\.0)
  }
}

extension DataOptions {
  /// One operation on a record dictionary.
  fileprivate func modify(
    _ operation: String, _ record: JSON, in zone: ZoneOption
  ) async throws -> JSON {
    var body = JSONObject()
    body["zoneID"] = zone.zone.map { ["zoneName": .string($0)] }
    body["operations"] = [["operationType": .string(operation), "record": record]]
    return try await call("records/modify", .object(body))
  }
}
