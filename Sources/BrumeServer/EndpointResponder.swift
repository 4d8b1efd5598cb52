// How a request to an endpoint is answered: it becomes a `Call`, the `Reply` becomes a response.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeTracing
import HTTPTypes
import Hummingbird
import NIOCore

/// One for each server. A class, so that the closures of a request hold it and copy nothing of the settings.
final class EndpointResponder: Sendable {
  private let settings: Settings
  private let authentication: AuthenticateParts
  private let tokens: WebAuthTokens
  private let bodyMemory: HeldBytes
  private let valueMemory: HeldBytes
  private let answerMemory: HeldBytes
  private let smallAnswerMemory: HeldBytes
  private let fileMemory: HeldBytes
  private let requestShares: RequestShares
  private let auditLog: AuditLog
  private let fetches: LastFetches
  private let usage: Usage
  private let events: ConsoleEvents
  private let now: @Sendable () -> Milliseconds
  private let workers: Workers?
  private let spans: Spans

  init(_ server: Composition) {
    settings = server.settings
    authentication = AuthenticateParts(
      rules: server.targets.rules, rates: server.rates, signIn: server.signInAddress,
      operators: server.operatorGate, container: settings.container, limits: settings.limits)
    tokens = server.engine.webAuthTokens
    bodyMemory = server.bodyMemory
    valueMemory = server.valueMemory
    answerMemory = server.answerMemory
    smallAnswerMemory = server.smallAnswerMemory
    fileMemory = server.fileMemory
    requestShares = server.requestShares
    auditLog = server.auditLog
    fetches = server.fetches
    usage = server.usage
    events = server.events
    now = server.host.now
    workers = server.workers
    spans = server.spans
  }

  /// Responds, until the client goes or the time is over.
  func respond(
    _ endpoint: Endpoint, _ request: Request, _ state: RequestState
  ) async throws -> Response {
    guard let work = state.work else { return try await answer(request, state, endpoint) }
    let deadline = endpoint.work == .lasting ? nil : settings.timeouts.request
    return try await work.run(deadline: deadline, waits: endpoint.waitsForPushes) {
      try await self.answer(request, state, endpoint)
    }
  }

  private func answer(
    _ request: Request, _ state: RequestState, _ endpoint: Endpoint
  ) async throws -> Response {
    let target = request.head.path ?? "/"
    let limits = settings.limits
    let address = ClientAddress(request, state, settings.trustedProxies)
    let (query, databasePath) = try head(of: request, state, endpoint, from: address)
    let memory = bodyMemory.share(of: address.name)
    defer { memory.giveBack() }
    let mostBytes = endpoint.access.isOpen ? limits.openBodyBytes : limits.requestBodyBytes
    let body = BodyBytes(
      endpoint.streams ? [] : try await BodyLimit.collect(request, upTo: mostBytes, in: memory))
    let authenticate = Authenticate(
      parts: authentication, endpoint: endpoint, databasePath: databasePath,
      requestID: state.requestID, peer: RequestPeer(address: state.peer))
    return try await endpoint.carryOut(on: workers, for: address) { lane in
      do {
        let caller = try await authenticate.caller(
          request, query: query, target: target, body: body.all, from: address, noting: state.facts)
        let values = valueMemory.share(of: address.name, and: caller.user?.name)
        defer { values.giveBack() }
        // Where nobody is asked who they are, anything may stand there.
        if !endpoint.access.isOpen { usage.used(by: caller, apiToken: query["ckAPIToken"]) }
        let call = Call(
          method: request.method, target: target,
          authority: request.head.authority, headers: request.headers,
          query: query, body: body, incoming: endpoint.streams ? request.body : nil,
          databasePath: databasePath,
          caller: caller, address: address, peer: RequestPeer(address: state.peer),
          channel: state.channel,
          jsonDepth: limits.jsonDepth, values: values,
          answer: AnswerReservation { [self] bytes in
            self.memory(ofAnswerOf: bytes)?.share(of: address.name, and: caller.user?.name)
          })
        return try await respond(to: call, endpoint, in: lane, state.work)
      } catch let error as BrumeError where error.code == .authenticationRequired {
        throw try await authenticate.leading(error, request, query: query)
      }
    }
  }

  private func respond(
    to call: Call, _ endpoint: Endpoint, in lane: Workers.Lane?, _ work: RequestWork?
  ) async throws -> Response {
    var reply = try await auditLog.carryOut(call, endpoint) {
      try await answerInTurn(call, endpoint, in: lane)
    }
    if let work {
      try count(reply, to: call, by: work)
      reply.body = made(reply.body, of: call, for: work)
    }
    var response = try reply.response(
      largeFrom: settings.limits.largeAnswerBytes, in: share(of: answerMemory, call, work),
      isWatched: work != nil)
    // The address of the request is the same for every user, and a cache does not know our headers.
    if !endpoint.access.isOpen, response.headers[.cacheControl] == nil {
      response.headers[.cacheControl] = "no-store"
    }
    note(call, endpoint)
    events.note(endpoint)
    if call.caller.kind == .user, let token = call.headers.webAuthToken(or: call.query) {
      response.headers[.webAuthToken] = tokens.renewed(after: token)
    }
    return response
  }

  /// What is made while it is written asks the store or a disk for its parts, so workers make it too.
  private func made(_ body: Reply.Body, of call: Call, for work: RequestWork) -> Reply.Body {
    guard let workers, case .stream(let write) = body else { return body }
    // Long ones of nobody who is a user must not keep those waiting who are to be known.
    let name = userLane(of: call) ?? "answers to \(call.address.lane)"
    return .stream { @concurrent writer in
      // Nobody else has it until the workers are done.
      nonisolated(unsafe) var out: any ResponseBodyWriter = LoopWriter(writer, on: work.executor)
      try await workers.run(for: name, at: call.address.name) { try await write(&out) }
    }
  }

