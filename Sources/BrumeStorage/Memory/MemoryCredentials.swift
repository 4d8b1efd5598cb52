// Credentials and used signatures in memory.

import BrumeModel

final class MemoryCredentials: MemoryFeature, CredentialWriting {
  func apiToken(_ token: String) throws -> APIToken? { draft.state.apiTokens[ByteText(token)] }

  func apiTokens() throws -> [APIToken] {
    draft.state.apiTokens.sorted { $0.key < $1.key }.map(\.value)
  }

  func serverKey(_ id: String) throws -> ServerKey? { draft.state.serverKeys[ByteText(id)] }

  func serverKeys() throws -> [ServerKey] {
    draft.state.serverKeys.sorted { $0.key < $1.key }.map(\.value)
  }

  func put(_ token: APIToken) throws {
    draft.requireScope(.server)
    draft.state.apiTokens[ByteText(token.token)] = token
  }

  func removeAPIToken(_ token: String) throws {
    draft.requireScope(.server)
    draft.state.apiTokens[ByteText(token)] = nil
  }

  func put(_ key: ServerKey) throws {
    draft.requireScope(.server)
    draft.state.serverKeys[ByteText(key.id)] = key
  }

  func removeServerKey(_ id: String) throws {
    draft.requireScope(.server)
    draft.state.serverKeys[ByteText(id)] = nil
  }

  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    draft.requireScope(.server)
    if let last = draft.state.usedSignatures[ByteText(signature)], last >= horizon {
      return .repeated
    }
    if draft.state.usedSignatures.count >= limit {
      draft.state.usedSignatures = draft.state.usedSignatures.filter { $0.value >= horizon }
    }
    guard draft.state.usedSignatures.count < limit else { return .full }
    draft.state.usedSignatures[ByteText(signature)] = time
    return .first
  }
}
