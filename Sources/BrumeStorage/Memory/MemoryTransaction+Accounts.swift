// Accounts, credentials, memberships and settings in memory.

import BrumeModel

extension MemoryTransaction {
  func user(_ id: UserID) throws -> User? { state.users[id] }

  func user(named name: String) throws -> User? {
    try users().first { ByteText($0.name) == ByteText(name) }
  }

  func user(emailAddress: String) throws -> User? {
    let found = try users().filter { user in
      user.emailAddress.map { EmailAddress.isSame($0, emailAddress) } ?? false
    }
    return found.first { $0.emailAddress.map(ByteText.init) == ByteText(emailAddress) }
      ?? found.first
  }

  func user(phoneNumber: String) throws -> User? {
    try users().first { $0.phoneNumber.map { ByteText($0) == ByteText(phoneNumber) } ?? false }
  }

  func users() throws -> [User] {
    state.users.values.sorted {
      (ByteText($0.name), ByteText($0.id.name)) < (ByteText($1.name), ByteText($1.id.name))
    }
  }

  func put(_ user: User) throws {
    requireScope(.server)
    state.users[user.id] = user
  }
}

// MARK: Credentials

extension MemoryTransaction {
  func apiToken(_ token: String) throws -> APIToken? { state.apiTokens[ByteText(token)] }

  func apiTokens() throws -> [APIToken] {
    state.apiTokens.sorted { $0.key < $1.key }.map(\.value)
  }

  func serverKey(_ id: String) throws -> ServerKey? { state.serverKeys[ByteText(id)] }

  func serverKeys() throws -> [ServerKey] {
    state.serverKeys.sorted { $0.key < $1.key }.map(\.value)
  }

  func put(_ token: APIToken) throws {
    requireScope(.server)
    state.apiTokens[ByteText(token.token)] = token
  }

  func removeAPIToken(_ token: String) throws {
    requireScope(.server)
    state.apiTokens[ByteText(token)] = nil
  }

  func put(_ key: ServerKey) throws {
    requireScope(.server)
    state.serverKeys[ByteText(key.id)] = key
  }

  func removeServerKey(_ id: String) throws {
    requireScope(.server)
    state.serverKeys[ByteText(id)] = nil
  }
}

// MARK: Sign-in, roles, used signatures

extension MemoryTransaction {
  func user(_ identity: ProviderIdentity) throws -> UserID? { state.identities[key(identity)] }

  func link(_ identity: ProviderIdentity, to user: UserID) throws {
    requireScope(.server)
    state.identities[key(identity)] = user
  }

  private func key(_ identity: ProviderIdentity) -> [ByteText] {
    [ByteText(identity.issuer), ByteText(identity.subject)]
  }

  func roles(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String] {
    try roleMembers(container: container, environment: environment)
      .filter { $0.user == user }.map(\.role)
  }

  func roleMembers(container: ContainerID, environment: Environment) throws -> [RoleMember] {
    state.roleMembers.filter { $0.container == container && $0.environment == environment }
      .sorted {
        (ByteText($0.role), ByteText($0.user.name)) < (ByteText($1.role), ByteText($1.user.name))
      }
  }

  func put(_ member: RoleMember) throws {
    requireScope(.server)
    state.roleMembers.insert(member)
  }

  func remove(_ member: RoleMember) throws {
    requireScope(.server)
    state.roleMembers.remove(member)
  }

  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse {
    if let last = state.usedSignatures[ByteText(signature)], last >= horizon { return .repeated }
    if state.usedSignatures.count >= limit {
      state.usedSignatures = state.usedSignatures.filter { $0.value >= horizon }
    }
    guard state.usedSignatures.count < limit else { return .full }
    state.usedSignatures[ByteText(signature)] = time
    return .first
  }
}

// MARK: Sharing

extension MemoryTransaction {
  func memberships(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [Membership] {
    sorted {
      $0.user == user && $0.share.zone.database.container == container
        && $0.share.zone.database.environment == environment
    }
  }

  func memberships(in zone: ZoneKey) throws -> [Membership] {
    sorted { $0.share.zone == zone }
  }

  func put(_ membership: Membership) throws {
    requireScope(.database(membership.share.zone.database))
    state.memberships.insert(membership)
  }

  func remove(_ membership: Membership) throws {
    requireScope(.database(membership.share.zone.database))
    state.memberships.remove(membership)
  }

  func record(shortGUID: String) throws -> RecordKey? {
    state.shortGUIDs[ByteText(shortGUID)]
  }

  func setShortGUID(_ shortGUID: String, record: RecordKey) throws {
    requireScope(.database(record.zone.database))
    state.shortGUIDs[ByteText(shortGUID)] = record
  }

  /// By zone name, owner, share and user.
  private func sorted(_ condition: (Membership) -> Bool) -> [Membership] {
    func order(_ membership: Membership) -> [ByteText] {
      let zone = membership.share.zone
      return [
        ByteText(zone.name), ByteText(zone.database.owner?.name ?? ""),
        ByteText(membership.share.name),
        ByteText(membership.user.name),
      ]
    }
    return state.memberships.filter(condition)
      .sorted { order($0).lexicographicallyPrecedes(order($1)) }
  }
}

// MARK: Settings

extension MemoryTransaction {
  func setting(_ key: SettingKey) throws -> [UInt8]? { state.settings[ByteText(key.text)] }

  func set(_ key: SettingKey, to value: [UInt8]?) throws {
    requireScope(key)
    state.settings[ByteText(key.text)] = value
  }
}
