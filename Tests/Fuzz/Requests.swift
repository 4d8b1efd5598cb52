// Whole requests in process: the routes, middleware, rules and memory engine of the real server. An input is some
// requests as a person would write them down:
//
//   alice POST /database/1/iCloud.org.example.app/development/private/records/query
//   X-Header: value
//
//   {"query": {"recordType": "Note"}}
//   ~~~
//   bob GET …
//
// The first word is who asks. `{name}` stands for the last text that an answer had under that name, so that tokens,
// markers and addresses are the server's own. Each input begins with the same store, in which the requests of
// story.txt were carried out.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Foundation
import HummingbirdCore
import Logging
import Synchronization

extension Target {
  static let requests = Target("request", longest: 2048) { bytes in
    let input = text(bytes)
    let finished: Void? = Waiting.value {
      let run = try await Run(Place.begun)
      try await run.carryOut(input)
    }
    if finished == nil { wrong("the server cannot be made") }
  }
}

/// One request as it is written down.
struct WrittenRequest {
  var who: Substring = ""
  var method = "GET"
  var target = "/"
  var headers: [InProcessServer.Header] = []
  var body: [UInt8] = []

  /// The requests of an input; Ours: at most eight.
  static func all(in input: String) -> [String] {
    Array(input.components(separatedBy: "\n~~~\n").prefix(8))
  }

  init(_ text: String) {
    let parts = text.split(separator: "\n\n", maxSplits: 1, omittingEmptySubsequences: false)
    let lines = parts[0].split(separator: "\n", omittingEmptySubsequences: false)
    let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
    if words.count == 3 { (who, method, target) = (words[0], String(words[1]), String(words[2])) }
    for line in lines.dropFirst() {
      let pair = line.split(separator: ":", maxSplits: 1)
      guard pair.count == 2 else { continue }
      headers.append((String(pair[0]), pair[1].trimmingCharacters(in: .whitespaces)))
    }
    if parts.count == 2 { body = Array(parts[1].utf8) }
  }
}

/// What every input begins with.
struct Place: Sendable {
  let store: MemoryStore
  let apiToken: String
  let tokens: [String: String]
  /// What answers of the story had under which name.
  let known: [String: String]

  static let settings: Settings = {
    var settings = Settings()
    settings.engine = .memory
    settings.isDevelopment = true
    settings.limits = .tiny
    settings.limits.passwordChecks = 1
    settings.limits.passwordRounds = 16
    settings.timeouts.poll = 1
    settings.timeouts.heartbeat = 1
    return settings
  }()
  static let containerEnvironment = ContainerEnvironment(settings.container, .development)

  static let silent: Logger = {
    var logger = Logger(label: "brume.fuzz") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }()

  /// The same clock and the same chance for every input.
  static func host() -> BrumeCore.Host {
    let chance = Mutex(SeededRandom(seed: 1))
    return BrumeCore.Host(
      now: { 1_795_176_000_000 },
      uuid: { chance.withLock { random in UUID(uuid: random.uuid()).uuidString } },
      randomBytes: { count in
        chance.withLock { random in
          (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
        }
      })
  }

  static let begun: Place = {
    guard let place = Waiting.value({ try await begin() }) else {
      wrong("the story cannot be printed")
    }
    return place
  }()

  private static func begin() async throws -> Place {
    let store = MemoryStore(coders: .wireForm)
    let server = try await Composition(
      settings: settings, folder: nil, users: ["alice", "bob"], host: host(), logger: silent,
      workers: nil,
      wrapping: { _ in store })
    let ready = try await server.development.prepare(in: containerEnvironment)
    let tokens = Dictionary(uniqueKeysWithValues: ready.accounts.map { ($0.name, $0.token) })
    let place = Place(store: store, apiToken: ready.apiToken, tokens: tokens, known: [:])
    let run = Run(server, place)
    for request in Story.text.components(separatedBy: "\n~~~\n") {
      guard let answer = try await run.answer(request), answer.status == 200,
        !text(answer.body).contains("serverErrorCode")
      else { wrong("the story fails at \(request)") }
    }
    return Place(
      store: store, apiToken: ready.apiToken, tokens: tokens, known: run.known.withLock { $0 })
  }
}

extension SeededRandom {
  fileprivate mutating func uuid() -> uuid_t {
    var words = (next(), next())
    return withUnsafeBytes(of: &words) { $0.loadUnaligned(as: uuid_t.self) }
  }
}

/// A server with a store of its own, for one input.
final class Run: Sendable {
  private let server: Composition
  private let inProcess: InProcessServer
  private let place: Place
  let known: Mutex<[String: String]>

