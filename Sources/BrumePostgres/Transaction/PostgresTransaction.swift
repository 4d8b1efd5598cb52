// One transaction of the PostgreSQL engine: puts the features together, each with what it needs.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class PostgresTransaction: WriteTransaction {
  let session: Session
  let locks: Locks
  private let node: Node
  private let places: Places
  private let awaited: () -> Bool
  private let tuning: QueryTuning
  /// Buckets to whose logs the accepted bodies have added what may concern somebody at once.
  private(set) var grown: [Bucket: Int64] = [:]

  init(
    _ session: Session, _ node: Node, _ tuning: QueryTuning = QueryTuning(),
    isAwaited: @escaping () -> Bool = { false }
  ) {
    self.session = session
    self.node = node
    self.tuning = tuning
    awaited = isAwaited
    places = Places(session, node.numbers, bucketCount: node.bucketCount)
    locks = Locks(session, node.leases, isLocking: node.locksBuckets)
  }

  var isAwaited: Bool { awaited() }

  // MARK: Features

  private(set) lazy var accountChanges: AccountChanges = AccountChanges(
    session, locks, process: node.leases.owner)
  private(set) lazy var indexes: Indexes = Indexes(session, places, coder, isAwaited: awaited)
  private var coder: RecordCoder { node.coders.record }
  private(set) lazy var records: PostgresRecords = PostgresRecords(
    session, coder, places, indexes)
  private(set) lazy var queries: PostgresQueries = PostgresQueries(
    session, coder, places, indexes, tuning)
  private(set) lazy var changes: PostgresChanges = PostgresChanges(session, coder, places)
  private(set) lazy var zones: PostgresZones = PostgresZones(session, places)
  private(set) lazy var sequences: PostgresSequences = PostgresSequences(
    session, places, locks, node.acknowledgements)
  private(set) lazy var log: PostgresLog = PostgresLog(
    session, places, locks, coder, watched)
  private(set) lazy var watched: WatchedDatabases = WatchedDatabases(
    session, places, node.webhooks)
  private(set) lazy var subscriptions: PostgresSubscriptions = PostgresSubscriptions(
    session, places, node.coders, zones)
  private(set) lazy var devices: PostgresDevices = PostgresDevices(
    session, places, locks, mailboxes, notifications, node.leases, accountChanges)
  private(set) lazy var mailboxes: PostgresMailboxes = PostgresMailboxes(session, places, locks)
  private(set) lazy var notifications: PostgresNotifications = PostgresNotifications(
    session, places, locks)
  private(set) lazy var apnsSenders: PostgresAPNsSenders = PostgresAPNsSenders(session)
  private(set) lazy var webhooks: PostgresWebhooks = PostgresWebhooks(session)
  private(set) lazy var pushLog: PostgresPushLog = PostgresPushLog(session)
  private(set) lazy var history: PostgresHistory = PostgresHistory(session)
  private(set) lazy var users: PostgresUsers = PostgresUsers(session, accountChanges)
  private(set) lazy var credentials: PostgresCredentials = PostgresCredentials(
    session, accountChanges)
  private(set) lazy var attempts: PostgresAttempts = PostgresAttempts(session)
  private(set) lazy var roles: PostgresRoles = PostgresRoles(session, accountChanges)
  private(set) lazy var shares: PostgresShares = PostgresShares(session, places)
  private(set) lazy var settings: PostgresSettings = PostgresSettings(session, places)
  private(set) lazy var assets: PostgresAssets = PostgresAssets(session, locks)
  private(set) lazy var operators: PostgresOperators = PostgresOperators(session)
  private(set) lazy var audit: PostgresAudit = PostgresAudit(session)

  // MARK: Bodies, in the order of events

  private var remembering: [any Remembering] {
    [
      places, locks, sequences, zones, indexes, records, changes, log, watched, settings,
      subscriptions, devices, mailboxes, notifications, users, shares, webhooks,
    ]
  }

  /// Asks what is asked in any case and what plans name, in one exchange if the numbers of all places are
  /// known, else in two.
  func prepare(
    _ questions: [Question], _ named: ReadPlan, isWrite: Bool = false
  ) throws {
    let plan = PlannedReads(named.reads, isWrite: isWrite)
    records.expect(named.inOrder)
    let unknown = places.questions(plan.databases, plan.zones)
    let seen = isWrite ? [] : questionsOfPositions(plan.databases)
    if !unknown.isEmpty { try session.ask(questions + unknown) }
    try session.ask((unknown.isEmpty ? questions : []) + plan.questions(for: self) + seen)
  }

  /// What this process must know from now on, because it hands it out. Also where it seems to be alone: another process may
  /// just have begun, or be too busy to say that it is there, and still save.
  private func questionsOfPositions(_ databases: [DatabaseKey]) -> [Question] {
    node.acknowledgements.questions(Set(databases.map { places.bucket(of: $0) }))
  }

  /// The running body is done.
  func accept() {
    session.accept()
    grown.merge(log.grown) { max($0, $1) }
    sequences.accept()
  }

  /// The running body has thrown: what was remembered of it is not so.
  func discard() {
    session.discard()
    for feature in remembering { feature.forget() }
  }

  func committed() {
    places.committed()
    sequences.committed()
  }
}

/// What a transaction's feature remembers of what it has read and written.
protocol Remembering: AnyObject {
  /// What was remembered may not be so any more: a body was undone.
  func forget()
}
