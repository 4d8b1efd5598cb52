// brume push explain: why a push came, or did not.

import ArgumentParser
import BrumeModel
import BrumeWire

extension PushCommand {
  struct Explain: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Say why a push came, or did not.",
      discussion: """
        Takes one change, the newest that fits, and asks for each subscription what the server asked: does \
        it watch this, may its user read it, did another device make the change; then what became of the \
        push on its way to each device. The first line is the answer. Facts are recorded when they \
        happened, for --history-hours of the server, or judged again now; each says which.
        """)
    @OptionGroup var server: ServerOptions
    @Option(help: "The record that was saved or deleted.") var record: String?
    @Option(help: "The record's zone.") var zone: String?
    @Option(help: "The change, such as 0-12: as this command and 'brume log list' name it.")
    var change: String?
    @Option(help: "The request that made the change (X-Apple-Request-UUID).") var request: String?
    @Option(help: "Only subscriptions of this user, and all of them.") var user: String?
    @Option(help: "Only this device.") var device: String?
    @Flag(help: "The answer as JSON.") var json = false

    func validate() throws {
      if zone != nil, record == nil {
        throw ValidationError("--zone says where the record is: add --record NAME.")
      }
    }

    func run() async throws {
      let answer = try await server.connect().get("trace", question)
      let trace = try trace(answer)
      // There is no change to explain, however it was named.
      if trace.change == nil { throw CommandFailure(trace.sentence) }
      if json { return Output.line(answer.bytes()) }
      for line in TraceText(trace).lines { Output.line(line) }
    }

    private var question: [(String, String)] {
      ServerConnection.given([
        ("record", record), ("zone", zone), ("change", change), ("request", request),
        ("user", user), ("device", device),
      ])
    }

    private func trace(_ answer: JSON) throws -> Trace {
      do {
        return try Trace(json: answer)
      } catch {
        throw CommandFailure("the server's answer cannot be read: \(error.reason)")
      }
    }
  }
}

/// A trace as people read it: the sentence first, then the change, its subscriptions, their devices and gates.
struct TraceText {
  let trace: Trace

  init(_ trace: Trace) { self.trace = trace }

  var lines: [String] {
    [trace.sentence] + change + trace.subscriptions.flatMap { lines(of: $0) } + rest
  }

  private var change: [String] {
    guard let change = trace.change else { return [] }
    let who = change.user.map { user in
      " by \(user)" + (change.device.map { ", device '\($0)'" } ?? "")
    }
    return [
      "",
      "change \(change.id) at \(ISODate.text(change.time))\(who ?? ""), request \(change.request)",
    ]
  }

  private var rest: [String] {
    var lines: [String] = []
    if trace.notCandidates > 0 {
      lines.append("Subscriptions that watch something else: \(trace.notCandidates).")
    }
    if !trace.isComplete { lines.append("There are more; --user NAME shows those of one user.") }
    if !trace.others.isEmpty {
      let ids = trace.others.map { "\($0.id) (\($0.kind.rawValue))" }.joined(separator: ", ")
      lines.append("Earlier changes that fit: \(ids). --change ID explains one.")
    }
    return lines.isEmpty ? [] : [""] + lines
  }

  private func lines(of judgement: Trace.Judgement) -> [String] {
    let head = "\(judgement.user)'s subscription '\(judgement.subscription)' (\(judgement.scope)): "
    return [
      "", head + judgement.verdict.rawValue + source(judgement.source), "  " + judgement.reason,
    ]
      + judgement.gates.map { "  " + line(of: $0) } + judgement.devices.flatMap { lines(of: $0) }
  }

  private func lines(of device: Trace.Device) -> [String] {
    let way = device.channel.map { " (\($0))" } ?? ""
    return [
      "  device '\(device.device)'\(way): \(device.verdict.rawValue)\(source(device.source))",
      "    " + device.reason,
    ] + device.gates.map { "    " + line(of: $0) }
      + device.attempts.map { attempt in
        let status = attempt.status.map { " \($0)" } ?? ""
        return
          "    attempt \(attempt.number) at \(ISODate.text(attempt.time)): \(attempt.verdict.rawValue)"
          + "\(status) \(attempt.reason)"
      }
  }

  private func line(of gate: Trace.Gate) -> String {
    let mark =
      switch gate.outcome {
      case .passed: "+"
      case .failed: "x"
      case .notAsked: "."
      case .unknown: "?"
      }
    return "\(mark) \(gate.name.rawValue): \(gate.fact)"
  }

  private func source(_ source: Trace.Source) -> String {
    switch source {
    case .recorded: ", recorded"
    case .judged: ", judged again now"
    }
  }
}
