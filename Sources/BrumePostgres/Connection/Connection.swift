// One connection to PostgreSQL: statements go out in a pipeline, and their answers are read together, which
// is one exchange however many there are. One thread uses it, and waits in it.

import BrumeStorage
import CPostgres

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

final class Connection {
  /// A statement with its values.
  typealias Command = (sql: SQL, values: [SQLValue])

  private let handle: OpaquePointer
  private var prepared = PreparedStatements()
  private enum Sent {
    case preparation(String)
    case unnamed
    case release(String)
    case command
    /// A command whose rows say nothing.
    case check
    case sync
  }
  /// Since the last answers.
  private var sent: [Sent] = []
  /// Before that, with answers that nobody has read.
  private var unread: [Sent] = []
  private let exchanges: ExchangeCounter
  /// Where rows that do not fit their checksums are noted.
  let damaged: DamagedRows
  private var planAge: PlanAge
  /// Milliseconds after which an answer does not come any more; negative: it is waited for as long as the connection is
  /// there.
  private var answerTimeout: Int32

  /// Connects and waits for it.
  ///
  /// - Parameter exchanges: counts how many times anybody waited for the server.
  init(
    _ settings: ConnectionSettings, _ exchanges: ExchangeCounter = ExchangeCounter(),
    _ damaged: DamagedRows = DamagedRows()
  ) throws(ServerError) {
    self.exchanges = exchanges
    self.damaged = damaged
    answerTimeout = settings.answerTimeout
    isToWorker = settings.worker != nil
    planAge = PlanAge(after: exchanges.count)
    handle = try Attempt.connect(settings)
    guard PQenterPipelineMode(handle) == 1, PQsetnonblocking(handle, 1) == 0 else { throw lost() }
    try send(ConnectionSettings.session)
    let values = try exchange()[0].map { $0.text(0) }
    isOnCitus = values.contains(ConnectionSettings.plansOnCitus)
  }
  deinit { PQfinish(handle) }

  /// Whether the database has the extension that divides tables.
  private(set) var isOnCitus = false
  /// Whether it is a worker's, which has the divided tables only.
  let isToWorker: Bool

  /// Whether only what is about one shard is prepared.
  private var asksShards = false

  /// From now on PostgreSQL keeps plans of what is asked of shards. What Citus plans it plans for its values each time, as it
  /// does with what is not prepared: of a plan that it keeps, each shard has another one, of 3 MB. What it locks here is
  /// locked by this session, and not by one of its own.
  func askShards() throws(ServerError) {
    try send(Self.keepPlans)
    _ = try exchange()
    asksShards = true
  }

  private static let keepPlans = SQL(
    """
    SELECT set_config('plan_cache_mode', 'auto', false), set_config('citus.enable_local_execution', 'on', false)
    """)

  /// The version of the server, such as 150018.
  var serverVersion: Int { Int(PQserverVersion(handle)) }

  var isUsable: Bool { PQstatus(handle) == CONNECTION_OK }

  /// Whether the plans of statements are to be made anew.
  func hasOldPlans() -> Bool { planAge.isOver(after: exchanges.count) }

  /// The socket, to wait for messages from the server.
  var socket: Int32 { PQsocket(handle) }

  /// From now on answers take as long as they take. A network that is cut is noticed all the same.
  func waitForAnyAnswer() { answerTimeout = -1 }

  /// Adds a command to those that the next exchange carries.
  ///
  /// - Parameter shard: whose own tables it is about; nil: those that all servers have, or Citus looks for.
  func send(
    _ sql: SQL, _ values: [SQLValue] = [], in shard: Shard? = nil
  ) throws(ServerError) {
    if asksShards, shard == nil {
      try sendUnnamed(sql.text(onCitus: isOnCitus), values)
    } else {
      try sendPrepared(sql, values, in: shard)
    }
    sent.append(.command)
  }

