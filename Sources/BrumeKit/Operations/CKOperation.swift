// The frame of every operation: it runs once, asynchronously, calls its blocks one at a time on a
// queue of its own, can be cancelled, and finishes after its last block.
//
// OperationPhase and RetryPolicy decide; subclasses say what to ask the server (`perform`) and
// which blocks end it (`complete`).

import BrumeClient
import BrumeModel
import Dispatch
public import Foundation
import Synchronization

/// Work with CloudKit that runs on an operation queue.
///
/// Use a subclass: set its blocks, then give it to a database or container, or start it. All its
/// blocks run one at a time on a queue of their own, never the main queue; `completionBlock` comes
/// last. An operation is used once. Source: Apple's `CKOperation` page and header.
// Sendable because the phase and the configuration are behind mutexes; everything else is set
// before the operation starts and then touched by its own task and queue only.
open class CKOperation: Operation, @unchecked Sendable {
  /// Identifies an operation.
  public typealias ID = String

  private struct Settings {
    var configuration = Configuration()
    var group: CKOperationGroup?
  }

  private let phase = Mutex(OperationPhase())
  private let settings = Mutex(Settings())
  private let work = Mutex<Task<Void, Never>?>(nil)
  private let blocks = DispatchQueue(label: "brume.operation.blocks")
  /// When the work began.
  private let began = Mutex<Date?>(nil)
  /// The account at the beginning.
  private let account = Mutex<Int?>(nil)

  /// Identifies the operation. A long-lived operation of an earlier run keeps its identifier.
  public internal(set) var operationID: ID = UUID().uuidString

  /// Creates an operation.
  public override init() {
    super.init()
  }

  // MARK: Settings

  /// The operation's own settings. Setting it takes a copy; what it answers is the operation's own, so
  /// that `operation.configuration.timeoutIntervalForRequest = 15` counts.
  open var configuration: Configuration! {
    get { own }
    set {
      let copy = newValue?.copied() ?? Configuration()
      settings.withLock { $0.configuration = copy }
    }
  }

  /// The group, whose default settings hold where the operation sets none.
  open var group: CKOperationGroup? {
    get { settings.withLock { $0.group } }
    set { settings.withLock { $0.group = newValue } }
  }

  /// Called when a long-lived operation was written down, before it asks the server. Never called
  /// without a state directory (`BRUME_STATE_DIR`).
  open var longLivedOperationWasPersistedBlock: (() -> Void)?

  /// The container of ``configuration``.
  open var container: CKContainer? {
    get { own.container }
    set { own.container = newValue }
  }

  /// Whether mobile networks may be used. Kept, without effect here.
  open var allowsCellularAccess: Bool {
    get { own.allowsCellularAccess }
    set { own.allowsCellularAccess = newValue }
  }

  /// Whether the operation is written down, so that a later run of the program finds it again with
  /// ``CKContainer/longLivedOperation(for:)`` should this one end first.
  ///
  /// It rests while no program runs it. The files of assets have to stay where they are until then.
  /// Without effect for operations of shares and users, for saves with an asset that has no file, for
  /// subclasses of one's own, and without a state directory (`BRUME_STATE_DIR`).
  open var isLongLived: Bool {
    get { own.isLongLived }
    set { own.isLongLived = newValue }
  }

  /// The longest wait for the answer to one request, and within it for the next part, in seconds.
  open var timeoutIntervalForRequest: TimeInterval {
    get { own.timeoutIntervalForRequest }
    set { own.timeoutIntervalForRequest = newValue }
  }

  /// The longest time for the whole operation with its repetitions, in seconds: seven days, whatever moves. None for
  /// operations of the classes `userInteractive` and `userInitiated`: somebody waits, and will cancel.
  open var timeoutIntervalForResource: TimeInterval {
    get { own.timeoutIntervalForResource }
    set { own.timeoutIntervalForResource = newValue }
  }

  /// How urgent the work is: the same as in ``configuration``.
  open override var qualityOfService: QualityOfService {
    get { own.qualityOfService }
    set {
      own.qualityOfService = newValue
      super.qualityOfService = newValue
    }
  }

  private var own: Configuration { settings.withLock { $0.configuration } }

  /// The settings that hold: the operation's, then the group's, then the built-in ones.
  var effective: Configuration {
    let (own, group) = settings.withLock { ($0.configuration, $0.group) }
    return Configuration(own.set.over(group?.defaultConfiguration.set))
  }

  /// The container that holds: the one that was set, or the default one.
  var effectiveContainer: CKContainer { effective.container ?? CKContainer.default() }

  /// A text for logs and debuggers.
  open override var description: String { "<\(type(of: self)): operationID=\(operationID)>" }

  // MARK: Running

  /// Always true: the work is done elsewhere than where ``start()`` is called.
  open override var isAsynchronous: Bool { true }
  /// Whether the work is going on.
  open override var isExecuting: Bool { phase.withLock { $0.step == .running } }
  /// Whether the last block was called.
  open override var isFinished: Bool { phase.withLock { $0.step == .finished } }

