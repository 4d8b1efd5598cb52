// The sync engine as apps see it. What it does is elsewhere: `SyncScheduler.swift` decides when,
// `SyncState.swift` what is known, `SyncJobs+Fetch.swift` and `SyncJobs+Send.swift` do the work, and
// `SyncDriver.swift` starts it.

import Synchronization

/// Keeps an app's records and a database in step.
///
/// The engine fetches what changed and notifies its delegate; it asks the delegate for changes and sends
/// them. It repeats what failed for reasons that pass, and follows the account. Its state comes with
/// each ``Event/stateUpdate(_:)``: keep it, and give it to the next engine.
///
/// ```swift
/// let engine = CKSyncEngine(
///   CKSyncEngine.Configuration(
///     database: container.privateCloudDatabase, stateSerialization: kept, delegate: self))
/// engine.state.add(pendingRecordZoneChanges: [.saveRecord(id)])
/// ```
///
/// Source: Apple's `CKSyncEngine` pages.
public final class CKSyncEngine: Sendable, CustomStringConvertible {
  /// The database that is kept in step.
  public let database: CKDatabase
  /// How far the engine is, and what waits to be sent.
  public let state: State
  let jobs: SyncJobs
  private let driver: SyncDriver?
  private let account: AccountWatch

  /// Creates an engine, which starts to sync if its configuration says so.
  public init(_ configuration: Configuration) {
    precondition(
      configuration.database.databaseScope != .public,
      "a sync engine works on the private or the shared database; query the public one instead")
    database = configuration.database
    state = State(configuration.stateSerialization?.state ?? SyncState())
    jobs = SyncJobs(configuration, state)
    driver = configuration.automaticallySync ? SyncDriver(jobs) : nil
    account = AccountWatch(database.connection) { [jobs, weak driver] in
      jobs.accountMayHaveChanged()
      driver?.accountChanged()
    }
    jobs.engine.set(self)
    // The jobs hold the state.
    state.whenChanged { [weak jobs, weak driver] hasMore in
      jobs?.notifyStateSoon()
      if hasMore { driver?.report(.changesAdded) }
    }
    driver?.start()
  }

  deinit { driver?.stop() }

  /// Fetches what changed, and returns when the delegate has dealt with it.
  ///
  /// - Throws: a ``CKError``. Failures of single zones come as events instead.
  public func fetchChanges(_ options: FetchChangesOptions = .init()) async throws {
    do {
      try await jobs.fetch(FetchChangesContext(reason: .manual, options: options))
    } catch {
      failed(.fetch, error)
      throw error
    }
  }

  /// Sends what is pending, and returns when the delegate has dealt with the answers.
  ///
  /// Each change is tried once; what the delegate adds meanwhile waits for the next send.
  ///
  /// - Throws: a ``CKError``. If single records or zones failed, which events reported already, it is
  ///   ``CKError/Code/partialFailure`` with their errors (the tests of Apple's sample expect a throw).
  public func sendChanges(_ options: SendChangesOptions = .init()) async throws {
    let failures = SendFailures()
    do {
      _ = try await jobs.send(
        SendChangesContext(reason: .manual, options: options), noting: failures)
    } catch {
      failed(.send, error)
      throw error
    }
    if let error = failures.error { throw error }
  }

  private func failed(_ job: SyncScheduler.Job, _ error: any Error) {
    let event = SyncScheduler.Event.after(error, of: job, isFromDelegate: DelegateCall.goesOn)
    if let event { driver?.report(event) }
  }

  /// Stops what is going on. What the server already did is not undone.
  public func cancelOperations() async {
    driver?.report(.cancelled)
    await jobs.cancel()
  }

  public var description: String {
    "<CKSyncEngine: database=\(database), pending=\(state.pendingRecordZoneChanges.count)>"
  }
}
