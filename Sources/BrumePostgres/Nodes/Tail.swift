// What other processes do, as this one learns of it: a thread that looks at the counters of all logs and
// mailboxes, four times a second in any case and at once when another process sends a NOTIFY.
// What grew is signalled to whoever reads it. The NOTIFY is a hint; only the counters count. Of its own saves this
// process knows without looking; its own mailboxes it follows like those of others.

import BrumeModel
import BrumeStorage
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

final class Tail: Sendable {
  /// Ours: milliseconds between two looks when nobody sends a NOTIFY.
  private static let interval: Int32 = 250
  /// Ours: milliseconds in which commits gather before one NOTIFY is sent of all of them.
  private static let gathering = 5

  private let connector: Connector
  private let acknowledgements: Acknowledgements
  private let logs: CommitSignals
  private let mailboxes: CommitSignals
  private let accounts: CommitSignals
  private let hasOthers: @Sendable () -> Bool
  private let isEnding = Atomic<Bool>(false)
  private let isWoken = Atomic<Bool>(false)
  /// Whether this process has committed more than saves since it looked.
  private let mustLook = Atomic<Bool>(false)
  /// Whether this process has committed something since it sent a NOTIFY.
  private let mustNotify = Atomic<Bool>(false)
  private let questions = TailQuestions()
  /// When the last look began that got its answer.
  private let looked: Atomic<Int64>
  private let accountChange = Atomic<Int64>(0)
  /// How far this process has itself extended logs by what it signals itself.
  private let own = Mutex<[Bucket: Int64]>([:])
  /// What wakes the thread: it waits for this and for its connection.
  private let wakeUp: (reading: Int32, writing: Int32)

  /// - Parameter hasOthers: whether there is anybody to send a NOTIFY to.
  init(
    _ connector: Connector, _ acknowledgements: Acknowledgements, logs: CommitSignals,
    mailboxes: CommitSignals,
    accounts: CommitSignals,
    hasOthers: @escaping @Sendable () -> Bool
  ) throws(StoreError) {
    self.connector = connector
    self.acknowledgements = acknowledgements
    self.logs = logs
    self.mailboxes = mailboxes
    self.accounts = accounts
    self.hasOthers = hasOthers
    looked = Atomic(connector.milliseconds())
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0 else {
      throw StoreError(.unavailable, "no pipe for the thread that follows other processes")
    }
    for end in ends {
      _ = fcntl(end, F_SETFL, O_NONBLOCK)
      _ = fcntl(end, F_SETFD, FD_CLOEXEC)
    }
    wakeUp = (ends[0], ends[1])
  }

  deinit {
    _ = closeDescriptor(wakeUp.reading)
    _ = closeDescriptor(wakeUp.writing)
  }

  /// - Parameter look: called after each look, for what else is to be asked then.
  func start(_ look: @escaping @Sendable (Connection) throws -> Void) throws(StoreError) {
    guard EngineThread.start({ self.run(look) }) else {
      throw StoreError(.unavailable, "no thread to follow other processes")
    }
  }

  /// How many milliseconds ago all that others had done was known.
  var silence: Int64 { max(0, connector.milliseconds() - looked.load(ordering: .acquiring)) }

  /// The number of the last change of accounts, as of the last look.
  var lastAccountChange: Int64 { accountChange.load(ordering: .acquiring) }

  /// This process has committed something that may concern somebody at once, and signals itself that these logs grew.
  ///
  /// - Parameter isInLog: whether it is nothing but saves.
  func committed(_ logs: [Bucket: Int64], isInLog: Bool) {
    if !logs.isEmpty { own.withLock { $0.merge(logs) { max($0, $1) } } }
    if !isInLog { mustLook.store(true, ordering: .releasing) }
    guard !isInLog || hasOthers() else { return }
    mustNotify.store(true, ordering: .releasing)
    wake()
  }

