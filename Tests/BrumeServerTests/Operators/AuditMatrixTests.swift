// Every endpoint of operators and its line in the audit log: whether there is one, and what it says, is computed
// from what the table says of the endpoint.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

@Suite struct AuditMatrixTests {
  /// Stands in the place of whatever a call is about.
  private static let subject = "somebody"
  /// Its stream answers without end: Tests/Independent/console_time.py.
  private static let endless = "/_brume/admin/events"

  @Test func `each call that changes something or takes data along has one line: who, what, whom`()
    async throws
  {
    try await matrix { client, calls in
      let token = try await Self.token(.full, client)
      var lines = 0
      for call in calls where call.endpoint.path != Self.endless {
        // Without its own session there is nobody to ask; a token has none to end.
        let answer = try await call.made(by: token, client)
        let found = try await Self.lines(of: answer, client)
        guard call.isAudited else {
          #expect(found.isEmpty, "\(call): \(found)")
          continue
        }
        lines += 1
        #expect(found.count == 1, "\(call): \(found)")
        let line = try #require(found.first, "\(call)")
        #expect(line["operator"] == "token full", "\(call)")
        #expect(line["action"]?.string == call.action, "\(call)")
        #expect(line["subject"]?.string == call.subject, "\(call)")
        #expect(line["refused"] == false, "\(call)")
        #expect(line["status"]?.int == Int64(answer.status), "\(call): \(answer.text)")
      }
      #expect(lines > 40)
    }
  }

  @Test func `each call that an operator may not make has one line that says so, and whose it was`()
    async throws
  {
    try await matrix { client, calls in
      let token = try await Self.token(.readOnly, client)
      var lines = 0
      for call in calls where call.effect.needsFullRole {
        let answer = try await call.made(by: token, client)
        #expect(answer.status == 403, "\(call): \(answer.text)")
        try await Self.expectRefusal(call, by: "token readOnly", answer, client)
        lines += 1
      }
      #expect(lines > 40)
    }
  }

  @Test func `each call of nobody has one line that says so`() async throws {
    try await matrix { client, calls in
      for call in calls {
        let answer = try await call.made(by: String(repeating: "0", count: 64), client)
        #expect(answer.status == 401, "\(call): \(answer.text)")
        try await Self.expectRefusal(call, by: "", answer, client)
      }
    }
  }

  // MARK: Calls

  private struct Call: CustomStringConvertible {
    let endpoint: Endpoint
    let method: HTTPRequest.Method
    let effect: Effect
    var description: String { "\(method) \(endpoint.path)" }
    var action: String { String(endpoint.path.dropFirst("/_brume/admin/".count)) }

    /// The key or parameter in which whom or what stands, as the table has it.
    private var key: String? {
      switch effect {
      case .changes(let key, _), .reveals(let key): key
      case .reads, .endsSession: nil
      }
    }
    private var part: String? { if case .changes(_, let part) = effect { part } else { nil } }
    /// What the line says of whom or what it was about.
    var subject: String {
      [key.map { _ in AuditMatrixTests.subject }, part.map { "\($0) \(AuditMatrixTests.subject)" }]
        .compactMap { $0 }.joined(separator: ", ")
    }

    /// The documented rule: what changes something, and what takes somebody's data along.
    var isAudited: Bool {
      switch effect {
      case .changes, .endsSession, .reveals(of: .some): true
      case .reads, .reveals(of: nil): false
      }
    }

    func made(by token: String, _ client: RouteClient) async throws -> Answer {
      let query = method == .get ? key.map { "?\($0)=\(AuditMatrixTests.subject)" } ?? "" : ""
      let body = JSON.object(
        JSONObject(
          uniqueMembers: [key, part].compactMap { $0 }.map {
            .init(key: $0, value: .string(AuditMatrixTests.subject))
          }))
      return try await client.send(
        endpoint.path + query, method, method == .get ? nil : body.bytes(),
        [.authorization: "Bearer \(token)"])
    }
  }

  private func matrix(
    _ body: @Sendable (RouteClient, [Call]) async throws -> Void
  ) async throws {
    // A line for each of them, however many come in a second.
    let fixture = try await ServerFixture { $0.limits.auditRefusalsBurst = 1000 }
    try await fixture.routes { client in
      let calls = RouteTable(fixture.server).endpoints.flatMap { endpoint -> [Call] in
        guard case .operator(let effect) = endpoint.access else { return [] }
        return endpoint.methods.map { Call(endpoint: endpoint, method: $0, effect: effect) }
      }
      #expect(calls.count > 80)
      try await body(client, calls)
    }
  }

  /// The token of an operator's program, named after its role.
  private static func token(_ role: OperatorRole, _ client: RouteClient) async throws -> String {
    try await client.fixture.server.engine.adminTokens.create(
      name: "\(role)", role: role, days: nil, by: .owner
    ).secret
  }

  private static func lines(of answer: Answer, _ client: RouteClient) async throws -> [JSON] {
    let name = try #require(HTTPField.Name("X-Apple-Request-UUID"))
    return try await client.audit("?request=\(try #require(answer.headers[name]))")
  }

  private static func expectRefusal(
    _ call: Call, by name: String, _ answer: Answer, _ client: RouteClient
  ) async throws {
    let found = try await lines(of: answer, client)
    #expect(found.count == 1, "\(call): \(found)")
    let line = try #require(found.first, "\(call)")
    #expect(line["operator"]?.string == name && line["refused"] == true, "\(call): \(line)")
    #expect(line["action"]?.string == call.action, "\(call)")
    #expect(line["status"]?.int == Int64(answer.status), "\(call)")
  }
}
