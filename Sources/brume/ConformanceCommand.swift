// brume conformance: plays the protocol's text cases against any server of the protocol. Data (one
// line a case, or JSON lines) goes to standard output, the sum to standard error. Exit status 1 when
// a case failed, or when none ran: a run that looked at nothing has shown nothing.

import ArgumentParser
import BrumeClient
import BrumeConformance
import BrumeModel
import BrumeServer
import BrumeWire
import FoundationEssentials
import UnixSignals

struct ConformanceCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "conformance",
    abstract: "Play the protocol's test cases against a server.",
    discussion: """
      Each case makes zones and records with names of its own and deletes them again. Cases that need
      more than what is given here are skipped, with the reason. The cases are built in. What is not
      given comes from the variables that a running server prints. With --url, tokens and keys do so only
      if BRUME_URL is the same:

        env $(brume status --format env) brume conformance

      Sharing needs a second user; on a development server that can be bob:

        export $(brume status --format env)
        brume conformance --filter sharing/ --second-user-token $BRUME_USER_TOKEN_BOB
      """)

  @Option(help: "Scheme, host and port. [BRUME_URL]") var url: String?
  @Option(help: "The container's API token. [BRUME_API_TOKEN]") var apiToken: String?
  @Option(help: "A user's web auth token. [BRUME_USER_TOKEN]") var userToken: String?
  @Option(help: "Another user's web auth token, for sharing. [BRUME_SECOND_USER_TOKEN]")
  var secondUserToken: String?
  @Option(help: "The ID of a server-to-server key. [BRUME_KEY_ID]") var keyID: String?
  @Option(help: "The file of its private half, in PEM. [BRUME_KEY_FILE]") var keyFile: String?
  @Option(
    name: [.customLong("admin-token"), .customLong("operator-token")],
    help: "An admin token, for cases that change its schema. [BRUME_ADMIN_TOKEN]")
  var adminToken: String?
  @Option(help: "The container. [BRUME_CONTAINER]") var container: String?
  @Option(help: "development or production. [BRUME_ENVIRONMENT]") var environment: String?
  @Option(help: "A folder with cases, instead of those that are built in.") var cases: String?
  @Option(help: "Only cases whose name, source or ID contains this text.") var filter: String?
  @Option(help: "A setting that the server has, such as 'limits tiny'.") var with: [String] = []
  @Flag(help: "One JSON object a case.") var json = false

  func run() async throws {
    if let cases, !DiskFile.isFolder(cases) {
      throw StatusFailure(
        .noInput, "there is no folder '\(cases)' with cases; name it with --cases")
    }
    let all = try cases.map { try CaseFiles.cases(in: $0) } ?? CaseFiles.bundled()
    let chosen = all.filter { test in
      guard let filter else { return true }
      return ([test.name, test.source] + test.ids).contains { $0.contains(filter) }
    }
    guard !chosen.isEmpty else { throw CommandFailure("no case matches '\(filter ?? "")'") }
    let label = String(UInt32.random(in: .min ... .max), radix: 36)
    let outcomes = try await outcomes(of: Runner(try target(), label: label), chosen)
    let failed = outcomes.filter { if case .failed = $0.result { true } else { false } }.count
    let skipped = outcomes.filter { if case .skipped = $0.result { true } else { false } }.count
    Output.say(
      "\(outcomes.count - failed - skipped) passed, \(failed) failed, \(skipped) skipped")
    if failed > 0 { throw ExitCode(1) }
    if skipped == outcomes.count { throw nothingRan(outcomes) }
  }

  /// Until a signal comes: then the case that runs takes away what it made. Another signal does not wait for that.
  private func outcomes(of runner: Runner, _ cases: [Case]) async throws -> [Outcome] {
    let signals = await UnixSignalsSequence(trapping: .sigint, .sigterm, .sighup)
    let run = Task { [json] in
      try await runner.run(cases) { Self.show($0, asJSON: json) }
    }
    let watch = Task {
      var status: Int32?
      for await signal in signals {
        if status != nil { BrumeTool.exit(withError: ExitCode(128 + signal.rawValue)) }
        status = 128 + signal.rawValue
        run.cancel()
      }
      return status
    }
    let result = await run.result
    watch.cancel()
    if let status = await watch.value { throw ExitCode(status) }
    return try result.get()
  }

  /// Says what would let the cases run, the reason of most of them first.
  private func nothingRan(_ outcomes: [Outcome]) -> CommandFailure {
    var counts: [String: Int] = [:]
    for case .skipped(let reason) in outcomes.map(\.result) { counts[reason, default: 0] += 1 }
    let reasons = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
    return CommandFailure(
      "no case ran, so nothing is known of the server. "
        + reasons.map { "\($0.value) skipped: \($0.key)" }.joined(separator: "; ")
        + ". A development server prints what is missing: "
        + "env $(brume status --format env) brume conformance")
  }

  private func target() throws -> Target {
    let name = environment ?? ServerOptions.variable("BRUME_ENVIRONMENT") ?? "development"
    guard let knownEnvironment = Environment(rawValue: name) else {
      throw ValidationError("--environment is '\(name)'; it may be development or production")
    }
    var target = Target(
      url: try GivenAddress.checked(
        given(url, "url", "BRUME_URL"), from: url == nil ? "BRUME_URL" : "--url"),
      in: ContainerEnvironment(
        ContainerID(try given(container, "container", "BRUME_CONTAINER")), knownEnvironment),
      apiToken: try given(
        apiToken ?? secret("BRUME_API_TOKEN"), "api-token",
        isOfVariables ? "BRUME_API_TOKEN" : nil),
      transport: ProgramTransport(), now: { Date().timeIntervalSince1970 },
      wait: { try await Task.sleep(for: .seconds($0)) })
    target.firstUser = userToken ?? secret("BRUME_USER_TOKEN")
    target.secondUser = secondUserToken ?? secret("BRUME_SECOND_USER_TOKEN")
    target.operatorToken = adminToken ?? secret("BRUME_ADMIN_TOKEN")
    target.settings = Set(with)
    if let id = keyID ?? secret("BRUME_KEY_ID"), let file = keyFile ?? secret("BRUME_KEY_FILE") {
      let pem = String(
        decoding: try GivenFile.content(of: file, "the key file"), as: UTF8.self)
      target.serverKey = Configuration.ServerKey(id: id, privateKeyPEM: pem)
    }
    return target
  }

  /// Tokens and keys that variables have are those of the server that BRUME_URL names, and no other gets them.
  private var isOfVariables: Bool { url == nil || url == ServerOptions.variable("BRUME_URL") }

  private func secret(_ name: String) -> String? {
    isOfVariables ? ServerOptions.variable(name) : nil
  }

  private func given(
    _ value: String?, _ option: String, _ variable: String?
  ) throws -> String {
    if let value = value ?? variable.flatMap({ ServerOptions.variable($0) }) { return value }
    let other = variable.map { ", and \($0) is not set" }
    throw ValidationError(
      "--\(option) is missing\(other ?? "; the variables are about the server of BRUME_URL")")
  }

  private static func show(_ outcome: Outcome, asJSON json: Bool) {
    let (word, lines): (String, [String]) =
      switch outcome.result {
      case .passed: ("ok", [])
      case .failed(let problems): ("FAILED", problems)
      case .skipped(let reason): ("skipped", [reason])
      }
    if json {
      let line: JSON = [
        "case": .string(outcome.name), "ids": .array(outcome.ids.map { .string($0) }),
        "source": .string(outcome.source), "result": .string(word.lowercased()),
        "details": .array(lines.map { .string($0) }),
      ]
      return Output.line(line.bytes())
    }
    Output.line("\(word)  \(outcome.name)")
    for line in lines { Output.line("        \(line)") }
    if case .failed = outcome.result { Output.line("        source: \(outcome.source)") }
  }
}