  /// Begins the work. Called by queues; call it only for an operation that is in none.
  open override func start() {
    willChangeValue(for: \.isExecuting)
    let decision = phase.withLock { $0.started(isCancelled: isCancelled) }
    didChangeValue(for: \.isExecuting)
    switch decision {
    case .run: main()
    case .reportCancellation: begin(decision)
    case .nothing: return
    }
  }

  /// Does the work, unless the operation was cancelled before it started.
  ///
  /// ``start()`` calls it, and it returns at once. A subclass may override it to decide at the last
  /// moment what the operation shall do, and then calls `super.main()`: without that nothing is asked,
  /// and the operation does not finish.
  open override func main() { begin(.run) }

  private func begin(_ decision: OperationPhase.Start) {
    guard phase.withLock({ $0.begun() }) else { return }
    let task = Task(priority: TaskPriority(effective.qualityOfService)) {
      await self.run(decision)
    }
    work.withLock { $0 = task }
    if isCancelled { task.cancel() }
  }

  /// Asks the operation to stop. It ends with ``CKError/Code/operationCancelled`` as soon as it
  /// can; what the server already did is not undone.
  open override func cancel() {
    super.cancel()
    work.withLock { $0 }?.cancel()
  }

  private func run(_ decision: OperationPhase.Start) async {
    var failure: CKError?
    var archive: OperationArchive?
    do {
      guard decision == .run else { throw CancellationError() }
      let begun = connection.account
      account.withLock { $0 = $0 ?? begun }
      let now = session.host.now()
      began.withLock { $0 = now }
      archive = try await writeDown()
      try await perform()
      try Task.checkCancellation()
    } catch {
      failure =
        isCancelled ? .cancelled : CKError(converting: error, from: Viewpoint(scope: .private))
    }
    await report { self.complete(failure) }
    endLongLived(archive)
    finish()
  }

  /// Writes a long-lived operation down, if it can be.
  private func writeDown() async throws -> OperationArchive? {
    let now = session.host.now()
    var owner = connection.owner
    guard let archive = archiveIfLongLived, let content = LongLived.content(of: self) else {
      return nil
    }
    let earlier = archive.entry(operationID, now: now)
    guard earlier != nil || archive.makeRoom(now: now) else { return nil }
    // Of one that was found, what its archive says stays, also where that says nothing.
    let begun = earlier == nil ? now : earlier?.begun
    // In the same session nobody asks who the user is, whom a later one has to know.
    if let known = earlier?.owner, known.account == owner.account {
      owner.user = owner.user ?? known.user
    }
    try archive.keep(
      OperationArchive.Entry(id: operationID, content: content, owner: owner, begun: begun))
    await report { self.longLivedOperationWasPersistedBlock?() }
    return archive
  }

  /// Where the operation is written down; nil: it is not long-lived, or there is no state directory.
  private var archiveIfLongLived: OperationArchive? {
    guard effective.isLongLived, let configuration = try? session.configuration.get() else {
      return nil
    }
    return OperationArchive(configuration)
  }

  /// Who cancels wants it gone, also if this run had not begun; otherwise a later run may call the blocks once more for a
  /// day.
  private func endLongLived(_ written: OperationArchive?) {
    guard let archive = written ?? (isCancelled ? archiveIfLongLived : nil) else { return }
    let now = session.host.now()
    guard !isCancelled, var entry = archive.entry(operationID, now: now) else {
      return archive.remove(operationID)
    }
    entry.finished = now
    try? archive.keep(entry)
  }

  private func finish() {
    willChangeValue(for: \.isExecuting)
    willChangeValue(for: \.isFinished)
    phase.withLock { $0.finished() }
    didChangeValue(for: \.isExecuting)
    didChangeValue(for: \.isFinished)
    work.withLock { $0 = nil }
  }

  // MARK: For subclasses

  /// Does the work. Errors of single items are reported to their blocks; what is thrown is the
  /// failure of the operation as a whole.
  func perform() async throws {}

  /// Calls the blocks that end the operation. Nil: it ran, though single items may have failed.
  func complete(_ failure: CKError?) {}

  /// Runs blocks of the app on the operation's queue, and waits for them, so that a slow app
  /// slows the operation down instead of filling memory.
  final func report(_ body: @escaping () -> Void) async {
    if session.host.isSingleThreaded {
      // What the app begins there is of whoever is signed in then.
      return Connection.Sender.$current.withValue(nil) { body() }
    }
    // Sendable because it is handed over once, and the sender waits.
    struct SendableBody: @unchecked Sendable { let body: () -> Void }
    let sendableBody = SendableBody(body: body)
    await withUnsafeContinuation { (continuation: UnsafeContinuation<Void, Never>) in
      blocks.async {
        sendableBody.body()
        continuation.resume()
      }
    }
  }

