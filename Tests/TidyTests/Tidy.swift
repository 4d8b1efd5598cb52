// The house rules, as a test. Run with `swift test --filter Tidy`.
//
// A rule that no machine checks is a wish, so every rule of CONTRIBUTING.md that can be checked by
// reading text is checked here, and every message says what to do instead.

import Foundation
import Testing

@Suite struct Tidy {
  static let root = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent()

  static let fileLengthLimit = 500
  static let functionLengthLimit = 70

  /// Text that must not appear, where it may appear all the same, and what to write instead.
  static let banned: [(text: String, allowed: [String], instead: String)] = [
    (
      "Task {",
      [
        "Sources/BrumeKit", "Sources/BrumeTestKit", "Sources/BrumeTesting",
        "Sources/BrumeConformance",
        "Sources/brume/",
        // A lookup of a name that has begun cannot be ended, and nobody is to wait for it.
        "Sources/BrumePush/Outside/OutsideGuard.swift",
      ],
      "a child task of some Service.run()"
    ),
    ("Task.detached", ["Sources/BrumeKit"], "a child task of some Service.run()"),
    ("print(", ["Sources/brume/"], "the logger"),
    ("try!", [], "a thrown error, or preconditionFailure with the reason"),
    ("fatalError(", [], "a thrown error, or preconditionFailure with the reason"),
    ("TODO", [], "an issue"),
  ]
  /// Where the real clock, identity and chance enter. Everything else gets them as arguments.
  static let composition = [
    "Sources/BrumeServer/", "Sources/BrumeClient/", "Sources/BrumeKit/", "Sources/BrumePlaces/",
    "Sources/brume/",
  ]

