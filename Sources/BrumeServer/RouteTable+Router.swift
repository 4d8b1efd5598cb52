// From the table to Hummingbird's router: a request becomes a `Call`, a `Reply` becomes a response.

import BrumeCore
import BrumeModel
import HTTPTypes
package import Hummingbird
import NIOCore

extension RouteTable {
  /// Other methods that get a polite 405 on known paths.
  private static let methods: [HTTPRequest.Method] = [.get, .post, .put, .delete, .patch, .head]

  package static func router(for server: Composition) -> Router<RequestState> {
    let router = Router(context: RequestState.self)
    router.add(middleware: AccessLog(server: server))
    router.add(middleware: CrossOrigin(server: server))
    router.add(middleware: ErrorReply(server: server))
    var known: Set<String> = []
    for endpoint in all {
      for method in endpoint.methods {
        router.on(RouterPath(endpoint.path), method: method) { request, state in
          try await work(endpoint, request, state, server)
        }
      }
      if known.insert(endpoint.path).inserted { addRefusals(of: endpoint, to: router) }
    }
    return router
  }

  /// `OPTIONS` says what a path takes; a method that it does not take gets 405 instead of 404.
  private static func addRefusals(of endpoint: Endpoint, to router: Router<RequestState>) {
    let taken = all.filter { $0.path == endpoint.path }.flatMap(\.methods)
    let allowed = (taken + [.options]).map(\.rawValue).joined(separator: ", ")
    router.on(RouterPath(endpoint.path), method: .options) { _, _ in
      Response(status: .ok, headers: [.allow: allowed, .contentLength: "0"])
    }
    for method in methods where !taken.contains(method) {
      router.on(RouterPath(endpoint.path), method: method) { request, state in
        let error = BrumeError(
          .badRequest, "\(request.uri.path) takes \(allowed), not \(method.rawValue)")
        var response = ErrorReply.response(to: error, requestID: state.requestID)
        response.status = .methodNotAllowed
        response.headers[.allow] = allowed
        return response
      }
    }
  }

  /// Responds, until the client goes or the time is over.
  private static func work(
    _ endpoint: Endpoint, _ request: Request, _ state: RequestState, _ server: Composition
  ) async throws -> Response {
    guard let work = state.work else { return try await respond(endpoint, request, state, server) }
    let deadline = endpoint.work == .lasting ? nil : server.settings.timeouts.request
    return try await work.run(deadline: deadline) {
      try await respond(endpoint, request, state, server)
    }
  }

  private static func respond(
    _ endpoint: Endpoint, _ request: Request, _ state: RequestState, _ server: Composition
  ) async throws -> Response {
    let target = request.head.path ?? "/"
    let limits = server.settings.limits
    let query = try QueryString(target: target, limits: limits)
    try HeaderRules.check(request.headers, limits: limits)
    let databasePath = try databasePath(of: endpoint, state, query)
    try BodyLimit.refuseEncoded(request)
    let address = ClientAddress(
      peer: state.peer, forwarded: request.headers[.forwardedFor],
      trustedProxies: server.settings.trustedProxies)
    let memory = server.bodyMemory.share(of: address.name)
    defer { memory.giveBack() }
    let mostBytes = endpoint.access.isOpen ? limits.openBodyBytes : limits.requestBodyBytes
    let body =
      endpoint.streams ? [] : try await BodyLimit.collect(request, upTo: mostBytes, in: memory)
    let authenticate = Authenticate(
      server: server, endpoint: endpoint, databasePath: databasePath, requestID: state.requestID)
    return try await endpoint.carryOut(for: address.lane) { lane in
      do {
        let caller = try await authenticate.caller(
          request, query: query, target: target, body: body, from: address)
        let call = Call(
          server: server, method: request.method, target: target,
          authority: request.head.authority, headers: request.headers,
          query: query, body: body, incoming: endpoint.streams ? request.body : nil,
          databasePath: databasePath,
          caller: caller, address: address, channel: state.channel)
        var response = try await answer(call, endpoint, in: lane).response
        if caller.kind == .user, let token = query["ckWebAuthToken"] {
          response.headers[.webAuthToken] = server.engine.webAuthTokens.renewed(after: token)
        }
        return response
      } catch let error as BrumeError where error.code == .authenticationRequired {
        throw try await authenticate.leading(error, request, query: query)
      }
    }
  }

  /// Answers when it is the caller's turn.
  private static func answer(
    _ call: Call, _ endpoint: Endpoint, in lane: Workers.Lane?
  ) async throws -> Reply {
    let name = call.caller.user.map { "user \($0.name)" } ?? call.address.lane
    await lane?.move(to: name)
    guard endpoint.work == .usual, call.caller.kind != .operator else {
      return try await endpoint.handler(call)
    }
    return try await call.server.requestShares.run(for: name) { try await endpoint.handler(call) }
  }

  /// Container, environment and database: from the path, or from the query under `/_brume`.
  private static func databasePath(
    of endpoint: Endpoint, _ state: RequestState, _ query: QueryString
  ) throws -> Call.DatabasePath {
    var databasePath = Call.DatabasePath()
    if let name = state.parameters.get("container") ?? query["container"] {
      try NameRules.container(name)
      databasePath.container = ContainerID(name)
    }
    if let name = state.parameters.get("environment") ?? query["environment"] {
      guard let environment = BrumeModel.Environment(rawValue: name) else {
        throw BrumeError(
          .notFound,
          "there is no environment '\(NameRules.shown(name))'; it is 'development' or 'production'")
      }
      databasePath.environment = environment
    }
    if let name = state.parameters.get("database") ?? query["database"] {
      guard let scope = DatabaseScope(rawValue: name) else {
        throw BrumeError(
          .notFound,
          "there is no database '\(NameRules.shown(name))'; it is 'public', 'private' or 'shared'")
      }
      databasePath.scope = scope
    }
    return databasePath
  }
}

extension Endpoint {
  /// Runs a request's work where this endpoint's belongs: in a lane, or without one.
  fileprivate func carryOut<Value: Sendable>(
    for name: String, _ body: @concurrent @Sendable (Workers.Lane?) async throws -> Value
  ) async throws -> Value {
    work == .brief
      ? try await body(nil) : try await Workers.shared.run(for: name) { try await body($0) }
  }
}

extension ClientAddress {
  /// Whose turn it is while nobody is known.
  fileprivate var lane: String { "address \(name)" }
}