  convenience init(_ place: Place) async throws {
    let store = try place.store.copy()
    let server = try await Composition(
      settings: Place.settings, folder: nil, users: [], host: Place.host(), logger: Place.silent,
      workers: nil,
      wrapping: { _ in store })
    self.init(server, place)
  }

  init(_ server: Composition, _ place: Place) {
    self.server = server
    self.place = place
    inProcess = InProcessServer(server)
    known = Mutex(place.known)
  }

  func carryOut(_ input: String) async throws {
    for request in WrittenRequest.all(in: input) {
      let found: InProcessServer.Answer?
      do { found = try await answer(request) } catch { wrong("\(error) thrown for \(request)") }
      if let found, let fault = Self.fault(in: found) {
        wrong("\(fault) for \(request): \(text(found.body))")
      }
    }
  }

  /// What no request may be answered with; nil for anything else.
  private static func fault(in answer: InProcessServer.Answer) -> String? {
    if answer.status >= 500, answer.status != 503 { return "\(answer.status)" }
    guard let json = try? JSON(parsing: answer.body), hasInternalError(json) else { return nil }
    return "an internal error"
  }

  /// Whether an item of an answer failed for a reason that nobody knows. CloudKit has the same code for a child of a
  /// record that failed, and a fault that was asked for may have it.
  private static func hasInternalError(_ json: JSON) -> Bool {
    switch json {
    case .object(let object):
      let reason = object["reason"]?.string ?? ""
      let isKnown =
        reason.contains("its parent failed") || reason.contains("a fault that was asked for")
      return object["serverErrorCode"]?.string == "INTERNAL_ERROR" && !isKnown
        || object.members.contains { hasInternalError($0.value) }
    case .array(let elements): return elements.contains(where: hasInternalError)
    case .null, .bool, .int, .double, .string: return false
    }
  }

  /// Nil: it has no end of its own, and was ended before it was answered.
  ///
  /// Throws what broke any other answer off.
  func answer(_ written: String) async throws -> InProcessServer.Answer? {
    let request = WrittenRequest(filled(written))
    let (target, headers) = signed(request)
    let work = Task { [inProcess] in
      try await inProcess.send(
        method: request.method, target: target, headers: headers, body: request.body)
    }
    // What waits for a push has no end of its own.
    if Self.isLasting(request.target) {
      try await Task.sleep(for: .milliseconds(5))
      work.cancel()
    }
    let found: InProcessServer.Answer?
    do { found = try await work.value } catch {
      guard Self.isLasting(request.target) else { throw error }
      found = nil
    }
    note(found.flatMap { try? JSON(parsing: $0.body) })
    return found
  }

  private static let lasting = ["/_brume/stream", "/_brume/courier", "/_brume/admin/events"]

  /// By the path that the router looks up: of a whole address too, and whatever the number of slashes.
  private static func isLasting(_ target: String) -> Bool {
    let path = "/" + URI(target).path.split(separator: "/").joined(separator: "/")
    return lasting.contains { path.hasPrefix($0) }
  }

  private func signed(_ request: WrittenRequest) -> (String, [InProcessServer.Header]) {
    var (target, headers) = (request.target, request.headers)
    func add(_ query: String) { target += (target.contains("?") ? "&" : "?") + query }
    switch request.who {
    case "nobody": break
    case "admin": headers.append(("Authorization", "Bearer \(server.adminToken)"))
    case "token": add("ckAPIToken=\(place.apiToken)")
    default:
      add("ckAPIToken=\(place.apiToken)")
      let token = place.tokens[String(request.who)] ?? place.tokens["alice"] ?? ""
      add("ckWebAuthToken=\(FormText.escaped(token))")
    }
    return (target, headers)
  }

  // MARK: Names

  private func filled(_ text: String) -> String {
    var (filled, rest) = ("", text[...])
    while let start = rest.firstIndex(of: "{") {
      filled += rest[..<start]
      let after = rest[rest.index(after: start)...]
      let name = after.prefix { $0.isASCII && ($0.isLetter || $0 == ".") }
      if after[name.endIndex...].first == "}", let value = known.withLock({ $0[String(name)] }) {
        filled += value
        rest = after[name.endIndex...].dropFirst()
      } else {
        filled += "{"
        rest = after
      }
    }
    return filled + rest
  }

  private func note(_ json: JSON?) {
    switch json {
    case .object(let object)?:
      for member in object.members {
        if case .string(let value) = member.value {
          known.withLock { $0[member.key] = value }
        } else {
          note(member.value)
        }
      }
    case .array(let elements)?: for element in elements { note(element) }
    case .null?, .bool?, .int?, .double?, .string?, nil: break
    }
  }
}
