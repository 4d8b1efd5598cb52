// Users, API tokens and server keys, for the command line.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

enum AccountAdmin {
  // MARK: Users

  static func users(_ call: Call) async throws -> Reply {
    let users = try await call.server.store.read { try $0.users.all() }
    return .json(["users": .array(users.map { describe($0) })])
  }

  static func createUser(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let user = try await call.engine.accounts.create(
      name: json.text("name"), password: json["password"]?.string,
      emailAddress: json["email"]?.string, phoneNumber: json["phone"]?.string,
      givenName: json["givenName"]?.string, familyName: json["familyName"]?.string,
      isDiscoverable: json["discoverable"]?.bool ?? true)
    return .json(describe(user))
  }

  static func changeUser(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let user = try await call.account(named: json.text("user"))
    var change = Accounts.Change()
    change.password = json["password"]?.string
    change.emailAddress = json["email"]?.string
    change.phoneNumber = json["phone"]?.string
    change.givenName = json["givenName"]?.string
    change.familyName = json["familyName"]?.string
    change.isDiscoverable = json["discoverable"]?.bool
    let changed = try await call.engine.accounts.change(user.id, change)
    if change.password != nil { call.server.endOpenRequests(of: user.id) }
    return .json(describe(changed))
  }

  /// Ends every session of a user.
  static func signOut(_ call: Call) async throws -> Reply {
    let user = try await call.account(named: call.json().text("user"))
    try await call.server.signOutEverywhere(user.id)
    return .json(describe(user))
  }

  /// A web auth token for a user, for two weeks.
  static func userToken(_ call: Call) async throws -> Reply {
    let user = try await call.account(named: call.json().text("user"))
    let token = try await call.engine.webAuthTokens.issue(
      for: user.id, container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment,
      keep: true)
    return .json(["user": .string(user.name), "token": .string(token)])
  }

  private static func describe(_ user: User) -> JSON {
    var object = JSONObject()
    object["name"] = .string(user.name)
    object["recordName"] = .string(user.id.name)
    object["email"] = user.emailAddress.map { .string($0) }
    object["phone"] = user.phoneNumber.map { .string($0) }
    object["discoverable"] = .bool(user.isDiscoverable)
    object["password"] = .bool(user.passwordHash != nil)
    return .object(object)
  }

  // MARK: API tokens

  static func tokens(_ call: Call) async throws -> Reply {
    let tokens = try await call.server.store.read { try $0.credentials.apiTokens() }
    return .json(["tokens": .array(tokens.map { describe($0) })])
  }

  static func createToken(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let origins = json["origins"]?.array?.compactMap(\.string)
    let token = try await call.engine.apiTokens.create(
      name: json.text("name"), container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment, allowedOrigins: origins,
      callback: json["callback"]?.string)
    return .json(describe(token))
  }

  private static func describe(_ token: APIToken) -> JSON {
    var object = JSONObject()
    object["name"] = .string(token.name)
    object["container"] = .string(token.container.name)
    object["environment"] = .string(token.environment.rawValue)
    object["origins"] = token.allowedOrigins.map { .array($0.map { .string($0) }) }
    object["callback"] = token.callback.map { .string($0) }
    object["token"] = .string(token.token)
    return .object(object)
  }

  // MARK: Server keys

  static func keys(_ call: Call) async throws -> Reply {
    let keys = try await call.server.store.read { try $0.credentials.serverKeys() }
    return .json(["keys": .array(keys.map { describe($0) })])
  }

  /// Without a public key the server makes a pair and hands the private half out, this once.
  static func createKey(_ call: Call) async throws -> Reply {
    let json = try call.json()
    let pair = json["publicKey"] == nil ? ServerKeyPair() : nil
    let key = try await call.engine.serverKeys.create(
      name: json.text("name"), publicKeyPEM: pair?.publicKeyPEM ?? json.text("publicKey"),
      container: call.containerEnvironment.container,
      environment: call.containerEnvironment.environment)
    var answer = describe(key)
    if let pair, case .object(var object) = answer {
      object["privateKey"] = .string(pair.privateKeyPEM)
      answer = .object(object)
    }
    return .json(answer)
  }

  private static func describe(_ key: ServerKey) -> JSON {
    [
      "name": .string(key.name), "id": .string(key.id), "container": .string(key.container.name),
      "environment": .string(key.environment.rawValue), "user": .string(key.user.name),
    ]
  }
}
