// A server on the memory engine, with the credentials of development mode, in two depths: its routes
// without a socket, and the whole of it on a free port.

import BrumeCore
import BrumeModel
import BrumeServer
import BrumeStorage
import BrumeWire
import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Testing

/// What an answer holds, read as JSON.
struct Answer: Sendable {
  let status: Int
  let headers: HTTPFields
  let bytes: [UInt8]
  var text: String { String(decoding: bytes, as: UTF8.self) }
  var json: JSON { (try? JSON(parsing: bytes)) ?? .null }
  var code: String? { json["serverErrorCode"]?.string }
  var reason: String { json["reason"]?.string ?? "" }
  subscript(key: String) -> JSON? { json[key] }
}

struct ServerFixture: Sendable {
  static let container = "iCloud.org.example.app"
  static let containerEnvironment = ContainerEnvironment(ContainerID(container), .development)
  let server: Composition
  let ready: ReadyMade
  let folder: String

  init(
    host: BrumeCore.Host = .real, in known: DataFolder? = nil,
    _ adjust: (inout Settings) -> Void = { _ in },
    wrapping: (any Store) -> any Store = { $0 }, logger: Logger = Self.silent,
    workers: Workers = .shared
  ) async throws {
    var settings = Settings()
    settings.engine = .memory
    settings.isDevelopment = true
    settings.port = 0
    settings.timeouts.heartbeat = 1
    settings.timeouts.poll = 1
    // A busy machine sends and answers late; who tests these sets them.
    settings.timeouts.header = 300
    settings.timeouts.body = 300
    settings.timeouts.write = 300
    settings.timeouts.shutdown = 60
    // Nobody keeps these passwords, and without the compiler's optimizations a check of full cost takes seconds.
    settings.limits.passwordRounds = 16
    folder = known?.path ?? NSTemporaryDirectory() + "/brume-server-\(UUID().uuidString)"
    settings.dataFolder = folder
    adjust(&settings)
    server = try await Composition(
      settings: settings, folder: try known ?? DataFolder(path: folder), host: host,
      logger: logger, workers: workers, wrapping: wrapping)
    ready = try await server.development.prepare(
      in: ContainerEnvironment(settings.container, .development))
  }

  /// The endpoints of a server that nobody starts.
  static func endpoints() async throws -> [Endpoint] {
    var settings = Settings()
    settings.engine = .memory
    let server = try await Composition(settings: settings, folder: nil, logger: silent)
    return RouteTable(server).endpoints
  }

  static let silent: Logger = {
    var logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
    logger.logLevel = .critical
    return logger
  }()

  // MARK: Credentials

  func user(_ name: String) -> UserID { ready.accounts.first { $0.name == name }!.user }

  /// The query that makes a request `name`'s; nil is an anonymous one.
  func credentials(_ name: String?, device: String? = nil) -> String {
    var query = "ckAPIToken=\(ready.apiToken)"
    if let account = ready.accounts.first(where: { $0.name == name }) {
      query += "&ckWebAuthToken=\(Self.escaped(account.token))"
    }
    if let device { query += "&clientId=\(device)" }
    return query
  }

  static func escaped(_ text: String) -> String {
    text.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
  }

  func path(_ endpoint: String, _ scope: String = "private") -> String {
    "/database/1/\(Self.container)/development/\(scope)/\(endpoint)"
  }

  // MARK: Without a socket

  func routes(
    _ logger: Logger = Self.silent, _ body: @Sendable (RouteClient) async throws -> Void
  ) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    server.health.serving(true)
    let application = Services.application(server, logger)
    try await application.test(.router) { client in
      try await body(RouteClient(fixture: self, client: client))
    }
  }

  // MARK: On a port

  /// Runs the whole server for as long as `body`.
  func live(_ body: @escaping @Sendable (Int) async throws -> Void) async throws {
    defer { try? FileManager.default.removeItem(atPath: folder) }
    try await Services.embed(server, while: body)
  }
}

/// Calls of one test.
struct RouteClient: Sendable {
  let fixture: ServerFixture
  let client: any TestClientProtocol

  /// Apple's protocol.
  func call(
    _ endpoint: String, _ body: JSON? = [:], as user: String? = "alice",
    in scope: String = "private",
    device: String? = nil, method: HTTPRequest.Method = .post, headers: HTTPFields = [:]
  ) async throws -> Answer {
    let query = fixture.credentials(user, device: device)
    return try await send(
      "\(fixture.path(endpoint, scope))?\(query)", method, body?.bytes(), headers)
  }

  /// What is ours, for a user.
  func own(
    _ path: String, _ body: JSON? = nil, as user: String? = "alice", device: String? = "phone"
  ) async throws -> Answer {
    let place = "container=\(ServerFixture.container)&environment=development"
    let query = fixture.credentials(user, device: device)
    return try await send(
      "/_brume/\(path)?\(place)&\(query)", body == nil ? .get : .post, body?.bytes())
  }

  func admin(
    _ path: String, _ body: JSON? = nil, token: String? = nil
  ) async throws -> Answer {
    try await send(
      "/_brume/admin/\(path)", body == nil ? .get : .post, body?.bytes(),
      [.authorization: "Bearer \(token ?? fixture.server.adminToken)"])
  }

  func send(
    _ uri: String, _ method: HTTPRequest.Method = .get, _ body: [UInt8]? = nil,
    _ headers: HTTPFields = [:]
  ) async throws -> Answer {
    try await client.execute(
      uri: uri, method: method, headers: headers, body: body.map { ByteBuffer(bytes: $0) }
    ) { response in
      Answer(
        status: response.status.code, headers: response.headers,
        bytes: Array(response.body.readableBytesView))
    }
  }

  // MARK: Common steps

  func makeZone(_ name: String, as user: String = "alice") async throws {
    let answer = try await call(
      "zones/modify",
      [
        "operations": [
          ["operationType": "create", "zone": ["zoneID": ["zoneName": .string(name)]]]
        ]
      ], as: user)
    #expect(answer.status == 200, "\(answer.text)")
  }

  @discardableResult
  func save(
    _ name: String, _ fields: JSON = [:], zone: String? = nil, type: String = "Note",
    as user: String? = "alice", in scope: String = "private", device: String? = nil,
    kind: String = "create"
  ) async throws -> Answer {
    var body = JSONObject()
    body["zoneID"] = zone.map { ["zoneName": .string($0)] }
    body["operations"] = [
      [
        "operationType": .string(kind),
        "record": [
          "recordName": .string(name), "recordType": .string(type), "fields": fields,
        ],
      ]
    ]
    return try await call(
      "records/modify", .object(body), as: user, in: scope, device: device)
  }
}
