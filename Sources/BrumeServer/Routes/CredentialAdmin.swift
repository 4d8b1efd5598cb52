// API tokens and server keys, for the command line.

import BrumeCore
import BrumeModel
import BrumeStorage
import BrumeWire

struct CredentialAdmin: Sendable {
  let apiTokens: APITokens
  let serverKeys: ServerKeys
  let signOut: SignOut
  let store: any Store
  let usage: Usage

  func tokens(_ call: Call) async throws -> Reply {
    let tokens = try await store.read { try $0.credentials.apiTokens() }
    return .json(["tokens": .array(tokens.map { describe($0) })])
  }

  func createToken(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let token = try await apiTokens.create(
      name: json.text("name"), in: call.containerEnvironment,
      allowedOrigins: json.strings("origins"), callback: json.string("callback"), isOnly: true)
    return .json(describe(token))
  }

  func revokeToken(_ call: Call) async throws -> Reply {
    let token = try await apiTokens.revoke(
      call.json().text("token"), in: call.containerEnvironment)
    signOut.endStreams(in: token.containerEnvironment)
    return .json(describe(token))
  }

  private func describe(_ token: APIToken) -> JSON {
    var object = JSONObject()
    object["name"] = .string(token.name)
    object["container"] = .string(token.container.name)
    object["environment"] = .string(token.environment.rawValue)
    object["origins"] = token.allowedOrigins.map { .array($0.map { .string($0) }) }
    object["callback"] = token.callback.map { .string($0) }
    object["token"] = .string(token.token)
    object["lastUsed"] = usage.lastUse(ofAPIToken: token.token).map { .int($0) }
    return .object(object)
  }

  // MARK: Server keys

  func keys(_ call: Call) async throws -> Reply {
    let keys = try await store.read { try $0.credentials.serverKeys() }
    return .json(["keys": .array(keys.map { .object(describe($0)) })])
  }

  /// Without a public key the server makes a pair and hands the private half out, this once.
  func createKey(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let pair = try json.string("publicKey") == nil ? ServerKeyPair() : nil
    let key = try await serverKeys.create(
      name: json.text("name"), publicKeyPEM: pair?.publicKeyPEM ?? json.text("publicKey"),
      in: call.containerEnvironment, isOnly: true)
    var answer = describe(key)
    if let pair { answer["privateKey"] = .string(pair.privateKeyPEM) }
    return .json(.object(answer))
  }

  func revokeKey(_ call: Call) async throws -> Reply {
    let key = try await serverKeys.revoke(call.json().text("id"), in: call.containerEnvironment)
    signOut.endOpenRequests(of: key.user)
    return .json(.object(describe(key)))
  }

  private func describe(_ key: ServerKey) -> JSONObject {
    var object = JSONObject()
    object["name"] = .string(key.name)
    object["id"] = .string(key.id)
    object["container"] = .string(key.container.name)
    object["environment"] = .string(key.environment.rawValue)
    object["user"] = .string(key.user.name)
    object["lastUsed"] = usage.lastUse(of: key.user).map { .int($0) }
    return object
  }
}
