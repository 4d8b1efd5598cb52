// What the command line asks first of a running server, with the admin token: where and what it is.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct StatusAdmin: Sendable {
  let settings: Settings
  let server: ServerAddress
  let store: any Store
  let development: Development
  /// Nil outside development.
  let faults: FaultInjector?
  /// Nil: the server speaks plain HTTP.
  let identities: TLSIdentities?
  let now: @Sendable () -> Milliseconds

  /// How to reach the server; in development also the ready-made credentials of a container. They act as
  /// users and are not for an operator who may only read.
  func show(_ call: Call) async throws -> Reply {
    let (users, tokens, keys, log, storeID) = try await store.read { store in
      (
        try store.users.count(), try store.credentials.apiTokens(),
        try store.credentials.serverKeys(),
        try store.log.lastPosition(in: .only), try store.storeID()
      )
    }
    var facts: [JSONObject.Member] = [
      .init(key: "url", value: .string(server.url)),
      .init(key: "console", value: .string("\(server.url)/_brume/console")),
      .init(key: "store", value: .string(settings.engine.name)),
      .init(key: "storeID", value: storeID.map { .string($0) } ?? .null),
      .init(key: "data", value: .string(settings.dataFolder)),
      .init(key: "dev", value: .bool(settings.isDevelopment)),
      // What calls are about that name none.
      .init(key: "container", value: .string(settings.container.name)),
      .init(key: "faults", value: .int(Int64(faults?.entries.count ?? 0))),
      .init(key: "clock", value: .string(settings.isClockManual ? "manual" : "real")),
      .init(key: "users", value: .int(Int64(users))),
      .init(key: "apiTokens", value: .int(Int64(tokens.count))),
      .init(key: "serverKeys", value: .int(Int64(keys.count))),
      .init(key: "logPosition", value: .int(log)),
      .init(key: "damagedRows", value: .int(Int64(store.damagedRows?.count ?? 0))),
    ]
    if let identities {
      facts.append(.init(key: "certificateEnds", value: .int(identities.notAfter * 1000)))
      let concern = identities.concern(at: now())
      facts.append(.init(key: "certificateConcern", value: concern.map { .string($0) } ?? .null))
    }
    let variables =
      settings.isDevelopment && call.caller.access?.role == .full
      // Who asks how the server is gets an answer, whatever is wrong with the data folder.
      ? try await development.prepare(in: call.containerEnvironment, needsKey: false).variables
      : variables(call, tokens)
    let lines = variables.map { JSONObject.Member(key: $0.name, value: .string($0.value)) }
    facts.append(.init(key: "environment", value: .object(JSONObject(uniqueMembers: lines))))
    return .json(.object(JSONObject(uniqueMembers: facts)))
  }

  /// Outside development, and for whoever may only read: the address, and the API token of the container asked for, or of the first
  /// one that has a token. Users sign in themselves.
  private func variables(
    _ call: Call, _ tokens: [APIToken]
  ) -> [(name: String, value: String)] {
    let token = tokens.first { token in
      (call.databasePath.container.map { $0 == token.container } ?? true)
        && (call.databasePath.environment.map { $0 == token.environment } ?? true)
    }
    var lines = [(name: "BRUME_URL", value: server.url)]
    guard let token else { return lines }
    lines.append(("BRUME_CONTAINER", token.container.name))
    lines.append(("BRUME_ENVIRONMENT", token.environment.rawValue))
    lines.append(("BRUME_API_TOKEN", token.token))
    return lines
  }
}
