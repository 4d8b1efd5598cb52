// The port's part for accounts, credentials, share memberships, schemas and settings.

package import BrumeModel

package protocol AccountReading {
  func user(_ id: UserID) throws -> User?
  func user(named name: String) throws -> User?
  /// The account with an address as ``EmailAddress`` compares them. If several have it, the one that
  /// spells it so, or else the first in name order.
  func user(emailAddress: String) throws -> User?
  func user(phoneNumber: String) throws -> User?
  /// All accounts in name order.
  func users() throws -> [User]
  func apiToken(_ token: String) throws -> APIToken?
  func apiTokens() throws -> [APIToken]
  func serverKey(_ id: String) throws -> ServerKey?
  func serverKeys() throws -> [ServerKey]
  /// The account that a provider's identity was linked to.
  func user(_ identity: ProviderIdentity) throws -> UserID?
  /// Roles of a container's own that a user has, in name order.
  func roles(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String]
  /// Everybody with a role of a container and environment, in role and user order.
  func roleMembers(container: ContainerID, environment: Environment) throws -> [RoleMember]
  /// Shares of others that a user accepted in a container and environment, in zone and name order.
  func memberships(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [Membership]
  /// Everybody who accepted a share of this zone.
  func memberships(in zone: ZoneKey) throws -> [Membership]
  /// The record that a short GUID names.
  func record(shortGUID: String) throws -> RecordKey?
}

package protocol AccountWriting {
  func put(_ user: User) throws
  func put(_ token: APIToken) throws
  func removeAPIToken(_ token: String) throws
  func put(_ key: ServerKey) throws
  func removeServerKey(_ id: String) throws
  func link(_ identity: ProviderIdentity, to user: UserID) throws
  func put(_ member: RoleMember) throws
  func remove(_ member: RoleMember) throws
  /// Remembers a signature that was used at `time`, forgetting those from before `horizon`.
  func use(
    signature: String, at time: Milliseconds, after horizon: Milliseconds, limit: Int
  ) throws -> SignatureUse
  func put(_ membership: Membership) throws
  func remove(_ membership: Membership) throws
  func setShortGUID(_ shortGUID: String, record: RecordKey) throws
}

/// What became of an attempt to use a signature.
package enum SignatureUse: Equatable, Sendable {
  case first, repeated
  /// As many are remembered as may be; nothing was noted.
  case full
}

/// Small values by name: the schema text of a container and environment, the notifier's cursor, the
/// store's generation and secrets.
package enum SettingKey: Hashable, Sendable {
  case schema(ContainerID, Environment)
  /// The kinds of subscriptions that were saved in an environment, or deployed to it.
  case subscriptionTypes(ContainerID, Environment)
  /// How far a bucket's log is served.
  case notifierCursor(Bucket)
  case generation
  /// Why the store may be older than what was acknowledged from it, noted by the engine that opened it.
  /// Who raises the generation removes it.
  case copiedBack
  case secret
  /// The P-256 key that signs for Web Push services.
  case vapidKey
  /// The stored answer to a client's `operationID`.
  case operation(user: UserID, id: String)
  /// Rises when records of a shared zone moved between shares: participants then start over.
  case sharingEpoch(ZoneKey)
  /// What a user's devices said with their last saves in a zone.
  case clientData(ZoneKey, user: UserID)
  /// What the records of a zone take of their owner's quota, and as of which sequence.
  case storedBytes(ZoneKey)
  /// The same of all zones of a database.
  case storedBytesOfDatabase(DatabaseKey)
  /// What a user uploaded that no save has used yet.
  case pendingUploads(UserID)

  /// How engines without structured keys spell it.
  package var text: String {
    switch self {
    case .schema(let container, let environment): "schema/\(container.name)/\(environment.rawValue)"
    case .subscriptionTypes(let container, let environment):
      "subscription-types/\(container.name)/\(environment.rawValue)"
    // Stores with one bucket had no number for it.
    case .notifierCursor(.only): "notifier-cursor"
    case .notifierCursor(let bucket): "notifier-cursor/\(bucket)"
    case .generation: "generation"
    case .copiedBack: "copied-back"
    case .secret: "secret"
    case .vapidKey: "vapid-key"
    case .operation(let user, let id): "operation/\(user.name)/\(id)"
    case .sharingEpoch(let zone): "sharing-epoch/\(Self.text(zone))"
    case .clientData(let zone, let user): "client-data/\(Self.text(zone))/\(user.name)"
    case .storedBytes(let zone): "stored-bytes/\(Self.text(zone))"
    case .storedBytesOfDatabase(let database): "stored-bytes-of/\(Self.text(database))"
    case .pendingUploads(let user): "pending-uploads/\(user.name)"
    }
  }

  private static func text(_ zone: ZoneKey) -> String { "\(text(zone.database))/\(zone.name)" }

  private static func text(_ database: DatabaseKey) -> String {
    "\(database.container.name)/\(database.environment.rawValue)/\(database.ownerName)"
  }
}

package protocol SettingReading {
  func setting(_ key: SettingKey) throws -> [UInt8]?
}

package protocol SettingWriting {
  func set(_ key: SettingKey, to value: [UInt8]?) throws
}