  /// Lets the transaction fail if the shard is elsewhere. Nobody gets its answer.
  func check(_ shard: Shard) throws(ServerError) {
    try sendPrepared(Shard.check, [.integer(shard.number)], in: shard)
    sent.append(.check)
  }

  private func sendPrepared(
    _ sql: SQL, _ values: [SQLValue], in shard: Shard?
  ) throws(ServerError) {
    let (name, isNew, freed) = prepared.use(sql, in: shard)
    if let freed { try release(freed) }
    if isNew {
      let text = sql.text(onCitus: isOnCitus)
      try check(PQsendPrepare(handle, name, shard?.text(text) ?? text, 0, nil))
      sent.append(.preparation(name))
    }
    try sendExecution(name, values)
  }

  private func sendUnnamed(_ text: String, _ values: [SQLValue] = []) throws(ServerError) {
    // The statement without a name is another one each time.
    try check(PQsendPrepare(handle, "", text, 0, nil))
    sent.append(.unnamed)
    try sendExecution("", values)
  }

  private func sendExecution(_ name: String, _ values: [SQLValue]) throws(ServerError) {
    let result = Self.withParameters(values) { texts, lengths, formats in
      PQsendQueryPrepared(handle, name, Int32(values.count), texts, lengths, formats, 1)
    }
    try check(result)
  }

  /// Frees a prepared statement.
  private func release(_ name: String) throws(ServerError) {
    try sendUnnamed("DEALLOCATE \(name)")
    sent.append(.release(name))
  }

  /// Lets the server begin with what was sent, as far as the network takes it now.
  func push() throws(ServerError) {
    if PQflush(handle) < 0 { throw lost() }
  }

  /// Carries out what was sent, and answers the rows of each command in their order. After an error
  /// nothing of what follows it was carried out.
  func exchange() throws(ServerError) -> [Rows] {
    try check(PQpipelineSync(handle))
    try flush()
    exchanges.add()
    defer { sent.removeAll(keepingCapacity: true) }
    try readUnread()
    var answers: [Rows] = []
    var failure: ServerError?
    for item in sent {
      let (rows, error) = try nextAnswer()
      failure = failure ?? error
      switch (item, rows) {
      case (.command, let rows?): answers.append(rows)
      // After an error nothing is prepared.
      case (.preparation(let name), nil): prepared.remove(name)
      case (.release(let name), nil): prepared.keep(name)
      case (.command, nil), (.preparation, _?), (.unnamed, _), (.release, _?), (.check, _),
        (.sync, _):
        break
      }
    }
    try endOfPipeline()
    if let failure { throw failure }
    return answers
  }

  /// Carries out statements without values, several in one text. Not in a pipeline.
  func simple(_ text: String) throws(ServerError) {
    try check(PQexitPipelineMode(handle))
    guard let result = PQexec(handle, text) else { throw lost() }
    defer { PQclear(result) }
    let status = PQresultStatus(result)
    let error = status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK ? nil : error(of: result)
    try check(PQenterPipelineMode(handle))
    if let error { throw error }
  }

  /// Sends a last command whose answer nobody waits for: it is read with the next answers.
  func sendLast(_ sql: SQL) throws(ServerError) {
    try send(sql)
    try check(PQpipelineSync(handle))
    try flush()
    unread += sent
    unread.append(.sync)
    sent.removeAll(keepingCapacity: true)
  }

  /// Messages that were sent with NOTIFY and that have arrived: channel, payload, whether over this connection.
  func notifications() throws(ServerError) -> [(channel: String, payload: String, isOwn: Bool)] {
    try check(PQconsumeInput(handle))
    var found: [(channel: String, payload: String, isOwn: Bool)] = []
    while let message = PQnotifies(handle) {
      found.append(
        (
          String(cString: message.pointee.relname), String(cString: message.pointee.extra),
          message.pointee.be_pid == PQbackendPID(handle)
        ))
      PQfreemem(message)
    }
    return found
  }
}

