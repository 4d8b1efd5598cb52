// The protocol's text cases, on both engines: through the routes without a socket, and over HTTP.

import BrumeClient
import BrumeConformance
import BrumeModel
import BrumeServer
import BrumeWire
import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import Testing

@Suite struct ConformanceTests {
  static let folder = #filePath.replacing(
    "Tests/BrumeServerTests/ConformanceTests.swift", with: "Conformance/cases")

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

  @Test func `every case that needs nothing but settings runs in some test`() throws {
    let known: Set = ["second user", "key", "operator", "limits tiny", "schema production"]
    for test in try CaseFiles.cases(in: Self.folder) {
      #expect(known.isSuperset(of: test.needs), "\(test.name)")
    }
  }

  private func play(
    _ fixture: ServerFixture, _ transport: any Transport, _ url: String
  ) async throws {
    var target = Target(
      url: url, container: ContainerID(ServerFixture.container),
      apiToken: fixture.ready.apiToken, transport: transport,
      now: { Date().timeIntervalSince1970 })
    target.firstUser = fixture.ready.accounts.first?.token
    target.secondUser = fixture.ready.accounts.last?.token
    target.operatorToken = fixture.server.adminToken
    if let id = fixture.ready.keyID, let file = fixture.ready.keyFile {
      let pem = try String(contentsOfFile: file, encoding: .utf8)
      target.serverKey = .init(id: id, privateKeyPEM: pem)
    }
    let outcomes = try await Runner(target, label: "t").run(CaseFiles.cases(in: Self.folder))
    for outcome in outcomes {
      guard case .failed(let problems) = outcome.result else { continue }
      Issue.record("\(outcome.name): \(problems.joined(separator: "; ")) [\(outcome.source)]")
    }
    #expect(!outcomes.isEmpty)
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
