// What the command line asks of a running server, with the admin token: its status, zones, devices,
// a test push. Accounts and schemas have files of their own.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeStorage
import BrumeWire

enum AdminRoutes {
  /// How to reach the server; in development also the ready-made credentials of a container.
  static func status(_ call: Call) async throws -> Reply {
    let server = call.server
    let (users, tokens, keys, log) = try await server.store.read { store in
      (
        try store.users.all(), try store.credentials.apiTokens(),
        try store.credentials.serverKeys(),
        try store.log.lastPosition(in: .only)
      )
    }
    var facts: [JSONObject.Member] = [
      .init(key: "url", value: .string(server.url)),
      .init(key: "console", value: .string("\(server.url)/_brume/console")),
      .init(key: "store", value: .string(server.settings.engine == .memory ? "memory" : "sqlite")),
      .init(key: "data", value: .string(server.settings.dataFolder)),
      .init(key: "dev", value: .bool(server.settings.isDevelopment)),
      .init(key: "users", value: .int(Int64(users.count))),
      .init(key: "apiTokens", value: .int(Int64(tokens.count))),
      .init(key: "serverKeys", value: .int(Int64(keys.count))),
      .init(key: "logPosition", value: .int(log)),
    ]
    let variables =
      server.settings.isDevelopment
      ? try await server.readyMade(call.containerEnvironment).variables : variables(call, tokens)
    let lines = variables.map { JSONObject.Member(key: $0.name, value: .string($0.value)) }
    facts.append(.init(key: "environment", value: .object(JSONObject(uniqueMembers: lines))))
    return .json(.object(JSONObject(uniqueMembers: facts)))
  }

  /// Outside development: the address, and the API token of the container asked for, or of the first
  /// one that has a token. Users sign in themselves.
  private static func variables(
    _ call: Call, _ tokens: [APIToken]
  ) -> [(name: String, value: String)] {
    let token = tokens.first { token in
      (call.databasePath.container.map { $0 == token.container } ?? true)
        && (call.databasePath.environment.map { $0 == token.environment } ?? true)
    }
    var lines = [(name: "BRUME_URL", value: call.server.url)]
    guard let token else { return lines }
    lines.append(("BRUME_CONTAINER", token.container.name))
    lines.append(("BRUME_ENVIRONMENT", token.environment.rawValue))
    lines.append(("BRUME_API_TOKEN", token.token))
    return lines
  }

  static func purgeZone(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let user = try await call.account(named: json.text("user"))
    try await call.engine.zoneAdministration.purge(
      json.text("zone"), of: user.id, container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    return .empty
  }

  static func devices(_ call: Call) async throws -> Reply {
    let containerEnvironment = call.containerEnvironment
    let name = call.query["user"]
    let found = try await call.server.store.read { store in
      try store.users.all().filter { name == nil || $0.name == name }.map { user in
        let devices = try store.devices.all(
          of: user.id, container: containerEnvironment.container,
          environment: containerEnvironment.environment)
        return try devices.map { (user.name, $0, try store.mailboxes.count(of: $0.key)) }
      }.flatMap { $0 }
    }
    let list = found.map { user, device, waiting -> JSON in
      [
        "user": .string(user), "device": .string(device.key.device.name),
        "channel": .string(device.channel.kind.rawValue), "waiting": .int(Int64(waiting)),
      ]
    }
    return .json(["devices": .array(list)])
  }

  /// Puts a notification into the mailboxes of a user's devices, as a subscription would.
  static func testPush(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let containerEnvironment = call.containerEnvironment
    let user = try await call.account(named: json.text("user"))
    let sent = try await call.engine.testPushes.send(
      json["text"]?.string ?? "A test push from Brume", to: user.id,
      container: containerEnvironment.container,
      environment: containerEnvironment.environment, requestID: call.caller.requestID,
      encode: PushPayload.encode)
    call.server.notify(Set(sent.devices))
    return .json([
      "devices": .int(Int64(sent.devices.count)), "full": .int(Int64(sent.full)),
      "notification": .string(sent.notificationID),
    ])
  }
}

// MARK: Reading what admin calls say

extension JSON {
  func text(_ key: String) throws(BrumeError) -> String {
    guard let text = self[key]?.string else { throw BrumeError(.badRequest, "'\(key)' is missing") }
    guard !text.isEmpty else { throw BrumeError(.badRequest, "'\(key)' is empty") }
    return text
  }
}

extension Call {
  /// Container and environment of an admin call: the query's, or the settings'.
  var containerEnvironment: (container: ContainerID, environment: Environment) {
    (databasePath.container ?? server.settings.container, databasePath.environment ?? .development)
  }

  /// A user by sign-in name, or by record name.
  func account(named name: String) async throws -> User {
    let user = try await server.store.read {
      try $0.users.find(named: name) ?? $0.users.find(UserID(name))
    }
    guard let user else {
      throw BrumeError(
        .notFound, "there is no user '\(name)'; make one with 'brume user create \(name)'")
    }
    return user
  }
}
