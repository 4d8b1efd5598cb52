// The protocol's text cases, on both engines: through the routes without a socket, and over HTTP.

import BrumeClient
import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Synchronization
import Testing

@testable import BrumeConformance

@Suite struct ConformanceTests {
  static let folder = #filePath.replacing(
    "Tests/BrumeServerTests/ConformanceTests.swift", with: "Conformance/cases")

  static let description = #filePath.replacing(
    "Tests/BrumeServerTests/ConformanceTests.swift", with: "docs/protocol/openapi.yaml")

  @Test(arguments: [Settings.Engine.memory, .sqlite])
  func `all cases pass in process`(engine: Settings.Engine) async throws {
    let fixture = try await ServerFixture { $0.engine = engine }
    try await fixture.routes { client in
      try await play(fixture, RoutesTransport(client: client.client), "http://server")
    }
  }

  @Test(arguments: [Settings.Engine.memory, .sqlite])
  func `all cases pass over HTTP`(engine: Settings.Engine) async throws {
    let fixture = try await ServerFixture { $0.engine = engine }
    try await fixture.live { _ in
      try await play(fixture, HTTPTransport(), fixture.server.url)
    }
  }

  @Test func `all cases pass over HTTP without a library for it`() async throws {
    let fixture = try await ServerFixture()
    try await fixture.live { _ in
      try await play(fixture, PlainTransport(), fixture.server.url)
    }
  }

  /// The settings that some cases need, and a server that has them.
  private static let settings = ["limits tiny", "user quota 17000"]

  @Test(arguments: [Settings.Engine.memory, .sqlite])
  func `cases for servers with other settings pass there`(engine: Settings.Engine) async throws {
    let fixture = try await ServerFixture {
      $0.engine = engine
      $0.limits = .tiny
      $0.limits.storageBytesPerUser = 17_000
    }
    try await fixture.routes { client in
      try await play(
        fixture, RoutesTransport(client: client.client), "http://server", needing: Self.settings)
    }
  }

  /// A server whose users may call once a second.
  private static let slow = ["user rate 1"]

  @Test(arguments: [Settings.Engine.memory, .sqlite])
  func `cases for a server with a rate limit pass there`(engine: Settings.Engine) async throws {
    let clock = CaseClock()
    let fixture = try await ServerFixture(host: clock.host) {
      $0.engine = engine
      $0.rates.user = 1
    }
    try await fixture.routes { client in
      try await play(
        fixture, RoutesTransport(client: client.client), "http://server", needing: Self.slow,
        clock: clock)
    }
  }

  @Test func `every error code of the protocol has a case`() throws {
    let cases = try CaseFiles.cases(in: Self.folder)
    let shown = cases.reduce(into: Set<String>()) { $0.formUnion($1.errorCodes) }
    let codes = Set(BrumeError.Code.allCases.map(\.meaning.wire))
    #expect(codes.subtracting(shown).sorted() == [])
    #expect(shown.subtracting(codes).sorted() == [])
  }

  @Test(arguments: BrumeError.Code.allCases)
  func `every error is within the description`(code: BrumeError.Code) throws {
    let description = try Description(file: Self.description)
    let error = BrumeError(code, "a reason", retryAfter: 1)
    let reply = try JSON(parsing: Wire.error(error, uuid: "u"))
    #expect(
      description.problems(
        method: "POST", target: "/database/1/iCloud.a/development/private/records/lookup",
        status: code.meaning.httpStatus, reply: reply) == [])
  }

  @Test func `the binary has the cases of the folder`() throws {
    let folder = URL(filePath: Self.folder)
    let paths = try FileManager.default.subpathsOfDirectory(atPath: Self.folder)
      .filter { $0.hasSuffix(".yaml") }.sorted()
    #expect(CaseFiles.files.map { "\($0.name).yaml" } == paths)
    for file in CaseFiles.files {
      let text = try String(
        contentsOf: folder.appending(path: "\(file.name).yaml"), encoding: .utf8)
      #expect(file.text == text, "\(file.name)")
    }
    #expect(try CaseFiles.bundled() == CaseFiles.cases(in: Self.folder))
  }

  @Test func `every case runs in some test`() throws {
    let known = Set(["second user", "key", "operator", "faults"] + Self.settings + Self.slow)
    for test in try CaseFiles.cases(in: Self.folder) {
      #expect(known.isSuperset(of: test.needs), "\(test.name)")
    }
  }

  @Test func `a reply outside the description is found out`() throws {
    let description = try Description(file: Self.description)
    func problems(_ status: Int, _ reply: JSON) -> [String] {
      description.problems(
        method: "POST", target: "/database/1/iCloud.a/development/private/records/lookup?a=b",
        status: status, reply: reply)
    }
    let zone: JSON = ["zoneName": "Z", "zoneType": "REGULAR_CUSTOM_ZONE"]
    let gone: JSON = ["recordName": "A", "deleted": true, "zoneID": zone]
    #expect(problems(200, ["records": [gone]]) == [])
    #expect(
      problems(200, ["records": [["recordName": "A", "deleted": true, "mood": "good"]]]).count == 1)
    #expect(problems(200, ["records": [["recordName": "A"]]]).isEmpty == false)
    #expect(problems(200, [:]) == ["reply/records is missing"])
    #expect(problems(200, ["records": "A"]).isEmpty == false)
    #expect(problems(302, [:]) == ["the description knows no status 302 here"])
    #expect(problems(400, ["serverErrorCode": "NOVEL", "reason": "a", "uuid": "b"]).count == 1)
  }

  private func play(
    _ fixture: ServerFixture, _ transport: any Transport, _ url: String,
    needing settings: [String] = [], clock: CaseClock? = nil
  ) async throws {
    var target = Target(
      url: url, in: ServerFixture.containerEnvironment,
      apiToken: fixture.ready.apiToken, transport: transport,
      now: { Date().timeIntervalSince1970 }, wait: { try await Task.sleep(for: .seconds($0)) })
    target.firstUser = fixture.ready.accounts.first?.token
    target.secondUser = fixture.ready.accounts.last?.token
    target.settings = Set(settings + ["faults"])
    if let clock { target.wait = { clock.advance(seconds: $0) } }
    target.operatorToken = fixture.server.adminToken
    if let id = fixture.ready.keyID, let file = fixture.ready.keyFile {
      let pem = try String(contentsOfFile: file, encoding: .utf8)
      target.serverKey = .init(id: id, privateKeyPEM: pem)
    }
    let description = try Description(file: Self.description)
    let runner = Runner(target, label: "t", description: description)
    let cases = try CaseFiles.cases(in: Self.folder).filter { test in
      settings.isEmpty || test.needs.contains { settings.contains($0) }
    }
    let outcomes = try await runner.run(cases)
    for outcome in outcomes {
      guard case .failed(let problems) = outcome.result else { continue }
      Issue.record("\(outcome.name): \(problems.joined(separator: "; ")) [\(outcome.source)]")
    }
    #expect(!outcomes.isEmpty)
  }
}

