// Every header of a request that the server reads passes the one rule for texts that enter: it is in the list of
// HeaderRules.swift. Read from the texts of Sources/BrumeServer, the only place where requests come in.

import Foundation
import Testing

@Suite struct HeaderTidy {
  private static let rules = "Sources/BrumeServer/Middleware/HeaderRules.swift"
  /// Read by code that takes one form of text and passes over every other. They refuse no request, because others send them
  /// who know nothing of us: browsers a host's cookies to each of its ports, and proxies traces. `Connection` is an answer's, and
  /// `Host` is compared with names that may be (AllowedHosts.swift). `Expect` and `Transfer-Encoding` have one text each that is
  /// taken, and a request with another is refused before any of it is read (ConnectionGuard.swift). Of what shows a proxy it
  /// counts only that it is there.
  private static let apart: Set = [
    "cookie", "traceparent", "connection", "secondHost", "expect", "transferEncoding",
    "forwarded", "realIP", "via", "forwardedHost",
  ]

  @Test func `every header that is read is in the list of HeaderRules`() throws {
    let (listed, read) = (try listed(), try readBySources())
    for (name, path) in read {
      #expect(
        listed.contains(name),
        "\(path) reads .\(name): add it to the list in \(Self.rules), or read it by its 'text'")
    }
    #expect(read.count > 15, "hardly any is read: is the code's form still what this test reads?")
  }

  @Test func `every header in the list of HeaderRules is read`() throws {
    let read = try readBySources()
    for name in try listed() {
      #expect(read[name] != nil, "nobody reads .\(name): take it from the list in \(Self.rules)")
    }
  }

  @Test(arguments: [
    "let agent = call.headers[.userAgent]", "if request.headers[.userAgent] == nil {",
    "guard let agent = headers[.userAgent], agent.isOurs else {", "self[.userAgent] ?? \"\"",
    "let all = request.headers[values: .userAgent]", "request[.userAgent].map { $0 == tag }",
    "let fields = call.headers[fields: .userAgent]", "head.headerFields[.userAgent] == \"x\"",
  ])
  func `a header that nobody listed is found`(planted: String) throws {
    #expect(Self.reads(in: planted) == ["userAgent"])
    #expect(try !listed().contains("userAgent"))
  }

  @Test(arguments: [
    "reply.headers[.eTag] = file.tag", "headers[.contentLength] = String(size)",
    "if response.headers[.fault] == nil {", "guard let allowed = options.headers[.allow] else {",
    "let url = sources[.userAgent]",
  ])
  func `what an answer has, and what is no header, is not taken for it`(code: String) {
    #expect(Self.reads(in: code) == [])
  }

  /// A name that is computed would pass by the list.
  @Test func `headers are read by names that stand in the code`() throws {
    for path in try sources() where path != Self.rules {
      let found = try code(of: path).firstMatch(of: Self.otherWays).map { String($0.output) }
      #expect(found == nil, "\(path): '\(found ?? "")': read a header as headers[.name]")
    }
  }

  @Test(arguments: [
    "request.headers[HTTPField.Name(\"X-Own\")!]", "call.headers[name]", "head.headers[\"X-Own\"]",
    "head.headers.first(name: \"X-Own\")", "head.headers[canonicalForm: \"X-Own\"]",
    "for field in request.headers {",
  ])
  func `another way to read one is known`(planted: String) {
    #expect(planted.firstMatch(of: Self.otherWays) != nil)
  }

  // MARK: Reading the code

  private static var otherWays: Regex<Substring> {
    #/(?:headers|headerFields|fields)(?:\[(?!\.|values: \.|fields: \.|name\] = )|\.first\(name:)|for \w+ in \w+\.headers /#
  }

  /// Names behind something that may be a request's fields, but for those that are set, and for fields of answers.
  private static func reads(in code: String) -> Set<String> {
    let pattern =
      /([\w.]*\b(?:headers|headerFields|fields|request|self))\[(?:(?:values|fields): )?\.(\w+)\](?!\s*=[^=])/
      // By Unicode's rules, the point of `call.headers` ends no word.
      .wordBoundaryKind(.simple)
    let answers = ["response.", "reply.", "answer.", "options."]
    return Set(
      code.matches(of: pattern)
        .filter { match in !answers.contains { match.1.hasPrefix($0) } }.map { String($0.2) })
  }

  /// Each with a file that reads it.
  private func readBySources() throws -> [String: String] {
    var found: [String: String] = [:]
    for path in try sources() {
      for name in Self.reads(in: try code(of: path)) { found[name] = path }
    }
    return found
  }

  /// The names in the list of HeaderRules.swift, and those that need not be there.
  private func listed() throws -> Set<String> {
    let code = try code(of: Self.rules)
    let begin = try #require(code.range(of: "let read: [HTTPField.Name] = ["))
    let names = code[begin.upperBound...].prefix { $0 != "]" }
    return Self.apart.union(names.matches(of: /\.(\w+)/).map { String($0.1) })
  }

  private func sources() throws -> [String] {
    let folder = "Sources/BrumeServer"
    return try FileManager.default
      .subpathsOfDirectory(atPath: Tidy.root.appending(path: folder).path)
      .filter { $0.hasSuffix(".swift") }.map { "\(folder)/\($0)" }
  }

  private func code(of path: String) throws -> String {
    try String(contentsOf: Tidy.root.appending(path: path), encoding: .utf8).split(separator: "\n")
      .filter { !$0.drop(while: { $0 == " " }).hasPrefix("//") }.joined(separator: "\n")
  }
}