  /// Of what is not written part by part in `response`: smaller answers, and files.
  private func count(_ reply: Reply, to call: Call, by work: RequestWork) throws {
    let count = reply.body.count
    if reply.streamed > 0 {
      try share(of: fileMemory, call, work).fit(reply.streamed)
    } else if count < settings.limits.largeAnswerBytes, let memory = memory(ofAnswerOf: count) {
      try share(of: memory, call, work).fit(count)
    }
  }

  /// Nil: such answers are not counted.
  private func memory(ofAnswerOf bytes: Int) -> HeldBytes? {
    if bytes >= settings.limits.largeAnswerBytes { return answerMemory }
    return bytes >= HeldBytes.countedBytes ? smallAnswerMemory : nil
  }

  /// Room for an answer, what was taken for it if that is so. Its connection gives it back when the answer has left.
  private func share(
    of memory: HeldBytes, _ call: Call, _ work: RequestWork?
  ) -> HeldBytes.Share {
    let share =
      call.answer.taken() ?? memory.share(of: call.address.name, and: call.caller.user?.name)
    work?.keep(share)
    return share
  }

  /// What stands before the body. Nobody is known whose request is refused for that, so it counts for the address.
  private func head(
    of request: Request, _ state: RequestState, _ endpoint: Endpoint, from address: ClientAddress
  ) throws -> (QueryString, Call.DatabasePath) {
    do {
      let query = try QueryString(target: request.head.path ?? "/", limits: settings.limits)
      try HeaderRules.check(request.headers, limits: settings.limits)
      let databasePath = try databasePath(state, query)
      state.facts.note(endpoint, databasePath.containerEnvironment)
      try BodyLimit.refuseEncoded(request)
      return (query, databasePath)
    } catch {
      if endpoint.access != .probe { try authentication.rates.check(address) }
      throw error
    }
  }

  /// What a device fetched is of interest to whoever asks why its push did nothing.
  private func note(_ call: Call, _ endpoint: Endpoint) {
    guard endpoint.isFetch, call.caller.kind == .user, let device = try? call.caller.deviceKey()
    else { return }
    fetches.note(device, at: now())
  }

  /// The name that all work of a user has a share of; nil: the caller is no user.
  private func userLane(of call: Call) -> String? {
    call.caller.user.map { "user \($0.name)" }
  }

  /// Answers when it is the caller's turn.
  private func answerInTurn(
    _ call: Call, _ endpoint: Endpoint, in lane: Workers.Lane?
  ) async throws -> Reply {
    let name = userLane(of: call) ?? call.address.lane
    await lane?.move(to: name)
    guard endpoint.work == .usual, call.caller.kind != .operator else {
      return try await handle(call, endpoint)
    }
    return try await requestShares.run(for: name, at: call.address.name) {
      try await handle(call, endpoint)
    }
  }

  private func handle(_ call: Call, _ endpoint: Endpoint) async throws -> Reply {
    try await spans.run("rules") { _ in try await endpoint.handler(call) }
  }

  /// Container, environment and database: from the path, or from the query under `/_brume`.
  private func databasePath(
    _ state: RequestState, _ query: QueryString
  ) throws -> Call.DatabasePath {
    var databasePath = Call.DatabasePath()
    if let name = try part("container", state, query) {
      try NameRules.container(name)
      databasePath.container = ContainerID(name)
    }
    if let name = try part("environment", state, query) {
      // CloudKit: CloudKitPy writes DEVELOPMENT and PRODUCTION.
      guard let environment = BrumeModel.Environment(rawValue: name.lowercased()) else {
        throw BrumeError(
          .notFound,
          "there is no environment '\(NameRules.shown(name))'; it is 'development' or 'production'")
      }
      databasePath.environment = environment
    }
    if let name = try part("database", state, query) {
      guard let scope = DatabaseScope(rawValue: name) else {
        throw BrumeError(
          .notFound,
          "there is no database '\(NameRules.shown(name))'; it is 'public', 'private' or 'shared'")
      }
      databasePath.scope = scope
    }
    return databasePath
  }

  private func part(
    _ name: String, _ state: RequestState, _ query: QueryString
  ) throws(BrumeError) -> String? {
    guard let text = state.parameters.get(name) else { return query[name] }
    return try QueryString.part(text, "the \(name) in the path", limits: settings.limits)
  }
}

extension Endpoint {
  /// Runs a request's work where this endpoint's belongs: in a lane of the workers, or without one.
  fileprivate func carryOut<Value: Sendable>(
    on workers: Workers?, for address: ClientAddress,
    _ body: @concurrent @Sendable (Workers.Lane?) async throws -> Value
  ) async throws -> Value {
    guard let workers, work != .brief else { return try await body(nil) }
    return try await workers.run(for: address.lane, at: address.name) { try await body($0) }
  }
}

extension ClientAddress {
  /// Where a request comes from.
  init(_ request: Request, _ state: RequestState, _ trustedProxies: TrustedProxies) {
    let headers = request.headers
    self.init(
      peer: state.peer, forwarded: headers[.forwardedFor] ?? (headers.showAProxy ? "" : nil),
      trustedProxies: trustedProxies)
  }

  /// Whose turn it is while nobody is known.
  var lane: String { "address \(name)" }
}

extension HTTPFields {
  /// A proxy stands between, though it names nobody as we read it: who asks is not on this machine.
  fileprivate var showAProxy: Bool {
    self[.forwarded] != nil || self[.realIP] != nil || self[.via] != nil
      || self[.forwardedHost] != nil || self[.forwardedProto] != nil
  }
}
