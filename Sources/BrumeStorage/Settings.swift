// The port's part for small values by name.

package import BrumeModel

/// Throws what ``ReadTransaction`` says, and the `BrumeError` for damage if the value cannot be read.
package protocol SettingReading: AnyObject {
  /// The value of a key; nil if it was never set, or was removed.
  func value(_ key: SettingKey) throws -> [UInt8]?
}

/// Throws what ``WriteTransaction`` says; the write's scope covers the key (`WriteScope.covers`).
package protocol SettingWriting: SettingReading {
  /// - Parameter value: nil removes it.
  func set(_ key: SettingKey, to value: [UInt8]?) throws
}

/// Small values by name: the schema text of a container environment, the notifier's cursor, the
/// store's generation and secrets.
package enum SettingKey: Hashable, Sendable {
  case schema(ContainerEnvironment)
  /// The kinds of subscriptions that were saved in an environment, or deployed to it.
  case subscriptionTypes(ContainerEnvironment)
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
  /// The highest sequence of a deletion in a zone that was forgotten; nothing if none was.
  case forgottenDeletions(ZoneKey)
  /// Which sequence a database had when, for the age of its deletions.
  case sequenceMarks(DatabaseKey)
  /// When a webhook was called last.
  case webhookUse(String)
  /// When a push was signed last with the key of a topic.
  case apnsUse(ContainerID, topic: String)

  /// How engines without structured keys spell it.
  package var text: String {
    switch self {
    case .schema(let containerEnvironment): "schema/\(Self.text(containerEnvironment))"
    case .subscriptionTypes(let containerEnvironment):
      "subscription-types/\(Self.text(containerEnvironment))"
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
    case .forgottenDeletions(let zone): "forgotten-deletions/\(Self.text(zone))"
    case .sequenceMarks(let database): "sequence-marks/\(Self.text(database))"
    case .webhookUse(let id): "webhook-use/\(id)"
    case .apnsUse(let container, let topic): "apns-use/\(container.name)/\(topic)"
    }
  }

  /// The database that the value of a text belongs to, for engines that keep it there; nil if it belongs to
  /// none.
  package static func database(ofText text: String) -> DatabaseKey? {
    let parts = text.split(separator: "/", maxSplits: 4, omittingEmptySubsequences: false)
    guard ofDatabases.contains(String(parts[0])),
      parts.count >= 4, let environment = Environment(rawValue: String(parts[2]))
    else { return nil }
    let owner = parts[3] == UserID.publicOwnerName ? nil : UserID(String(parts[3]))
    return DatabaseKey(
      in: ContainerEnvironment(ContainerID(String(parts[1])), environment), owner: owner)
  }

  private static let ofDatabases: Set<String> = [
    "sharing-epoch", "client-data", "stored-bytes", "stored-bytes-of", "forgotten-deletions",
    "sequence-marks",
  ]

  private static func text(_ zone: ZoneKey) -> String { "\(text(zone.database))/\(zone.name)" }

  private static func text(_ database: DatabaseKey) -> String {
    "\(text(database.containerEnvironment))/\(database.ownerName)"
  }

  private static func text(_ containerEnvironment: ContainerEnvironment) -> String {
    "\(containerEnvironment.container.name)/\(containerEnvironment.environment.rawValue)"
  }
}