// MARK: Parts

extension Connection {
  private func readUnread() throws(ServerError) {
    defer { unread = [] }
    for item in unread {
      switch item {
      case .sync: try endOfPipeline()
      case .preparation(let name): if try nextAnswer().0 == nil { prepared.remove(name) }
      case .release(let name): if try nextAnswer().0 == nil { prepared.keep(name) }
      case .command, .check, .unnamed: _ = try nextAnswer()
      }
    }
  }

  /// The rows of one command, or what was wrong with it. Nil and nil: it was not carried out.
  private func nextAnswer() throws(ServerError) -> (Rows?, ServerError?) {
    guard let result = try nextResult() else { throw lost() }
    let status = PQresultStatus(result)
    if let end = try nextResult() { PQclear(end) }
    if status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK { return (Rows(result), nil) }
    defer { PQclear(result) }
    if status == PGRES_PIPELINE_ABORTED { return (nil, nil) }
    guard isUsable else { throw lost() }
    return (nil, error(of: result))
  }

  private func error(of result: OpaquePointer) -> ServerError {
    let code = PQresultErrorField(result, Int32(UInt8(ascii: "C"))).map { String(cString: $0) }
    let message = PQresultErrorField(result, Int32(UInt8(ascii: "M"))).map { String(cString: $0) }
    return ServerError(code: code, message: message ?? "no message")
  }

  private func endOfPipeline() throws(ServerError) {
    guard let end = try nextResult() else { throw lost() }
    defer { PQclear(end) }
    guard PQresultStatus(end) == PGRES_PIPELINE_SYNC else { throw lost() }
  }

  /// Waits for it, but not for ever: a server that was stopped, or something between, may keep the
  /// connection open and never answer.
  private func nextResult() throws(ServerError) -> OpaquePointer? {
    while PQisBusy(handle) == 1 {
      if try wait(for: POLLIN) != 0 { try check(PQconsumeInput(handle)) }
    }
    return PQgetResult(handle)
  }

  /// Sends all that is to be sent. It reads meanwhile: a server that cannot send does not read.
  private func flush() throws(ServerError) {
    while true {
      let state = PQflush(handle)
      if state == 0 { return }
      guard state > 0 else { throw lost() }
      if try wait(for: POLLIN | POLLOUT) & POLLIN != 0 { try check(PQconsumeInput(handle)) }
    }
  }

  /// Answers what the socket is ready for; 0 if a signal came meanwhile.
  private func wait(for events: Int32) throws(ServerError) -> Int32 {
    var descriptor = pollfd(fd: PQsocket(handle), events: Int16(events), revents: 0)
    let ready = poll(&descriptor, 1, answerTimeout)
    if ready == 0 { throw ServerError(code: nil, message: "PostgreSQL does not answer") }
    return ready > 0 ? Int32(descriptor.revents) : 0
  }

  private func check(_ result: Int32) throws(ServerError) { if result != 1 { throw lost() } }

  private func lost() -> ServerError {
    ServerError(code: nil, message: Attempt.message(of: handle))
  }

  /// The values as libpq takes them: addresses into one buffer, lengths, formats.
  private static func withParameters(
    _ values: [SQLValue],
    _ body: (UnsafePointer<UnsafePointer<CChar>?>?, [Int32], [Int32]) -> Int32
  ) -> Int32 {
    var buffer: [UInt8] = []
    let places = values.map { value in
      let start = buffer.count
      return value.append(to: &buffer) ? start..<buffer.count : nil
    }
    // An address into an empty buffer would be NULL.
    buffer.append(0)
    return buffer.withUnsafeBytes { bytes in
      let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
      let texts = places.map { place in
        place.flatMap { range in base.map { $0 + range.lowerBound } }
      }
      return body(texts, places.map { Int32($0?.count ?? 0) }, values.map { _ in 1 })
    }
  }
}