  /// Asks on this connection, after a look.
  func ask<Value: Sendable>(
    _ question: @escaping @Sendable (Connection) throws(ServerError) -> Value
  ) async throws -> Value {
    let number = questions.newNumber()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation { continuation in
        questions.add({ try continuation.resume(with: question, on: $0) }, number)
        if Task.isCancelled { questions.cancel(number) }
        wake()
      }
    } onCancel: {
      questions.cancel(number)
    }
  }

  private func wake() {
    if isWoken.exchange(true, ordering: .acquiringAndReleasing) { return }
    var byte: UInt8 = 1
    _ = write(wakeUp.writing, &byte, 1)
  }

  func close() {
    isEnding.store(true, ordering: .releasing)
    wake()
  }

  // MARK: The thread

  private func run(_ lookElsewhere: (Connection) throws -> Void) {
    defer { questions.close() }
    var seen = TailPositions()
    while !isEnding.load(ordering: .acquiring) {
      do {
        let connection = try connector.connect()
        try acknowledgements.check(on: connection)
        try connection.send(Self.listen)
        _ = try connection.exchange()
        try follow(connection, &seen, lookElsewhere)
      } catch let error as StoreError where error.code == .unavailable {
        // Nobody reads or writes there any more. Who follows learns it by reading, and would wait for ever.
        for signals in [logs, mailboxes, accounts] { signals.signal([Bucket(0)]) }
        return
      } catch {
        questions.refuse((error as? ServerError)?.storeError ?? error)
        // The next connection begins where this one ended. What is refused again and again is not asked at once.
        connector.pause(Int(Self.interval))
      }
    }
  }

  private func follow(
    _ connection: Connection, _ seen: inout TailPositions,
    _ lookElsewhere: (Connection) throws -> Void
  ) throws {
    while true {
      try look(connection, &seen)
      try questions.answer(on: connection)
      try lookElsewhere(connection)
      let next = connector.milliseconds() + Int64(Self.interval)
      while !isEnding.load(ordering: .acquiring), try !isTimeToLook(connection, at: next) {}
      if isEnding.load(ordering: .acquiring) { return }
    }
  }

  /// Waits for word from others or from this process, and passes on the latter.
  private func isTimeToLook(_ connection: Connection, at next: Int64) throws -> Bool {
    let left = next - connector.milliseconds()
    guard left > 0, wait(for: connection, Int32(clamping: left)) else { return true }
    if mustNotify.exchange(false, ordering: .acquiringAndReleasing), hasOthers() {
      connector.pause(Self.gathering)
      try connection.send(Self.notify)
      _ = try connection.exchange()
    }
    let isNotified = try connection.notifications().contains { !$0.isOwn }
    return mustLook.exchange(false, ordering: .acquiringAndReleasing) || isNotified
      || questions.areWaiting
  }

  private func look(_ connection: Connection, _ seen: inout TailPositions) throws {
    let start = connector.milliseconds()
    try connection.send(PostgresLog.findAllLast)
    try connection.send(PostgresMailboxes.findAllLast)
    try connection.send(Self.findAccounts)
    try connection.send(Places.findFloor)
    let answers = try connection.exchange()
    acknowledgements.saw(answers[0], floor: answers[3].first?.integer(0) ?? 0)
    try acknowledgements.check()
    // Before anything is signalled: whoever then reads a mailbox knows that an account has changed.
    accountChange.store(answers[2].first?.integer(1) ?? 0, ordering: .releasing)
    let grownLogs = seen.logs.grown(answers[0], but: own.withLock { $0 })
    let grownMailboxes = seen.mailboxes.grown(answers[1])
    let changedAccounts = seen.accounts.grown(answers[2])
    if !grownLogs.isEmpty { logs.signal(grownLogs) }
    if !grownMailboxes.isEmpty { mailboxes.signal(grownMailboxes) }
    if !changedAccounts.isEmpty { accounts.signal(changedAccounts) }
    looked.store(start, ordering: .releasing)
  }

  /// Answers false if so many milliseconds passed without word.
  private func wait(for connection: Connection, _ milliseconds: Int32) -> Bool {
    var descriptors = [
      pollfd(fd: connection.socket, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wakeUp.reading, events: Int16(POLLIN), revents: 0),
    ]
    if poll(&descriptors, 2, milliseconds) == 0 { return false }
    guard descriptors[1].revents != 0 else { return true }
    var bytes = [UInt8](repeating: 0, count: 16)
    _ = read(wakeUp.reading, &bytes, bytes.count)
    // After that, or the byte of somebody who wakes in between would be read, and nobody would send one any more.
    isWoken.store(false, ordering: .releasing)
    return true
  }

  private static let channel = "brume"
  private static let listen = SQL("LISTEN \(channel)")
  private static let notify = SQL("SELECT pg_notify('\(channel)', '')")
  // As if it were the counter of the first bucket.
  private static let findAccounts = SQL(
    "SELECT 0::bigint, last FROM buckets WHERE bucket = \(Locks.server.bucket)")
}

extension CheckedContinuation where T: Sendable, E == any Error {
  /// Throws what the connection has met.
  fileprivate func resume(
    with question: (Connection) throws(ServerError) -> T,
    on connection: Result<Connection, any Error>
  ) throws {
    do {
      resume(returning: try question(connection.get()))
    } catch {
      resume(throwing: (error as? ServerError)?.storeError ?? error)
      throw error
    }
  }
}

/// `close` is a method of the thread.
private func closeDescriptor(_ descriptor: Int32) -> Int32 { close(descriptor) }

/// The counters as they were seen last.
struct TailPositions {
  struct Counters {
    private var last: [Bucket: Int64] = [:]

    /// Notes counters. Answers the buckets whose counter is another than before and not known.
    mutating func grown(_ rows: Rows, but known: [Bucket: Int64] = [:]) -> Set<Bucket> {
      var grown: Set<Bucket> = []
      for (bucket, position) in rows.map({ (Bucket(Int($0.integer(0))), $0.integer(1)) })
      where last.updateValue(position, forKey: bucket) != position && known[bucket] != position {
        grown.insert(bucket)
      }
      return grown
    }
  }
  var logs = Counters()
  var mailboxes = Counters()
  var accounts = Counters()
}
