// A transaction on its connection: reads are exchanges, unless they were planned; writes wait until the next
// exchange takes them along.
//
// In a group of writes each body has its own pending writes. One that throws before anything of it was sent
// leaves nothing; of one that was sent for a read, a savepoint undoes it.

import BrumeStorage

final class Session {
  private let connection: Connection
  /// Of the bodies before.
  private var accepted = PendingWrites()
  /// Of the running body.
  private var pending = PendingWrites()
  private var hasSavepoint = false
  /// Whether a body of a group runs, whose work must be undone by itself.
  private var isInBody = false
  /// Whether the server knows of the transaction.
  private var hasBegun = false
  /// By the bucket: those that the transaction asks itself, because it has locked the bucket, and whether it has looked that
  /// the shard is here.
  private var shards: [Int64: Shard] = [:]
  private var checked: Set<Int64> = []
  /// Why the transaction cannot go on, even if a body has caught the error.
  private(set) var failure: ServerError?
  /// Whether somebody still waits for the answer.
  private let isWanted: () -> Bool

  /// - Parameter isWanted: asked before each question of a read.
  init(_ connection: Connection, isWanted: @escaping () -> Bool = { true }) {
    self.connection = connection
    self.isWanted = isWanted
  }

  /// Where rows that do not fit their checksums are noted.
  var damaged: DamagedRows { connection.damaged }

  var isOnCitus: Bool { connection.isOnCitus }
  var isToWorker: Bool { connection.isToWorker }

  /// From now on what is about these buckets is asked of their shards.
  ///
  /// - Parameter shards: of buckets that are locked with the next exchange, before anything is asked of them.
  func use(_ shards: [Int64: Shard]) { self.shards = shards }

  /// Nil: Citus looks for the rows, or they are on each server.
  private func shard(of command: Connection.Command) -> Shard? {
    if shards.isEmpty { return nil }
    return switch command.sql.rows {
    case .ofBucket: command.values.first?.number.flatMap { shards[$0] }
    case .copied: shards.min { $0.key < $1.key }?.value
    case .anywhere: nil
    }
  }

  // MARK: Writing

  /// Before what a worker of Citus would do differently: it counts rows on from a number of its own.
  func requireCoordinator() throws {
    guard connection.isToWorker else { return }
    failure = .noSuchTable
    throw ServerError.noSuchTable
  }

  func put(_ row: [SQLValue], in table: Table) {
    pending.put(row, in: table)
    sendEarly(table)
  }

  /// The server inserts or removes many rows while the body goes on to the next.
  private func sendEarly(_ table: Table) {
    guard isInBody, let count = table.earlyRows else { return }
    let commands = pending.take(table, from: count, onCitus: isOnCitus)
    guard !commands.isEmpty, failure == nil else { return }
    do throws(ServerError) {
      try sendAccepted()
      try sendSavepoint()
      try send(commands)
      try connection.push()
    } catch {
      failure = error
    }
  }

  func remove(_ key: [SQLValue], from table: Table) {
    pending.remove(key, from: table)
    sendEarly(table)
  }

  /// A statement that is carried out after all before it.
  func run(_ sql: SQL, _ values: [SQLValue] = []) { pending.add((sql, values)) }

  // MARK: Reading

  func rows(_ sql: SQL, _ values: [SQLValue] = []) throws -> Rows {
    let answers = try ask([(sql, values)])
    guard let rows = answers.last else { throw StoreError(.corrupt, "no answer to a statement") }
    return rows
  }

  func first<Value>(
    _ sql: SQL, _ values: [SQLValue] = [], _ make: (Row) throws -> Value
  ) throws -> Value? {
    try rows(sql, values).first.map(make)
  }

  func all<Value>(
    _ sql: SQL, _ values: [SQLValue] = [], _ make: (Row) throws -> Value
  ) throws -> [Value] {
    try rows(sql, values).map(make)
  }

  func exists(_ sql: SQL, _ values: [SQLValue] = []) throws -> Bool {
    try rows(sql, values).count > 0
  }

  /// Several questions in one exchange. Answers one result for each.
  func ask(_ questions: [Connection.Command]) throws -> [Rows] {
    if !isWanted() { throw CancellationError() }
    try sendPending()
    if isInBody { try sendSavepoint() }
    try send(questions)
    return Array(try exchange().suffix(questions.count))
  }

  private func exchange() throws -> [Rows] {
    if let failure { throw failure }
    hasBegun = true
    do throws(ServerError) {
      return try connection.exchange()
    } catch {
      failure = error
      throw error
    }
  }

  private func sendPending() throws {
    try sendAccepted()
    guard !pending.isEmpty else { return }
    try sendSavepoint()
    try send(pending.commands(onCitus: isOnCitus))
    pending = PendingWrites()
  }

  private func sendSavepoint() throws(ServerError) {
    if !hasSavepoint { try connection.send(Self.savepoint) }
    hasSavepoint = true
  }

  private func sendAccepted() throws(ServerError) {
    try send(accepted.commands(onCitus: isOnCitus))
    accepted = PendingWrites()
  }

  private func send(_ commands: [Connection.Command]) throws(ServerError) {
    for command in commands {
      let shard = shard(of: command)
      if let shard, checked.insert(shard.number).inserted { try connection.check(shard) }
      try connection.send(command.sql, command.values, in: shard)
    }
  }

  // MARK: Transactions

  /// Begins a transaction with the next exchange.
  func begin(_ begin: SQL) {
    accepted.add((begin, []))
    if connection.hasOldPlans() { accepted.add((Self.discardPlans, [])) }
    hasBegun = false
  }

  /// A body of a group is about to run. A question of it may be a statement that writes.
  func bodyBegins() { isInBody = true }

  /// The running body is done: its writes stay.
  func accept() {
    isInBody = false
    if hasSavepoint { pending.add((Self.release, [])) }
    accepted.add(pending)
    pending = PendingWrites()
    hasSavepoint = false
  }

  /// The running body has thrown: its writes go.
  func discard() {
    isInBody = false
    pending = PendingWrites()
    guard hasSavepoint else { return }
    accepted.add((Self.rollbackToSavepoint, []))
    accepted.add((Self.release, []))
    hasSavepoint = false
  }

  /// Sends what is left, with the commit, in one exchange.
  func commit() throws {
    try sendAccepted()
    try connection.send(Self.commit)
    _ = try exchange()
  }

  /// Ends a transaction that leaves nothing behind. Nobody waits for it.
  func end() throws(ServerError) {
    guard hasBegun, failure?.isConnectionLost != true else { return }
    try connection.sendLast(Self.rollback)
  }

  /// Ours: rows of a table that one early statement carries.
  static let earlyRows = 50
  private static let discardPlans = SQL("DISCARD PLANS")
  private static let commit = SQL("COMMIT")
  private static let rollback = SQL("ROLLBACK")
  private static let savepoint = SQL("SAVEPOINT body")
  private static let release = SQL("RELEASE body")
  private static let rollbackToSavepoint = SQL("ROLLBACK TO body")
}
