// Every endpoint of operators against everybody who may come: what each gets is computed from what the
// table says of the endpoint.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import HTTPTypes
import Testing

@Suite struct OperatorMatrixTests {
  /// Who calls.
  enum Caller: CaseIterable, Sendable {
    case nobody, wrongToken, userToken, apiToken, serverKey, removedOperator, endedSession
    case sessionAsToken, tokenAsSession
    case readOnlyOperator, readOnlyToken, sessionWithoutCSRF, sessionOfForeignPage
    case fullOperator, fullToken, owner
  }

  /// What an endpoint answers: the rules' own business, or a refusal before it.
  enum Outcome: Equatable { case letIn, unknown, forbidden }

  /// The whole rule.
  static func expected(_ caller: Caller, _ effect: Effect) -> Outcome {
    switch caller {
    case .nobody, .wrongToken, .userToken, .apiToken, .serverKey, .removedOperator, .endedSession,
      .sessionAsToken, .tokenAsSession:
      .unknown
    case .readOnlyOperator, .readOnlyToken:
      switch effect {
      case .reads, .endsSession: .letIn
      case .reveals, .changes: .forbidden
      }
    case .sessionWithoutCSRF, .sessionOfForeignPage:
      // Those pages cannot read the answer, nor does a browser send the cookie for them.
      effect.changesSomething ? .forbidden : .letIn
    case .fullOperator, .fullToken, .owner: .letIn
    }
  }

  @Test(arguments: Caller.allCases)
  func `an operator's endpoint lets in whom the table says, and nobody else`(caller: Caller)
    async throws
  {
    try await ServerFixture().routes { client in
      let endpoints = RouteTable(client.fixture.server).endpoints
      var tried = 0
      for endpoint in endpoints {
        guard case .operator(let effect) = endpoint.access else { continue }
        for method in endpoint.methods {
          // Whom it lets in it answers without end: Tests/Independent/console_time.py.
          if endpoint.path == "/_brume/admin/events", Self.expected(caller, effect) == .letIn {
            continue
          }
          let headers = try await Self.headers(of: caller, client, for: endpoint)
          let answer = try await client.send(
            endpoint.path + Self.query(of: caller, client), method,
            method == .get ? nil : Array("{}".utf8), headers)
          let outcome: Outcome =
            switch answer.status {
            case 401: .unknown
            case 403: .forbidden
            default: .letIn
            }
          #expect(
            outcome == Self.expected(caller, effect),
            "\(method) \(endpoint.path) as \(caller): \(answer.status) \(answer.text)")
          if outcome != .letIn { #expect(answer.headers[.setCookie] == nil) }
        }
        tried += 1
      }
      #expect(tried > 40)
    }
  }

  @Test func `an endpoint below the operators' path is an operator's, but for signing in`()
    async throws
  {
    let open = [
      "/_brume/admin/session", "/_brume/admin/session/first", "/_brume/admin/session/provider",
      "/_brume/admin/session/invitation", "/_brume/admin/session/invitation/accept",
    ]
    for endpoint in try await ServerFixture.endpoints()
    where endpoint.path.hasPrefix("/_brume/admin/") {
      let asksForProvider = endpoint.path == open[2]
      let isSignIn =
        open.contains(endpoint.path) && (endpoint.methods == [.post] || asksForProvider)
      #expect(endpoint.access.isOperators != isSignIn, "\(endpoint.path)")
    }
  }

  @Test func `what changes something is never asked with GET, which a page of others can make`()
    async throws
  {
    for endpoint in try await ServerFixture.endpoints() {
      guard case .operator(let effect) = endpoint.access, effect.changesSomething else { continue }
      #expect(endpoint.methods == [.post], "\(endpoint.path)")
    }
  }

  // MARK: Callers

  private static func query(of caller: Caller, _ client: RouteClient) -> String {
    switch caller {
    case .userToken: "?\(client.fixture.credentials("alice"))"
    case .apiToken: "?\(client.fixture.credentials(nil))"
    default: ""
    }
  }

  private static func headers(
    of caller: Caller, _ client: RouteClient, for endpoint: Endpoint
  ) async throws -> HTTPFields {
    let fixture = client.fixture
    switch caller {
    case .nobody: return [:]
    case .wrongToken: return bearer(String(repeating: "0", count: 64))
    case .userToken: return bearer(fixture.ready.accounts[0].token)
    case .apiToken: return bearer(fixture.ready.apiToken)
    case .serverKey:
      return try AuthenticationTests.headers(fixture, target: endpoint.path, body: "{}")
    case .owner: return bearer(fixture.server.adminToken)
    case .removedOperator:
      let headers = try await session(.full, fixture)
      _ = try await fixture.server.engine.operators.remove(name(.full))
      return headers
    case .endedSession:
      let headers = try await session(.full, fixture)
      try await end(headers, client)
      return headers
    case .sessionAsToken:
      let secret = try await made(.full, fixture).secret
      return bearer(secret)
    case .tokenAsSession:
      let token = try await token(.full, fixture)
      return [.cookie: "\(cookieName)=\(token)"]
    case .readOnlyOperator: return try await session(.readOnly, fixture)
    case .readOnlyToken: return bearer(try await token(.readOnly, fixture))
    case .sessionWithoutCSRF:
      var headers = try await session(.full, fixture)
      headers[OperatorBrowser.csrfHeader] = nil
      return headers
    case .sessionOfForeignPage:
      var headers = try await session(.full, fixture)
      headers[HTTPField.Name("Sec-Fetch-Site")!] = "cross-site"
      return headers
    case .fullOperator: return try await session(.full, fixture)
    case .fullToken: return bearer(try await token(.full, fixture))
    }
  }

  private static let cookieName = "brume-operator-80"

  private static func bearer(_ token: String) -> HTTPFields { [.authorization: "Bearer \(token)"] }

  private static func name(_ role: OperatorRole) -> String { "person-\(role.rawValue)" }

  /// A session that needs no password: made as the sign-in makes it once the password was right.
  private static func made(
    _ role: OperatorRole, _ fixture: ServerFixture
  ) async throws -> NewOperatorCredential {
    let engine = fixture.server.engine
    let known = try await engine.operators.all().first { $0.name == name(role) }
    let person =
      known
      ?? Operator(id: name(role), name: name(role), role: role, passwordHash: "none", created: 0)
    if known == nil {
      try await fixture.server.store.write(in: .server) { try $0.operators.put(person) }
    }
    return try await engine.operatorSessions.begin(for: person)
  }

  private static func session(
    _ role: OperatorRole, _ fixture: ServerFixture
  ) async throws -> HTTPFields {
    let made = try await made(role, fixture)
    let csrf = fixture.server.engine.operatorAuthentication.csrfToken(of: made.credential)
    return [
      .cookie: "\(cookieName)=\(made.secret)", OperatorBrowser.csrfHeader: csrf,
    ]
  }

  private static func token(
    _ role: OperatorRole, _ fixture: ServerFixture
  ) async throws -> String {
    let tokens = fixture.server.engine.adminTokens
    for known in try await tokens.all().tokens { _ = try await tokens.revoke(known.name) }
    return try await tokens.create(name: "t", role: role, days: nil, by: .owner).secret
  }

  private static func end(_ headers: HTTPFields, _ client: RouteClient) async throws {
    let ended = try await client.send(
      "/_brume/admin/session/end", .post, Array("{}".utf8), headers)
    #expect(ended.status == 200, "\(ended.text)")
  }
}