  /// The ways to read a clock or to wait, to make an identity, and to draw chance.
  // ECDSA signatures are not among them: neither library takes the number that each of them draws.
  static let ownSources: [(way: Pattern, instead: String)] = [
    (
      #"\bDate\(\)|\bDate\.now\b|timeIntervalSinceNow|CFAbsoluteTimeGetCurrent"#, "Host.now"
    ),
    (
      #"\b(?:ContinuousClock|SuspendingClock|DispatchTime|DispatchWallTime|NIODeadline)\b"#,
      "Host.now"
    ),
    (#"\b(?:clock_gettime|gettimeofday|systemUptime)\b|\btime\((?:nil|&)"#, "Host.now"),
    (#": \.now\b|= \.now\b|\(\.now\b"#, "Host.now"),
    (#"(?i)\b(?:current_timestamp|current_time|strftime|unixepoch|julianday)\b"#, "a bound time"),
    (
      #"\bTask\.sleep\b|\bTask<Never, Never>\.sleep\b|\b(?:u|nano)?sleep\(\d"#, "PushClock.sleep"
    ),
    (#"\bThread\.sleep\b|\bTimer\(|\bDispatchSource\b|\basyncAfter\b"#, "PushClock.sleep"),
    (#"\bUUID\(\)|\buuid_generate"#, "Host.uuid"),
    (#"\.random\(|\brandomElement\(\)|\.shuffled?\(\)"#, "Host.randomBytes or the seeded source"),
    (
      #"\b(?:SystemRandomNumberGenerator|SecRandomCopyBytes|getrandom|arc4random\w*)\b"#,
      "Host.randomBytes"
    ),
    (#"\b(?:s?rand(?:om)?)\(\)|/dev/u?random|(?i)\brandomblob\b"#, "Host.randomBytes"),
    (
      #"PrivateKey\(\)|PrivateKey\((?:compactRepresentable|keySize):"#,
      "a key made from Host.randomBytes"
    ),
    (#"\bSymmetricKey\(size|\bNonce\(\)"#, "a key made from Host.randomBytes"),
    (#"\.seal\((?:(?!nonce:)[^)])*\)"#, "a nonce from Host.randomBytes"),
  ]
  .map { (Pattern($0.0), $0.1) }

  @Test(arguments: try swiftFiles(under: "Sources"))
  func `source file keeps the house rules`(path: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)

    #expect(lines.count <= Self.fileLengthLimit, "\(path): split this file by topic")
    #expect(lines.first?.hasPrefix("//") == true, "\(path): begin with what this file decides")
    let code = code(lines)
    for rule in Self.banned where !rule.allowed.contains(where: { path.contains($0) }) {
      #expect(
        !code.contains(rule.text),
        "\(path): '\(rule.text)' is banned, use \(rule.instead)")
    }
    for function in functions(in: lines) {
      #expect(
        function.length <= Self.functionLengthLimit,
        "\(path):\(function.line): move the branch-free part into a function of its own")
    }
  }

  @Test(arguments: try swiftFiles(under: "Sources"))
  func `nothing below the composition has a clock, identity or chance of its own`(
    path: String
  ) throws {
    if Self.composition.contains(where: { path.hasPrefix($0) }) { return }
    // It computes chance from a seed.
    if path.hasSuffix("/SeededRandom.swift") { return }
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let code = code(text.split(separator: "\n", omittingEmptySubsequences: false))
    for (way, instead) in Self.ownSources {
      let found = way.first(in: code)
      #expect(found == nil, "\(path): '\(found ?? "")' is not for this layer, use \(instead)")
    }
  }

  @Test(arguments: [
    "let now = Date()", "let now: Date = .now", "Date.now", "ContinuousClock().now",
    "DispatchTime.now()", "clock_gettime(CLOCK_REALTIME, &time)", "time(nil)",
    "try await Task.sleep(for: .seconds(1))", "UUID().uuidString", "Int.random(in: 0...9)",
    "list.randomElement()", "list.shuffled()", "var chance = SystemRandomNumberGenerator()",
    "P256.Signing.PrivateKey()", "P256.Signing.PrivateKey(compactRepresentable: false)",
    "_RSA.Signing.PrivateKey(keySize: .bits2048)", "SymmetricKey(size: .bits256)",
    "AES.GCM.seal(bytes, using: key)", "AES.GCM.seal(\n  bytes, using: key)",
    "SELECT randomblob(16)",
  ])
  func `each way to a clock, identity or chance is known`(way: String) {
    #expect(Self.ownSources.contains { $0.way.first(in: way) != nil })
  }

  @Test(arguments: [
    "let now = host.now()", "clock.now", "try await clock.sleep(until)", "host.uuid()",
    "host.randomBytes(16)", "list.randomElement(using: &random)", "pick.random.next(below: 3)",
    "P256.Signing.PrivateKey(rawRepresentation: key)", "mutating func operand() -> Node",
    "AES.GCM.seal(bytes, using: key, nonce: nonce)", "Date(timeIntervalSince1970: seconds)",
  ])
  func `what is given is no way of its own`(code: String) {
    #expect(!Self.ownSources.contains { $0.way.first(in: code) != nil })
  }

  @Test(arguments: try swiftFiles(under: "Sources"))
  func `an unchecked Sendable says why`(path: String) throws {
    let text = try String(contentsOf: Self.root.appending(path: path), encoding: .utf8)
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    for (index, line) in lines.enumerated()
    where line.contains("@unchecked Sendable") && !line.contains("//") {
      let above = lines[max(0, index - 8)..<index].joined(separator: "\n")
      #expect(
        above.contains("Sendable because"),
        "\(path):\(index + 1): say why in '// Sendable because …'")
    }
  }

  @Test func `rules and the planner know no JSON, no SQL, no socket, no clock`() throws {
    let allowed: Set<String> = [
      "BrumeModel", "BrumePredicate", "BrumeSchema", "BrumeStorage", "Crypto", "CryptoExtras",
      "BrumeCore", "Logging", "FoundationEssentials", "Foundation", "Synchronization",
    ]
    let rules = ["BrumeCore", "BrumeNotifier", "BrumeQueryPlan"]
    for path in try rules.flatMap({ try swiftFiles(under: "Sources/\($0)") }) {
      for name in try imports(of: path) {
        #expect(allowed.contains(name), "\(path): neither rules nor the planner may import \(name)")
      }
    }
  }

  @Test(arguments: [
    ("Hummingbird", ["BrumeServer"]), ("GRDB", ["BrumeSQLite"]), ("CPostgres", ["BrumePostgres"]),
    (
      "AsyncHTTPClient", ["BrumeClient", "BrumePush", "BrumeAssets", "BrumeOpenID", "BrumeTracing"]
    ),
    ("Tracing", ["BrumeTracing"]),
    ("ArgumentParser", ["brume"]),
  ])
  func `a third-party package enters in one place`(package: String, homes: [String]) throws {
    for path in try swiftFiles(under: "Sources") where try imports(of: path).contains(package) {
      #expect(homes.contains { path.hasPrefix("Sources/\($0)/") }, "\(path) imports \(package)")
    }
  }
}

private func swiftFiles(under folder: String) throws -> [String] {
  let start = Tidy.root.appending(path: folder)
  return try FileManager.default.subpathsOfDirectory(atPath: start.path)
    .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }.sorted()
}

private func imports(of path: String) throws -> [String] {
  let text = try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8)
  let form =
    /^(?:@\w+(?:\([^)]*\))? )*(?:package |public |internal )?import (?:struct |enum |class |func )?(\w+)/
  return text.split(separator: "\n").filter { $0.contains("import ") }
    .compactMap { $0.prefixMatch(of: form).map { String($0.1) } }
}

/// The text without comment lines: rules are about code.
private func code(_ lines: [Substring]) -> String {
  lines.filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }.joined(separator: "\n")
}

/// Finds functions by indentation, which swift-format has already made trustworthy.
private func functions(in lines: [Substring]) -> [(line: Int, length: Int)] {
  var found: [(line: Int, length: Int)] = []
  for (start, line) in lines.enumerated() {
    // Few lines have one of these, and looking for a word takes longer.
    guard line.contains("func") || line.contains("init"),
      line.contains(/\b(func|init)\b.*[({<]/)
    else { continue }
    let indent = line.prefix { $0 == " " }
    // Requirements of protocols and empty bodies have no end of their own.
    let opening = line.hasSuffix("(") ? lines[start...].first { $0.hasPrefix("\(indent))") } : line
    if opening?.hasSuffix("{") == false { continue }
    let end = lines[start...].firstIndex { $0 == "\(indent)}" } ?? start
    found.append((start + 1, end - start + 1))
  }
  return found
}
