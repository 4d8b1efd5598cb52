// brume faults: make a development server fail, to see what a client does about it.

import ArgumentParser
import BrumeModel
import BrumeWire

struct FaultsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults", abstract: "Faults of a development server, for testing clients.",
    subcommands: [Add.self, List.self, Clear.self, Release.self])

  struct Add: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Let the next matching calls fail.",
      discussion: """
        brume faults add error --code 7 --retry-after 3 --on saveRecords --count 2
        brume faults add conflict --skip 1
        brume faults add purgeZone --zone Notes
        brume faults add switchAccount --to bob --device phone
        """)
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption
    @Argument(help: "One of: \(Fault.effectNames.joined(separator: ", ")).") var effect: String
    @Option(help: "The number of the CKError, with 'error'.") var code: Int?
    @Option(
      help: """
        The operation it meets; may be repeated. One of: \
        \(Fault.Operation.allCases.map(\.rawValue).joined(separator: ", ")).
        """)
    var on: [String] = []
    @Option(help: "Who signs in, with 'switchAccount'.") var to: String?
    @Option(help: "Only items of this zone.") var zone: String?
    @Option(help: "Only the record of this name.") var record: String?
    @Option(help: "Only calls of this user.") var user: String?
    @Option(help: "Only calls of this device.") var device: String?
    @Option(help: "How many matching calls pass first.") var skip = 0
    @Option(help: "How many matching calls it meets; 1 if not said.") var count: Int?
    @Flag(help: "Meet every matching call until 'brume faults clear'.") var always = false
    @Option(help: "Seconds to wait, sent with the error.") var retryAfter: Double?

    func validate() throws {
      guard Fault.effectNames.contains(effect) else {
        throw ValidationError(
          "there is no fault '\(effect)'; it is one of \(Fault.effectNames.joined(separator: ", "))"
        )
      }
      if effect == "error", code == nil {
        throw ValidationError("'error' needs the number of a CKError, such as --code 7")
      }
      if effect == "switchAccount", to == nil {
        throw ValidationError("'switchAccount' needs who signs in: --to NAME")
      }
      if let count, count < 1 {
        throw ValidationError("--count is '\(count)'; it is a number from 1 on")
      }
      guard skip >= 0 else {
        throw ValidationError("--skip is '\(skip)'; it is a number from 0 on")
      }
      if always, count != nil {
        throw ValidationError("--count has no meaning with --always; leave one of them out")
      }
      for name in on where Fault.Operation(rawValue: name) == nil {
        let names = Fault.Operation.allCases.map(\.rawValue)
        throw ValidationError("--on is '\(name)'; it may be \(names.joined(separator: ", "))")
      }
    }

    func run() async throws {
      var fault = JSONObject()
      fault["effect"] = .string(effect)
      fault["code"] = code.map { .int(Int64($0)) }
      fault["to"] = to.map { .string($0) }
      if !on.isEmpty { fault["on"] = .array(on.map { .string($0) }) }
      fault["zone"] = zone.map { .string($0) }
      fault["record"] = record.map { .string($0) }
      fault["user"] = user.map { .string($0) }
      fault["device"] = device.map { .string($0) }
      fault["skip"] = .int(Int64(skip))
      fault["count"] = count.map { .int(Int64($0)) }
      if always { fault["always"] = true }
      fault["retryAfter"] = retryAfter.map { .double($0) }
      let added = try await server.connect().post("faults", ["faults": [.object(fault)]])
      answer.show(added, said: "added fault \(added["id"]?.int ?? 0)")
    }
  }

  struct List: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "List the faults.")
    @OptionGroup var server: ServerOptions
    @Flag(help: "One JSON object a line.") var json = false

    func run() async throws {
      let faults = try await server.connect().get("faults")["faults"]?.array ?? []
      guard !faults.isEmpty else {
        return Output.say("no fault is waiting; 'brume faults add' asks for one")
      }
      Listing(["id", "effect", "on", "user", "device", "zone", "record", "skip", "count", "after"])
        .show(faults, asJSON: json)
    }
  }

  struct Clear: AsyncParsableCommand {
    static let configuration = CommandConfiguration(abstract: "Take all faults away.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption

    func run() async throws {
      answer.show(try await server.connect().post("faults/clear", [:]), said: "no faults")
    }
  }

  struct Release: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Deliver the pushes that 'holdPush' held back.")
    @OptionGroup var server: ServerOptions
    @OptionGroup var answer: AnswerOption

    func run() async throws {
      let released = try await server.connect().post("faults/release", [:])
      answer.show(released, said: "delivered \(released["pushes"]?.int ?? 0)")
    }
  }
}
