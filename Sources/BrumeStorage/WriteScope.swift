// What a write may change. Engines lock by it, so whoever writes says it before, and a body that changes
// anything else is a mistake: the memory engine, on which most tests run, ends the process for it.

package import BrumeModel

/// The parts of a store that one write may change.
package struct WriteScope: Hashable, Sendable {
  /// One thing that can be locked by itself.
  package enum Part: Hashable, Sendable {
    /// Zones, records, log, subscriptions and share members of a database, and what a save keeps beside
    /// its records.
    case database(DatabaseKey)
    /// Devices of a user in a container environment, their mailboxes, kept notifications, badge.
    case account(UserID, ContainerEnvironment)
    /// All databases and accounts in a bucket.
    case bucket(Bucket)
    /// All databases in a bucket, of which nothing is changed: the write waits for those that change one, and those that
    /// come wait for it.
    case databases(Bucket)
    /// What the notifier of a bucket writes beside accounts: its cursor, the log, subscriptions that fired
    /// their only time, the push log, webhooks that fell behind. Refused under another lease of the bucket than
    /// the one with this epoch.
    case notifier(Bucket, epoch: Int64)
    /// What belongs to no bucket: users, credentials, roles, schemas, webhooks, the rows of assets.
    case server
  }

  /// What may be changed; a write may read everything.
  package let parts: Set<Part>
  /// Who asked for it; nil: the server itself. Where writes wait for one another, users take turns.
  package let user: UserID?

  /// - Parameter user: who asked for it; nil: the server itself.
  package init(parts: Set<Part>, for user: UserID? = nil) {
    self.parts = parts
    self.user = user
  }

  /// Asked for by the owner, if there is one.
  package static func database(_ database: DatabaseKey) -> WriteScope {
    WriteScope(parts: [.database(database)], for: database.owner)
  }
  /// The account of the device's user, who asks.
  package static func account(_ device: DeviceKey) -> WriteScope {
    account(device.user, device.containerEnvironment)
  }
  /// Asked for by the user.
  package static func account(
    _ user: UserID, _ containerEnvironment: ContainerEnvironment
  ) -> WriteScope {
    WriteScope(parts: [.account(user, containerEnvironment)], for: user)
  }
  /// Asked for by the server itself.
  package static func bucket(_ bucket: Bucket) -> WriteScope {
    WriteScope(parts: [.bucket(bucket)])
  }
  /// - Parameter accounts: those whose devices get something.
  package static func notifier(
    _ bucket: Bucket, epoch: Int64, notifying accounts: Set<Part>
  ) -> WriteScope {
    WriteScope(parts: accounts.union([.notifier(bucket, epoch: epoch)]))
  }
  /// Asked for by the server itself.
  package static let server = WriteScope(parts: [.server])
  /// What belongs to no bucket, while no database is changed: whoever changes one later sees what was written.
  package static func serverBetweenSaves(of store: any Store) -> WriteScope {
    let databases = (0..<store.bucketCount).map { Part.databases(Bucket($0)) }
    return server.and(WriteScope(parts: Set(databases)))
  }
  /// Everything of everybody: for administration, and for what ends all of a user's sessions.
  package static func everything(of store: any Store) -> WriteScope {
    WriteScope(parts: Set((0..<store.bucketCount).map { .bucket(Bucket($0)) } + [.server]))
  }
  /// The same, while no database is changed.
  package static func everythingBetweenSaves(of store: any Store) -> WriteScope {
    everything(of: store).and(serverBetweenSaves(of: store))
  }

  /// Both together, asked for by the user of the first, or else of the second.
  package func and(_ other: WriteScope) -> WriteScope {
    WriteScope(parts: parts.union(other.parts), for: user ?? other.user)
  }

  /// The same, asked for by `user`.
  package func asked(by user: UserID?) -> WriteScope {
    WriteScope(parts: parts, for: user ?? self.user)
  }

  /// Whether a write of this scope may change `part`.
  package func covers(_ part: Part, among count: Int) -> Bool {
    if parts.contains(part) { return true }
    if part == .server { return parts.contains { $0.notified != nil } }
    guard let bucket = part.bucket(among: count) else { return false }
    return parts.contains { $0 == .bucket(bucket) || $0.notified == bucket }
  }
}

extension WriteScope.Part {
  /// The bucket whose notifier writes.
  fileprivate var notified: Bucket? {
    if case .notifier(let bucket, _) = self { bucket } else { nil }
  }

  /// Nil for what is in no bucket.
  package func bucket(among count: Int) -> Bucket? {
    switch self {
    case .database(let database): Bucket(of: database, among: count)
    case .account(let user, let containerEnvironment):
      Bucket(of: DatabaseKey(in: containerEnvironment, owner: user), among: count)
    case .bucket(let bucket), .databases(let bucket), .notifier(let bucket, _): bucket
    case .server: nil
    }
  }
}

// MARK: Settings

extension WriteScope {
  /// Whether a write of this scope may change a setting.
  package func covers(_ key: SettingKey, among count: Int) -> Bool {
    switch key {
    case .generation, .copiedBack, .secret, .vapidKey, .webhookUse, .apnsUse:
      covers(.server, among: count)
    case .notifierCursor(let bucket): covers(.bucket(bucket), among: count)
    case .sharingEpoch(let zone), .clientData(let zone, _), .storedBytes(let zone),
      .forgottenDeletions(let zone):
      covers(.database(zone.database), among: count)
    case .storedBytesOfDatabase(let database), .sequenceMarks(let database):
      covers(.database(database), among: count)
    // A save brings new types and fields; what it answers is kept beside its records; it uses uploads.
    case .schema(let containerEnvironment), .subscriptionTypes(let containerEnvironment):
      covers(.server, among: count)
        || changesDatabase { $0.containerEnvironment == containerEnvironment }
    case .operation: changesDatabase { _ in true }
    case .pendingUploads: covers(.server, among: count) || changesDatabase { _ in true }
    }
  }

  private func changesDatabase(where condition: (DatabaseKey) -> Bool) -> Bool {
    parts.contains { part in
      switch part {
      case .database(let database): condition(database)
      case .bucket, .notifier: true
      case .account, .databases, .server: false
      }
    }
  }
}
