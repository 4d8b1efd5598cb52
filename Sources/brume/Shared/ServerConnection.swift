// How commands reach the running server: through `server.json` of the data folder, or by its address and an
// admin token. As an operator for what is under `/_brume/admin`, or as one of its users for what Apple's
// protocol can do.

import ArgumentParser
import BrumeClient
import BrumeModel
import BrumeServer
import BrumeWire
import FoundationEssentials

/// Options of every command that talks to a server.
struct ServerOptions: ParsableArguments {
  @Option(help: "The data folder of the running server. (default: ./brume-data) [BRUME_DATA]")
  var data: String?

  @Option(help: "The server's address, instead of its folder, with an admin token. [BRUME_URL]")
  var url: String?

  @Option(
    help: """
      What 'brume operator token create' printed. The variable keeps it out of process lists. \
      [BRUME_ADMIN_TOKEN]
      """)
  var adminToken: String?

  @Option(help: "The container. (default: that of development mode) [BRUME_CONTAINER]")
  var container: String?

  @Option(help: "development or production. (default: development) [BRUME_ENVIRONMENT]")
  var environment: String?

  static func variable(_ name: String) -> String? {
    ProcessInfo.processInfo.environment[name].flatMap { $0.isEmpty ? nil : $0 }
  }

  var folder: String { Self.folder(data) }

  static func folder(_ named: String?) -> String {
    named ?? variable("BRUME_DATA") ?? Setting.data.fallback ?? "."
  }

  /// The data folder that names the server; nil: its address does, and its folder is not known.
  func folderOfServer() throws -> String? {
    try ServerAccess.named(data: data, url: url, adminToken: adminToken) == nil ? folder : nil
  }

  func connect() throws -> ServerConnection {
    let place = ServerConnection.given([
      ("container", container ?? Self.variable("BRUME_CONTAINER")),
      ("environment", environment ?? Self.variable("BRUME_ENVIRONMENT")),
    ])
    return ServerConnection(
      try ServerAccess(data: data, url: url, adminToken: adminToken), place: place)
  }
}

/// Where a server is, and what calls of its operator carry.
struct ServerAccess: Sendable {
  let url: String
  /// Nil: only what is open to anybody can be asked.
  let adminToken: String?
  /// Nil: the server was named by its address.
  let folder: String?

  /// What the command line says counts before variables; the variables count only together, because clients
  /// have the address alone.
  init(data: String?, url: String?, adminToken given: String?) throws {
    let token = given ?? ServerOptions.variable("BRUME_ADMIN_TOKEN")
    if let address = try Self.named(data: data, url: url, adminToken: given) {
      self.init(url: address, adminToken: token)
    } else {
      do {
        try self.init(folder: ServerOptions.folder(data))
      } catch let error as CommandFailure {
        throw data == nil && ServerOptions.variable("BRUME_URL") != nil ? error.namingToken : error
      }
    }
  }

  /// The server's address, if that names it; nil: its data folder does.
  static func named(data: String?, url: String?, adminToken given: String?) throws -> String? {
    if data != nil, url != nil || given != nil {
      throw ValidationError("name the server by --data, or by --url and --admin-token; not by both")
    }
    if url != nil || given != nil {
      guard let address = try Self.address(url) else {
        throw ValidationError("--admin-token needs the server's address: --url or BRUME_URL")
      }
      return address
    }
    guard data == nil, ServerOptions.variable("BRUME_ADMIN_TOKEN") != nil else { return nil }
    return try Self.address(nil)
  }

  /// The server that runs on a folder now.
  init(folder: String) throws {
    do {
      let file = try ServerFile(folder: folder)
      (url, adminToken, self.folder) = (file.url, file.adminToken, folder)
    } catch let error as DataFolderError {
      throw CommandFailure(error.description, .unavailable)
    }
  }

  /// The server that runs on the folder now, or the one at the same address.
  func anew() throws -> ServerAccess { try folder.map { try ServerAccess(folder: $0) } ?? self }

  private init(url: String, adminToken: String?) {
    (self.url, self.adminToken, folder) = (url, adminToken, nil)
  }

  /// What the option says, or else the variable.
  private static func address(_ url: String?) throws -> String? {
    if let url { return try GivenAddress.checked(url, from: "--url") }
    return try ServerOptions.variable("BRUME_URL").map {
      try GivenAddress.checked($0, from: "BRUME_URL")
    }
  }

  /// Whom a call by https to it believes.
  var trust: HTTPCall.Trust { folder == nil ? Self.trustOfClients : .anybody }

