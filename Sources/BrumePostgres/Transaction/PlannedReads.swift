// What plans name, as questions. Their answers are in memory before any rule counts them, so they have a bound here.

import BrumeModel
import BrumeStorage

struct PlannedReads {
  private let reads: Set<ReadPlan.Read>

  private let isWrite: Bool
  /// Bytes of a record's content that come with its row.
  private let contentBytes: Int
  /// Ours: what the contents of all records that are named have together, unless these are very many. A few have room
  /// whatever their size.
  private static let bytesAtOnce = 16 << 20
  /// Ours: a content that comes along however many records are named, as nearly all are smaller.
  private static let smallBytes = 8 << 10

  init(_ reads: Set<ReadPlan.Read>, isWrite: Bool) {
    self.reads = reads
    self.isWrite = isWrite
    let count = reads.count { if case .record = $0 { true } else { false } }
    contentBytes = max(Self.smallBytes, Self.bytesAtOnce / max(1, count))
  }

  /// Places whose numbers the questions need.
  var databases: [DatabaseKey] {
    Array(Set(reads.compactMap { $0.database }))
  }
  var zones: [ZoneKey] { Array(Set(reads.compactMap { $0.zone })) }

  func questions(for transaction: PostgresTransaction) throws -> [Question] {
    var questions: [Question?] = []
    for read in reads {
      switch read {
      case .devices(let user, let containerEnvironment):
        questions += transaction.devices.questions(user, containerEnvironment)
      case .log(let bucket, let position):
        questions += transaction.log.questions(bucket, after: position)
      default: questions.append(try question(read, transaction))
      }
    }
    return questions.compactMap { $0 } + (isWrite ? try questionsOfWrites(transaction) : [])
  }

  /// Whatever changes a zone counts in its database, keeps its index, and may concern somebody.
  private func questionsOfWrites(_ transaction: PostgresTransaction) throws -> [Question] {
    try databases.compactMap { try transaction.sequences.question($0) }
      + transaction.watched.questions(databases)
      + zones.flatMap { try transaction.indexes.questions($0) }
  }

  private func question(
    _ read: ReadPlan.Read, _ transaction: PostgresTransaction
  ) throws -> Question? {
    switch read {
    case .setting(let key): transaction.settings.question(key)
    case .zone(let key): try transaction.zones.question(key)
    case .lastSequence(let database):
      isWrite ? nil : try transaction.sequences.question(database)
    case .record(let key): try transaction.records.question(key, contentUpTo: contentBytes)
    case .devices, .log: nil
    case .children(let key): try transaction.records.question(childrenOf: key)
    case .referrers(let key, let action):
      try transaction.records.question(referrersTo: key, by: action)
    case .changes(let zone, let after, let limit):
      try transaction.changes.question(zone, after: after, limit: limit)
    case .zonesChanged(let database, let after, let limit):
      try transaction.zones.question(changedIn: database, after: after, limit: limit)
    case .querySubscriptions(let type, let database):
      transaction.subscriptions.question(queriesOn: type, in: database)
    case .subscriptions(let scope): transaction.subscriptions.question(scope)
    case .subscription(let scope, let id): transaction.subscriptions.question(scope, id: id)
    case .device(let key): transaction.devices.question(key)
    case .user(let id): transaction.users.question(id)
    case .memberships(let user, let containerEnvironment):
      transaction.shares.question(of: user, in: containerEnvironment)
    case .members(let zone): try transaction.shares.question(in: zone)
    }
  }
}

extension ReadPlan.Read {
  /// The database whose number the question needs.
  fileprivate var database: DatabaseKey? {
    switch self {
    case .lastSequence(let database), .zonesChanged(let database, _, _): database
    default: zone?.database
    }
  }

  fileprivate var zone: ZoneKey? {
    switch self {
    case .zone(let zone), .changes(let zone, _, _), .members(let zone): zone
    case .record(let key), .children(let key), .referrers(let key, _): key.zone
    case .setting, .lastSequence, .zonesChanged, .querySubscriptions, .subscriptions, .subscription,
      .device, .devices, .user, .memberships, .log:
      nil
    }
  }
}
