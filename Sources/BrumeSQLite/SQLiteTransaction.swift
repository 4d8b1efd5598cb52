// One transaction of the SQLite engine, for readers and for the writer: puts the features together, each
// with what it needs. A feature is made when it is first asked for; a read asks for few. The writer keeps one
// transaction for good, and with it what its features have learnt.

import BrumeModel
import BrumeQueryPlan
import BrumeStorage

final class SQLiteTransaction: WriteTransaction {
  let connection: Connection
  /// Whom a long body gives way to.
  let others = OtherWrites()
  private let coders: StoreCoders
  private let positions: DeliveryPositions
  private let isWriter: Bool
  private let tuning: QueryTuning
  private var changesBefore: Int64 = 0

  /// - Parameter positions: places in mailboxes and among kept notifications; only the writer gives any.
  init(
    _ connection: Connection, _ coders: StoreCoders, _ positions: DeliveryPositions,
    isWriter: Bool, _ tuning: QueryTuning = QueryTuning()
  ) {
    self.connection = connection
    self.coders = coders
    self.positions = positions
    self.isWriter = isWriter
    self.tuning = tuning
  }

  var isAwaited: Bool { others.areWaiting }

  // MARK: What features share

  private var coder: RecordCoder { coders.record }
  private(set) lazy var numbers: DatabaseNumbers = DatabaseNumbers(connection)
  private lazy var deviceNumbers: DeviceNumbers = DeviceNumbers(connection, isWriter: isWriter)
  private lazy var watched: WatchedDatabases = WatchedDatabases(connection)
  private lazy var fieldIndexes: FieldIndexes = FieldIndexes(IndexKeyRows(connection))
  private(set) lazy var index: QueryIndex = QueryIndex(
    IndexRows(connection), fieldIndexes, gone: GoneRecordRows(connection, coder))
  private(set) lazy var indexBuild: IndexBuild = IndexBuild(
    IndexBuildRows(connection, coder, numbers), fieldIndexes, index,
    isAwaited: { [others] in others.areWaiting })

  // MARK: Features

  private(set) lazy var records: SQLiteRecords = SQLiteRecords(
    connection, coder, numbers, index, isWriter: isWriter)
  private(set) lazy var queries: SQLiteQueries = SQLiteQueries(
    connection, coder, numbers, fieldIndexes, tuning)
  private(set) lazy var changes: SQLiteChanges = SQLiteChanges(connection, coder, numbers)
  private(set) lazy var zones: SQLiteZones = SQLiteZones(
    connection, numbers, sequences, isWriter: isWriter)
  private(set) lazy var sequences: SQLiteSequences = SQLiteSequences(connection, numbers)
  private(set) lazy var log: SQLiteLog = SQLiteLog(connection, coder, numbers, watched)
  private(set) lazy var subscriptions: SQLiteSubscriptions = SQLiteSubscriptions(
    connection, coders, watched)
  private(set) lazy var devices: SQLiteDevices = SQLiteDevices(
    connection, deviceNumbers, mailboxes, isWriter: isWriter)
  private(set) lazy var mailboxes: SQLiteMailboxes = SQLiteMailboxes(
    connection, deviceNumbers, positions, isWriter: isWriter)
  private(set) lazy var notifications: SQLiteNotifications = SQLiteNotifications(
    connection, positions)
  private(set) lazy var apnsSenders: SQLiteAPNsSenders = SQLiteAPNsSenders(connection)
  private(set) lazy var webhooks: SQLiteWebhooks = SQLiteWebhooks(connection, watched)
  private(set) lazy var pushLog: SQLitePushLog = SQLitePushLog(connection)
  private(set) lazy var history: SQLiteHistory = SQLiteHistory(connection)
  private(set) lazy var users: SQLiteUsers = SQLiteUsers(connection)
  private(set) lazy var credentials: SQLiteCredentials = SQLiteCredentials(connection)
  private(set) lazy var roles: SQLiteRoles = SQLiteRoles(connection)
  private(set) lazy var shares: SQLiteShares = SQLiteShares(connection, numbers)
  private(set) lazy var settings: SQLiteSettings = SQLiteSettings(
    connection, isWriter: isWriter)
  private(set) lazy var assets: SQLiteAssets = SQLiteAssets(connection)
  private(set) lazy var operators: SQLiteOperators = SQLiteOperators(connection)
  private(set) lazy var audit: SQLiteAudit = SQLiteAudit(connection)

  // MARK: Bodies, in the order of events

  private lazy var remembering: [any Remembering] = [
    numbers, sequences, deviceNumbers, watched, fieldIndexes, index, records, log, mailboxes,
    notifications, credentials, zones, settings, devices,
  ]

  func bodyBegins() {
    changesBefore = connection.totalChanges
    for feature in remembering { feature.bodyBegins() }
  }

  func bodyEnds() throws { for feature in remembering { try feature.bodyEnds() } }

  func bodyFailed() {
    if connection.totalChanges != changesBefore { return forget() }
    for feature in remembering { feature.bodyFailed() }
  }

  /// The whole group is undone.
  func groupFailed() { forget() }

  func groupCommitted() {
    log.groupCommitted()
    index.groupCommitted()
  }

  private func forget() { for feature in remembering { feature.forget() } }
}

/// Who waits for the writer beside the running body.
final class OtherWrites {
  /// Whether the running body shares its commit with others before it, whose callers want to be
  /// answered.
  var shareTheCommit = false
  /// Whether writes wait behind the running one.
  var areQueued: @Sendable () -> Bool = { false }

  var areWaiting: Bool { shareTheCommit || areQueued() }
}