  /// What calls of an operator carry.
  ///
  /// - Throws: `StatusFailure` if none is given.
  func requiredToken() throws -> String {
    if let adminToken { return adminToken }
    throw StatusFailure(
      .noPermission,
      "\(url) needs an admin token; give one with --admin-token or BRUME_ADMIN_TOKEN")
  }

  /// An address of a file, as this command reaches the server: the public one may lead nowhere from here.
  func own(_ address: String) -> String {
    guard let path = address.firstRange(of: "/_brume/assets/") else { return address }
    return url + address[path.lowerBound...]
  }

  static var trustOfClients: HTTPCall.Trust {
    .roots(andOf: ServerOptions.variable("BRUME_TRUST"))
  }

  /// What is in the way at times though a server runs.
  private var hint: String {
    guard url.hasPrefix("https://") else {
      return url.hasPrefix("http://") ? "; one that speaks TLS has an address of https" : ""
    }
    if let file = trust.file, DataFolder.read(file) == nil {
      return "; BRUME_TRUST names '\(file)', which cannot be read"
    }
    return "; BRUME_TRUST names roots of its certificate; one without TLS has an address of http"
  }

  var silence: CommandFailure {
    guard let folder else {
      return CommandFailure(
        "no server answers at \(url); check the address, and that it runs\(hint)", .unavailable)
    }
    return CommandFailure(
      "no server answers at \(url), which the data folder '\(folder)' names; start it with "
        + "'brume serve --data \(folder)'", .unavailable)
  }
}

struct ServerConnection: Sendable {
  let access: ServerAccess
  let place: [(String, String)]
  private let transport = ProgramTransport()

  init(_ access: ServerAccess, place: [(String, String)]) {
    self.access = access
    self.place = place
  }

  /// Ours: how long a call may take whose work grows with what is stored. An earlier end would call a server gone that is
  /// at work.
  static let patience = Duration.seconds(3600)
  /// Ours: the same for all other calls. The server itself ends them sooner, after 60 s (--timeout-request).
  static let shortPatience = Duration.seconds(90)

  static let notReady = CommandFailure(
    "the server is not ready: its storage does not answer; its log says why", .unavailable)

  /// To the server that runs on the folder now, or at the same address.
  func anew() throws -> ServerConnection {
    ServerConnection(try access.anew(), place: place)
  }

  /// The parameters that have a value.
  static func given(_ parameters: [(String, String?)]) -> [(String, String)] {
    parameters.compactMap { name, value in value.map { (name, $0) } }
  }

  /// An admin call.
  func get(
    _ path: String, _ query: [(String, String)] = [], within time: Duration = Self.shortPatience
  ) async throws -> JSON {
    let request = try request(
      "GET", "/_brume/admin/\(path)", place + query, [], isOperator: true, within: time)
    return try access.json(try await exchange(request))
  }

  /// A list of the operator's, page by page.
  func eachPage(
    of list: String, _ query: [(String, String)] = [], within time: Duration = Self.shortPatience,
    _ take: (JSON) -> Void
  ) async throws {
    var after: String?
    repeat {
      let page = try await get(list, query + Self.given([("after", after)]), within: time)
      take(page)
      after = page["after"]?.string
    } while after != nil
  }

  func post(
    _ path: String, _ body: JSON, within time: Duration = Self.shortPatience
  ) async throws -> JSON {
    let request = try request(
      "POST", "/_brume/admin/\(path)", place, body.bytes(), isOperator: true, within: time)
    return try access.json(try await exchange(request))
  }

  static let brokenOff = CommandFailure(
    "the server broke off in the middle; its log says why", .software)

  /// The content of an admin call's answer, piece by piece.
  func download(
    _ path: String, _ query: [(String, String)], _ take: (ArraySlice<UInt8>) throws -> Void
  ) async throws {
    let request = try request(
      "GET", "/_brume/admin/\(path)", place + query, [], isOperator: true)
    var hasBegun = false
    do {
      let refusal = try await transport.download(request) { piece in
        hasBegun = true
        try take(piece)
      }
      if let refusal { _ = try access.json(refusal) }
    } catch is CallFailure {
      throw hasBegun ? Self.brokenOff : access.silence
    }
  }