/// A server's time, which passes when a case says so.
final class CaseClock: Sendable {
  private let milliseconds = Mutex<Milliseconds>(1_700_000_000_000)

  func advance(seconds: Double) {
    milliseconds.withLock { $0 += Milliseconds((seconds * 1000).rounded(.up)) }
  }

  func advance(milliseconds count: Milliseconds) { milliseconds.withLock { $0 += count } }

  var host: BrumeCore.Host {
    let real = BrumeCore.Host.real
    return BrumeCore.Host(
      now: { self.milliseconds.withLock { $0 } }, uuid: real.uuid, randomBytes: real.randomBytes)
  }
}

/// Calls of the routes themselves.
struct RoutesTransport: Transport {
  let client: any TestClientProtocol

  func send(_ call: HTTPCall) async throws -> HTTPAnswer {
    var headers = HTTPFields()
    for header in call.headers { headers[HTTPField.Name(header.name)!] = header.value }
    let method = try #require(HTTPRequest.Method(rawValue: call.method))
    return try await client.execute(
      uri: call.target, method: method, headers: headers, body: ByteBuffer(bytes: call.body)
    ) { response in
      HTTPAnswer(
        status: response.status.code,
        headers: response.headers.map { .init($0.name.rawName, $0.value) },
        body: Array(response.body.readableBytesView))
    }
  }

  func receive(
    _ call: HTTPCall, _ take: (ArraySlice<UInt8>) async throws -> Void
  ) async throws -> HTTPAnswer? {
    try await send(call)
  }
}

extension Case {
  /// The values of `serverErrorCode` that an answer must have, the columns of a table filled in.
  fileprivate var errorCodes: Set<String> {
    Set(steps.flatMap { $0.pattern.map(codes) ?? [] })
  }

  private func codes(in pattern: JSON) -> [String] {
    switch pattern {
    case .object(let object):
      object.members.flatMap { member -> [String] in
        guard member.key == "serverErrorCode", let text = member.value.string else {
          return codes(in: member.value)
        }
        let filled = values.first { "${\($0.key)}" == text }?.value.string ?? text
        return filled.hasPrefix("$") ? [] : [filled]
      }
    case .array(let elements): elements.flatMap { codes(in: $0) }
    case .null, .bool, .int, .double, .string: []
    }
  }
}
