// An operator's browser: keeps the session's cookie, sends the CSRF token with what changes something.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeWire
import HTTPTypes
import Testing

struct OperatorBrowser: Sendable {
  static let csrfHeader = HTTPField.Name("X-Brume-CSRF")!
  let client: RouteClient
  /// `name=secret`.
  let cookie: String
  var csrf: String?

  /// The browser that an answer to signing in has signed in.
  init(_ client: RouteClient, signedInBy answer: Answer) throws {
    #expect(answer.status == 200, "\(answer.text)")
    self.client = client
    let header = try #require(answer.headers[.setCookie])
    cookie = String(header.prefix { $0 != ";" })
    csrf = answer.json["csrf"]?.string
    #expect(csrf != nil)
  }

  var headers: HTTPFields {
    var headers: HTTPFields = [.cookie: "other=1; \(cookie)"]
    headers[Self.csrfHeader] = csrf
    return headers
  }

  func get(_ path: String) async throws -> Answer {
    try await client.send("/_brume/admin/\(path)", .get, nil, headers)
  }

  func post(_ path: String, _ body: JSON = [:]) async throws -> Answer {
    try await client.send("/_brume/admin/\(path)", .post, body.bytes(), headers)
  }
}

extension RouteClient {
  static let password = "correct horse"

  /// Adds an operator, as the machine's owner.
  func addOperator(_ name: String, role: OperatorRole = .full) async throws {
    let made = try await admin(
      "operators",
      [
        "name": .string(name), "password": .string(Self.password), "role": .string(role.rawValue),
      ])
    #expect(made.status == 200, "\(made.text)")
  }

  func signIn(
    _ name: String, password: String = password, headers: HTTPFields = [:]
  ) async throws -> Answer {
    let body: JSON = ["name": .string(name), "password": .string(password)]
    return try await send("/_brume/admin/session", .post, body.bytes(), headers)
  }

  func browser(of name: String) async throws -> OperatorBrowser {
    try OperatorBrowser(self, signedInBy: try await signIn(name))
  }

  /// Uses a one-time link's secret.
  func use(link: String, name: String? = nil, password: String = password) async throws -> Answer {
    let body = OperatorSignIn(name: name, password: name.map { _ in password }, link: link)
    return try await send("/_brume/admin/session/first", .post, body.bytes())
  }

  /// The secret of a new one-time link; nil if the server makes none.
  func link() async throws -> String? {
    try await fixture.server.oneTimeLink().map { String($0.split(separator: "#").last ?? "") }
  }

  /// The audit log, newest first.
  func audit(_ query: String = "") async throws -> [JSON] {
    try await admin("audit\(query)")["audit"]?.array ?? []
  }
}