  /// The same, for callers who can do something about a refusal.
  ///
  /// - Throws: the server's `BrumeError`; `CallFailure` for what is no answer of it and passes.
  func send(
    _ path: String, _ body: JSON, within time: Duration = Self.shortPatience
  ) async throws -> JSON {
    let answer = try await waiting(
      try request(
        "POST", "/_brume/admin/\(path)", place, body.bytes(), isOperator: true, within: time))
    let json: JSON
    do throws(CommandFailure) { json = try access.read(answer) } catch {
      guard error.status == .again else { throw error }
      throw CallFailure.serverFailed(status: answer.status, error.description)
    }
    guard answer.isSuccess else { throw Wire.error(json) }
    return json
  }

  /// Whether the server's storage answers.
  ///
  /// - Throws: `CommandFailure` if no server answers, or something else does.
  func isReady() async throws -> Bool { try await readiness() != Self.notReadyStatus }

  static let notReadyStatus = "not ready"

  /// What the server says of itself: "ready", "degraded" if pushes wait for damage to be mended, or "not ready".
  ///
  /// - Throws: as `isReady`.
  func readiness() async throws -> String {
    let request = try request(
      "GET", "/_brume/health/ready", [], [], isOperator: false)
    let answer = try await exchange(request)
    switch (try? JSON(parsing: answer.body))?["status"]?.string {
    case let status? where ["ready", "degraded"].contains(status) && answer.isSuccess: return status
    case Self.notReadyStatus?: return Self.notReadyStatus
    default:
      // A refusal has its reason; what else comes is no answer to this.
      _ = try access.json(answer)
      throw access.foreign(answer.status)
    }
  }

  /// The variables that a client of this server needs.
  func variables() async throws -> [JSONObject.Member] {
    try await get("status")["environment"]?.object?.members ?? []
  }

  /// The settings of a client that is one of the users.
  func configuration(user: String, device: String? = nil) async throws -> Configuration {
    let variables = Dictionary(
      try await variables().map { ($0.key, $0.value.string ?? "") }, uniquingKeysWith: { $1 })
    guard let container = variables["BRUME_CONTAINER"],
      let api = variables["BRUME_API_TOKEN"]
    else {
      throw CommandFailure(
        "this container has no API token yet; make one with 'brume token create NAME --container "
          + "iCloud.…'")
    }
    let environment = Environment(rawValue: variables["BRUME_ENVIRONMENT"] ?? "") ?? .development
    let connection = ServerConnection(
      access, place: [("container", container), ("environment", environment.rawValue)])
    let answer = try await connection.post("users/token", ["user": .string(user)])
    return Configuration(
      url: access.url, in: ContainerEnvironment(ContainerID(container), environment), apiToken: api,
      userToken: answer["token"]?.string, deviceID: device.map { DeviceID($0) },
      trust: access.trust)
  }

  /// Apple's protocol as one of the users.
  func database(
    _ path: String, _ body: JSON, scope: String, user: String
  ) async throws -> JSON {
    let settings = try await configuration(user: user)
    let target =
      "/database/1/\(settings.container.name)/\(settings.environment.rawValue)/\(scope)/\(path)"
    let credentials = [
      ("ckAPIToken", settings.apiToken ?? ""), ("ckWebAuthToken", settings.userToken ?? ""),
    ]
    let request = try request("POST", target, credentials, body.bytes(), isOperator: false)
    return try access.json(try await exchange(request))
  }

  private func request(
    _ method: String, _ path: String, _ query: [(String, String)], _ body: [UInt8],
    isOperator: Bool, within time: Duration = Self.shortPatience
  ) throws -> HTTPCall {
    var request = HTTPCall(
      method: method, base: access.url, target: path + FormText.query(query), body: body,
      timeout: time, trust: access.trust)
    if isOperator {
      let token = try access.requiredToken()
      request.headers.append(.init("Authorization", "Bearer \(token)"))
    }
    return request
  }

  private func exchange(_ request: HTTPCall) async throws -> HTTPAnswer {
    do { return try await waiting(request) } catch let failure as CallFailure {
      throw access.failure(failure, changing: request.method != "GET")
    }
  }

  /// On a terminal it is said that the server works, if that takes time.
  private func waiting(_ request: HTTPCall) async throws -> HTTPAnswer {
    try await TerminalProgress.waiting(for: "the server works on it") {
      [transport, request] in try await transport.send(request)
    }
  }
}

extension CommandFailure {
  /// The variables name a server only together, and one of them was set.
  fileprivate var namingToken: CommandFailure {
    CommandFailure(
      description + "; BRUME_URL counts only together with BRUME_ADMIN_TOKEN, which is not set",
      status)
  }
}
