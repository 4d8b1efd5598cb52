// What a body is going to read, said before it runs. An engine on the other side of a network asks for all
// of it in one exchange, together with the lock; an engine in the same process need not look at it.
//
// A plan is a hint: a body may read what its plan does not name, for the price of another exchange.

package import BrumeModel

/// The questions that a body is going to ask, made only for engines that use them.
package struct ReadPlan: Sendable {
  /// One question of those that requests ask most.
  package enum Read: Hashable, Sendable {
    case setting(SettingKey)
    case zone(ZoneKey)
    case lastSequence(DatabaseKey)
    case record(RecordKey)
    case children(of: RecordKey)
    case referrers(RecordKey, Reference.Action)
    case changes(ZoneKey, after: Int64, limit: Int)
    case zonesChanged(DatabaseKey, after: Int64, limit: Int)
    case querySubscriptions(recordType: String, DatabaseKey)
    case subscriptions(SubscriptionScope)
    case subscription(SubscriptionScope, id: String)
    case device(DeviceKey)
    /// A user's devices; in a write also what waits for them and is kept for the user.
    case devices(UserID, ContainerEnvironment)
    case user(UserID)
    /// Shares of others that a user accepted.
    case memberships(UserID, ContainerEnvironment)
    /// Everybody who accepted a share of a zone.
    case members(ZoneKey)
    /// The next entries of a log, as many as are read at once, and its last position.
    case log(Bucket, after: Int64)
  }

  private let make: @Sendable () -> Set<Read>
  private let order: @Sendable () -> [RecordKey]

  /// Both are called by engines that exchange messages, and by no others.
  ///
  /// - Parameters:
  ///   - order: records that are named too, as the body asks for them: if they are large, some are read at once, and the next
  ///     when it comes to them.
  ///   - make: names what is read.
  package init(
    inOrder order: @escaping @Sendable () -> [RecordKey] = { [] },
    _ make: @escaping @Sendable () -> Set<Read>
  ) {
    self.make = make
    self.order = order
  }

  /// One for bodies that run one after the other.
  package init(of plans: [ReadPlan]) {
    self.init(inOrder: { plans.flatMap(\.inOrder) }) {
      plans.reduce(into: Set()) { $0.formUnion($1.reads) }
    }
  }

  /// Nothing is said before; right for what reads little or cannot know.
  package static let none = ReadPlan { [] }

  /// Made anew each time, as `inOrder` is.
  package var reads: Set<Read> { make() }

  /// Some of the records that `reads` names, as the body asks for them.
  package var inOrder: [RecordKey] { order() }

  /// The same, made now and not again.
  package var made: ReadPlan {
    let (reads, order) = (reads, inOrder)
    return ReadPlan(inOrder: { order }) { reads }
  }
}