  /// What the operation's container and its databases share.
  var connection: Connection { effectiveContainer.connection }
  /// What the operation sends its requests through.
  final var session: Session { connection.session }

  /// Ours: a year.
  private static let longestTimeoutSeconds = 31_536_000.0

  /// Sends a request, and repeats it as the quality of service allows. What it throws is a
  /// ``CKError``.
  ///
  /// - Parameter rememberedSeconds: how long the server knows of what it carried out that it did. After that it is not
  ///   repeated.
  final func request<Answer>(
    from viewpoint: Viewpoint, rememberedSeconds: Double = .infinity,
    _ send: () async throws -> Answer
  ) async throws -> Answer {
    var policy = retryPolicy
    var lost: (failure: CKError, sent: Date)?
    while true {
      try Task.checkCancellation()
      let now = session.host.now()
      // Looked at after the pause, in which the machine may have slept for days.
      if let lost, now.timeIntervalSince(lost.sent) >= rememberedSeconds { throw lost.failure }
      try checkTime()
      let present = connection.account
      try checkAccount(present)
      let answer: Answer
      do {
        let sender = Connection.Sender(
          connection: ObjectIdentifier(connection), account: present)
        answer = try await Connection.Sender.$current.withValue(sender) {
          try await RequestTimeout.$current.withValue(requestTimeout) { try await send() }
        }
      } catch {
        guard !isCancelled else { throw CancellationError() }
        try checkAccount(connection.account)
        let failure = CKError(converting: error, from: viewpoint)
        if failure.code == .notAuthenticated { lostAccount() }
        let decision = policy.failed(failure, elapsedSeconds: elapsedSeconds)
        guard case .retry(let seconds) = decision else { throw failure }
        if lost == nil, failure.mayBeDone { lost = (failure, now) }
        try await session.host.sleep(.seconds(seconds))
        continue
      }
      try checkAccount(connection.account)
      connection.accepted(present)
      return answer
    }
  }

  /// From where answers of a database are looked at. Asks who the current user is, where that is to be known and is not.
  final func viewpoint(of database: CKDatabase) async throws -> Viewpoint {
    let viewpoint = database.viewpoint()
    if database.databaseScope == .private { return viewpoint }
    do {
      return database.viewpoint(
        of: try await request(from: viewpoint) { try await database.connection.me() })
    } catch let error as CKError where error.code == .notAuthenticated {
      // The server takes nobody: then nobody is the current user, and the operation's own request says the rest.
      return viewpoint
    }
  }

  /// Throws when the time for the whole operation is used up.
  final func checkTime() throws {
    if retryPolicy.isOver(elapsedSeconds: elapsedSeconds) { throw CKError.tookTooLong }
  }
}

extension CKOperation {
  private var retryPolicy: RetryPolicy {
    let settings = effective
    return RetryPolicy(
      qualityOfService: settings.qualityOfService,
      limitSeconds: settings.timeoutIntervalForResource)
  }

  /// How long the next requests may take: each as the settings say, and all no longer than the whole operation.
  private var requestTimeout: RequestTimeout {
    // Neither a `Duration` nor a date has an infinity, which apps may set.
    func bounded(_ seconds: Double) -> Double { min(max(0, seconds), Self.longestTimeoutSeconds) }
    let left = bounded(retryPolicy.secondsLeft(elapsedSeconds: elapsedSeconds))
    let own = effective.set.timeoutIntervalForRequest.map { Duration.seconds(bounded($0)) }
    return RequestTimeout(
      part: own ?? RequestTimeout.current?.part ?? session.timeout,
      end: session.host.now().addingTimeInterval(left))
  }

  private var elapsedSeconds: Double {
    began.withLock { $0 }.map { session.host.now().timeIntervalSince($0) } ?? 0
  }

  /// The operation is for an account, whoever is signed in when it begins.
  func belong(to account: Int) { self.account.withLock { $0 = account } }

  /// What was asked for one user is neither sent for another nor answered to one (case ACC-07).
  private func checkAccount(_ present: Int) throws {
    guard account.withLock({ $0 }) == present else {
      throw CKError(
        .notAuthenticated, "The account changed while the operation ran. Run it again.")
    }
  }

  /// The server does not take the operation's user any more: the app is notified once.
  private func lostAccount() {
    if connection.lostUser(of: account.withLock { $0 }) { connection.postAccountChange() }
  }
}

extension CKError {
  /// The failure of an operation that was cancelled.
  static var cancelled: CKError { CKError(.operationCancelled, "The operation was cancelled.") }

  /// The failure of an operation that used up its time.
  static var tookTooLong: CKError {
    CKError(
      .networkFailure,
      "The operation took longer than its timeoutIntervalForResource. What it did stays done; run "
        + "another one for the rest.")
  }
}

extension TaskPriority {
  init(_ quality: QualityOfService) {
    switch quality {
    case .userInteractive, .userInitiated: self = .high
    case .utility: self = .utility
    case .background: self = .background
    case .default: self = .medium
    @unknown default: self = .medium
    }
  }
}
