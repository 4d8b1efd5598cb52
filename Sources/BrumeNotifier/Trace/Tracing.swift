// This answers what became of a change: it finds it in the log, reads what the history says of it, judges the
// rest again by the rules that made the pushes (`FireRules`, `Audience`, `Gates`), and puts the answer together.
//
// How one subscription is judged is `SubscriptionTraces.swift`. What became of a push after it was put into a
// mailbox is delivery's to say: it comes in as a function. docs/internals/trace.md says what is kept and why.

package import BrumeCore
package import BrumeModel
package import BrumeStorage

/// What somebody asks. Without a change, record or request it is about the newest change.
package struct TraceQuestion: Sendable {
  package let containerEnvironment: ContainerEnvironment
  /// A bucket and a position in its log.
  package var change: (bucket: Bucket, position: Int64)?
  /// Its name and its zone's; the newest change of it is meant.
  package var record: (name: String, zone: String)?
  /// The newest change that the request made is meant.
  package var requestID: String?
  /// Only subscriptions of this user, and all of them.
  package var user: UserID?
  /// Only this device.
  package var device: DeviceID?

  package init(in containerEnvironment: ContainerEnvironment) {
    self.containerEnvironment = containerEnvironment
  }
}

/// Makes traces, within one reading transaction each.
package struct Tracing: Sendable {
  /// What became of a push after it was put into a mailbox.
  package typealias DeviceJudge =
    @Sendable (TracedPush, any ReadTransaction) throws -> Trace.Device
  let permission: ReadPermission
  let generation: Int64
  let limits: Limits
  let judge: DeviceJudge

  package init(_ engine: Engine, _ judge: @escaping DeviceJudge) {
    permission = engine.permission
    generation = engine.generation
    limits = engine.limits
    self.judge = judge
  }

  /// Where changes are found.
  package static let list = "'brume log list' shows those that are remembered"

  private var history: Trace.History {
    Trace.History(age: limits.historyAge, rows: limits.historyRows)
  }

  /// The answer, by what is true in this transaction.
  ///
  /// If no change is found, the answer is a sentence that says so.
  ///
  /// - Throws: what the transaction throws.
  package func trace(
    _ question: TraceQuestion, now: Milliseconds, in transaction: any ReadTransaction
  ) throws -> Trace {
    let found = try changes(question, now, transaction)
    guard let entry = found.first else {
      return Trace(sentence: notFound(question), history: history)
    }
    let names = UserNames(transaction)
    var subscriptions = try SubscriptionTraces(of: entry, question, self, names, transaction)
    try subscriptions.judgeAll()
    var trace = Trace(sentence: "", history: history)
    trace.change = try change(entry, names, transaction)
    trace.others = try found.dropFirst().map { try change($0, names, transaction) }
    subscriptions.fill(&trace)
    let user = try question.user.map { try names.name($0) }
    trace.sentence = TraceSentence(trace, try names.device(question), of: user).text
    return trace
  }

  // MARK: The change

  /// Newest first. What is older than the history's age is not shown, even if it was not dropped yet.
  private func changes(
    _ question: TraceQuestion, _ now: Milliseconds, _ transaction: any ReadTransaction
  ) throws -> [LogEntry] {
    var filter = LogFilter(in: question.containerEnvironment)
    if limits.historyAge > 0 { filter.since = now - limits.historyAge }
    if let (bucket, position) = question.change {
      let entry = try transaction.log.entry(at: position, in: bucket)
      return [entry].compactMap { $0 }.filter { filter.admits($0) }
    }
    filter.record = question.record
    filter.requestID = question.requestID
    return try transaction.log.newest(filter, limit: limits.tracedChanges)
  }

  private func notFound(_ question: TraceQuestion) -> String {
    let what =
      if let (bucket, position) = question.change {
        "Change \(bucket)-\(position) of \(question.containerEnvironment)"
      } else if let record = question.record {
        "No change of record '\(record.name)' in zone '\(record.zone)'"
      } else if let request = question.requestID {
        "No change of request \(request)"
      } else {
        "No change"
      }
    let isKnown = question.change == nil ? "is remembered" : "is not remembered"
    let list = question.change == nil ? "" : " Now \(Self.list)."
    if limits.historyAge == 0 {
      return "\(what) \(isKnown): the history is off; switch it on with --history-hours."
    }
    return
      "\(what) \(isKnown): either nothing like it happened, or it is older than "
      + "\(limits.historyAge / 3_600_000) hours or than the last \(limits.historyRows) changes.\(list)"
  }

  /// A change as answers name it.
  func change(
    _ entry: LogEntry, _ names: UserNames, _ transaction: any ReadTransaction
  ) throws -> Trace.Change {
    let bucket = transaction.log.bucket(of: entry.database)
    var change = Trace.Change(
      id: "\(bucket)-\(entry.position)", time: entry.origin.time, kind: entry.event.tracedKind,
      scope: entry.database.owner == nil ? .public : .private, request: entry.origin.requestID,
      notification: NotificationID.text(generation: generation, entry: entry))
    change.owner = try entry.database.owner.map { try names.name($0) }
    change.user = try entry.origin.user.map { try names.name($0) }
    change.device = entry.origin.device?.name
    change.zone = entry.event.zone?.name
    if case .record(let record) = entry.event {
      change.record = record.record.name
      change.recordType = record.recordType
    }
    return change
  }
}

extension LogEntry.Event {
  fileprivate var tracedKind: Trace.Change.Kind {
    switch self {
    case .record(let change):
      switch change.kind {
      case .created: .created
      case .updated: .updated
      case .deleted: .deleted
      }
    case .zoneCreated: .zoneCreated
    case .zoneDeleted: .zoneDeleted
    // A trace is never of a saved subscription.
    case .membership, .subscription: .membership
    }
  }
}

/// Sign-in names of users, looked up once each.
final class UserNames {
  private let transaction: any ReadTransaction
  private var known: [UserID: String] = [:]

  init(_ transaction: any ReadTransaction) { self.transaction = transaction }

  /// The sign-in name, or the record name of a user without one.
  func name(_ user: UserID) throws -> String {
    if let name = known[user] { return name }
    let name = try transaction.users.findWhole(user)?.name ?? user.name
    known[user] = name
    return name
  }

  /// What a question is about, such as `bob's phone`; nil if it is about everybody.
  func device(_ question: TraceQuestion) throws -> String? {
    guard let user = question.user else { return question.device.map { "device '\($0.name)'" } }
    let name = try name(user)
    return question.device.map { "\(name)'s device '\($0.name)'" } ?? name
  }
}
