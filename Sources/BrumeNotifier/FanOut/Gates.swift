// What is asked of a subscription that matched a change before its user's devices are notified: is it still
// the one that matched, may its user read the record, is there somebody besides the device that wrote?
//
// The fan-out asks to decide, and a trace asks again to explain: there is no second copy of these questions.

package import BrumeCore
package import BrumeModel
package import BrumeStorage

/// Why a subscription that matched notifies nobody. Raw values are stored.
package enum Withheld: Int64, Hashable, Sendable, CaseIterable {
  /// It was removed, or saved with other conditions.
  case replaced = 1
  case noRight = 2
  /// No share that its user takes part in covers the record any more.
  case shareLeft = 3
  /// The change was made by its user's only device.
  case ownWriter = 4
  /// What is stored of its user is damaged.
  case damaged = 5
}

/// The questions, within one transaction, which remembers what several subscribers have in common.
package struct Gates {
  /// What the fan-out does about a match.
  package enum Answer: Sendable {
    /// - Parameters:
    ///   - all: the devices of the subscription's user.
    ///   - recipients: those of them that did not make the change.
    case notify(StoredSubscription, all: [Device], recipients: [Device])
    case withheld(Withheld)
  }

  private let bucket: Bucket
  private let permission: ReadPermission
  private let transaction: any ReadTransaction
  private var devices: [AccountKey: [Device]] = [:]
  private var publicContexts: [WatchedType: Permissions.Context] = [:]

  /// - Parameter bucket: whose log the changes are in.
  package init(
    of bucket: Bucket, _ permission: ReadPermission, _ transaction: any ReadTransaction
  ) {
    self.bucket = bucket
    self.permission = permission
    self.transaction = transaction
  }

  /// Asks in the order of the server.
  ///
  /// - Parameters:
  ///   - startPosition: the subscription's when it matched. Another one means that other conditions were
  ///     saved since: the matched one is gone.
  ///   - creator: who made the record, as far as its image says.
  ///
  /// - Throws: what the transaction throws; not for a damaged subscription, which counts as replaced.
  package mutating func ask(
    _ key: SubscriptionKey, from startPosition: Int64, about entry: LogEntry, creator: UserID?
  ) throws -> Answer {
    let scope = key.scope
    guard let stored = try transaction.subscriptions.findWhole(key.id, in: scope),
      stored.starts[bucket] == startPosition
    else { return .withheld(.replaced) }
    if let lost = try lostRight(scope, entry, creator) { return .withheld(lost) }
    let all = try devices(of: scope)
    let recipients = Audience.devices(all, except: entry.origin)
    if recipients.isEmpty, entry.origin.user == scope.user, entry.origin.device != nil {
      return .withheld(.ownWriter)
    }
    return .notify(stored, all: all, recipients: recipients)
  }

  /// Asked when the push is made: whoever lost the right since the save is not notified.
  private mutating func lostRight(
    _ scope: SubscriptionScope, _ entry: LogEntry, _ creator: UserID?
  ) throws -> Withheld? {
    guard case .record(let change) = entry.event else { return nil }
    let database = change.record.zone.database
    if database.owner == nil {
      let mayRead = try permission.mayRead(
        scope.user, at: try publicContext(of: change.recordType, in: database), in: database,
        creator: creator, transaction: transaction)
      return mayRead ? nil : .noRight
    }
    let mayRead = try permission.mayRead(
      scope.user, change.record, type: change.recordType, creator: creator,
      coveringShares: change.coveringShares, in: transaction)
    return mayRead ? nil : .shareLeft
  }

  /// Looked up once a transaction, not once a subscriber.
  private mutating func publicContext(
    of type: String, in database: DatabaseKey
  ) throws -> Permissions.Context {
    let key = WatchedType(type, in: database)
    if let known = publicContexts[key] { return known }
    let context = try permission.publicContext(of: type, in: database, transaction)
    publicContexts[key] = context
    return context
  }

  private mutating func devices(of scope: SubscriptionScope) throws -> [Device] {
    let owner = AccountKey(scope.user, scope.containerEnvironment)
    if let known = devices[owner] { return known }
    let found = try transaction.devices.all(of: scope.user, in: scope.containerEnvironment)
    devices[owner] = found
    return found
  }
}
