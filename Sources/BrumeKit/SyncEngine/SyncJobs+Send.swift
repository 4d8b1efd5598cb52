// A send of a sync engine: changes of zones, then batches of records until the delegate has no more.
//
// Each change is tried once in a send: what the delegate adds again while it handles the answer waits
// for the next one (case ENG-04). A change leaves the kept state only after the delegate has dealt with
// its answer: being killed in between sends it again, which the server takes.

import BrumeModel
import Synchronization

extension SyncJobs {
  /// Sends what is pending in the context's scope. Answers whether it was of any use: false if all failed and the app
  /// does not leave it at that. What was reported as failed is noted.
  func send(
    _ context: CKSyncEngine.SendChangesContext, noting failures: SendFailures = SendFailures()
  ) async throws -> Bool {
    try await run { [self] in
      try await checkAccount()
      await notify(.willSendChanges(Event.WillSendChanges(context: context)))
      var count = SentCount()
      do {
        try await sendDatabaseChanges(context, failures, &count)
        try await sendBatches(context, failures, &count)
      } catch {
        await accountMayBeGone(error)
        await notify(.didSendChanges(Event.DidSendChanges(context: context)))
        throw error
      }
      await notify(.didSendChanges(Event.DidSendChanges(context: context)))
      let isAskedAgain = isAskedAgain(failures.items)
      failedBefore.withLock { $0 = failures.items }
      return !isAskedAgain || count.isOfUse
    }
  }

  /// Whether the app wants something of what failed all the same: it waits again, or had failed in the send before, as an
  /// app may add it again after its event. What is refused once, such as an edit of a record that may only be read, is
  /// no reason to keep other changes waiting.
  private func isAskedAgain(_ failed: SendFailures.Items) -> Bool {
    let (before, waiting) = (failedBefore.withLock { $0 }, state.value)
    return waiting.recordChanges.contains { failed.records[$0.recordID] != nil }
      || waiting.databaseChanges.contains { failed.zones[$0.zoneID] != nil }
      || failed.records.keys.contains { before.records[$0] != nil }
      || failed.zones.keys.contains { before.zones[$0] != nil }
  }

  // MARK: Zones

  /// Ours: changes of zones that go together; a request has at most 400.
  private static let zonesTogether = 200

  /// Sends the changes of zones that wait now, each once.
  private func sendDatabaseChanges(
    _ context: CKSyncEngine.SendChangesContext, _ failures: SendFailures, _ count: inout SentCount
  ) async throws {
    let all = state.value.databaseChanges.filter {
      context.options.scope.contains(zone: $0.zoneID)
    }
    for piece in all.pieces(of: Self.zonesTogether) {
      try Task.checkCancellation()
      // The app may have taken some back while it was notified of others.
      let waiting = Set(state.value.databaseChanges)
      try await send(piece.filter(waiting.contains), context, failures, &count)
    }
  }

  /// Sends changes of zones, and reports them in one event.
  private func send(
    _ changes: [CKSyncEngine.PendingDatabaseChange], _ context: CKSyncEngine.SendChangesContext,
    _ failures: SendFailures, _ count: inout SentCount
  ) async throws {
    if changes.isEmpty { return }
    let outcome = await outcome(of: changes, context.options.operationGroup)
    // Out of the list first, so that what the delegate adds again while it is notified stays there.
    let reported = changes.filter { change in !outcome.unsent.contains(change) }
    let event = outcome.event
    failures.note(event)
    if !reported.isEmpty {
      state.updateAheadOfEvent { state in
        state.remove(reported)
        for zone in event.goneZoneIDs { state.forget(zone) }
        for zone in event.savedZones { state.made(zone.zoneID, token: zone.beginning) }
      }
      await notify(.sentDatabaseChanges(event))
    }
    if let failure = outcome.passing { throw failure }
    count.add(changes.count, succeeded: event.savedZones.count + event.deletedZoneIDs.count)
  }

  private func outcome(
    of changes: [CKSyncEngine.PendingDatabaseChange], _ group: CKOperationGroup
  ) async -> SentZones {
    var zones: [CKRecordZone] = []
    var deletions: [CKRecordZone.ID] = []
    for change in changes {
      switch change {
      case .saveZone(let zone): zones.append(zone)
      case .deleteZone(let id): deletions.append(id)
      }
    }
    do {
      let answer = try await grouped(group).modifyRecordZones(saving: zones, deleting: deletions)
      return SentZones(
        zones, deletions, saves: { answer.saveResults[$0] }, deletes: { answer.deleteResults[$0] })
    } catch {
      // Reported like failures of single zones: what stayed pending would keep all records waiting.
      let failure = converted(error)
      return SentZones(
        zones, deletions, saves: { _ in .failure(failure) }, deletes: { _ in .failure(failure) })
    }
  }

  // MARK: Records

  private func sendBatches(
    _ context: CKSyncEngine.SendChangesContext, _ failures: SendFailures, _ count: inout SentCount
  ) async throws {
    var tried: Set<CKSyncEngine.PendingRecordZoneChange> = []
    while true {
      try Task.checkCancellation()
      guard let whole = await batch(context) else { break }
      if let refusal = whole.refusal(in: context.options.scope) { throw refusal }
      let seen = tried
      let batch = whole.without { seen.contains($0) }
      if batch.count == 0 { break }
      tried.formUnion(batch.changes)
      count.add(batch.count, succeeded: try await send(batch, context, failures))
    }
    await notifyState()
  }

  /// Sends a batch, and reports it in one event. Answers how many changes succeeded.
  private func send(
    _ batch: CKSyncEngine.RecordZoneChangeBatch, _ context: CKSyncEngine.SendChangesContext,
    _ failures: SendFailures
  ) async throws -> Int {
    state.begin(batch.changes)
    let answers = await answers(to: batch, context.options.operationGroup)
    let outcome = SentRecords(
      batch, saves: { answers.saves[$0] }, deletes: { answers.deletes[$0] })
    let event = outcome.event
    let there = event.recordsThere
    state.update {
      $0.sent(to: batch.recordsToSave.map(\.recordID.zoneID))
      $0.has(there)
      $0.named(event.deletedRecordIDs)
      $0.answered(keeping: outcome.unsent)
    }
    failures.note(event)
    if outcome.unsent.count < batch.count { await notify(.sentRecordZoneChanges(event)) }
    state.update { $0.finish() }
    await notifyState()
    if let failure = outcome.passing { throw failure }
    return event.savedRecords.count + event.deletedRecordIDs.count
  }

  /// The server's answers to a batch. Records may be so large that it does not take them together, or have so many
  /// files: then they go in halves.
  private func answers(
    to batch: CKSyncEngine.RecordZoneChangeBatch, _ group: CKOperationGroup
  ) async -> RecordAnswers {
    if let refusal = batch.refusal { return RecordAnswers(batch, refusal) }
    if batch.hasTooManyFiles, let halves = batch.halves { return await answers(to: halves, group) }
    do {
      let answer = try await grouped(group).modifyRecords(
        saving: batch.recordsToSave, deleting: batch.recordIDsToDelete,
        atomically: batch.atomicByZone)
      return RecordAnswers(saves: answer.saveResults, deletes: answer.deleteResults)
    } catch {
      let failure = converted(error)
      guard failure.code == .limitExceeded, let halves = batch.halves else {
        return RecordAnswers(batch, failure)
      }
      return await answers(to: halves, group)
    }
  }

  /// What the first half waits for, the second waits for too: it may belong below.
  private func answers(
    to halves: (CKSyncEngine.RecordZoneChangeBatch, CKSyncEngine.RecordZoneChangeBatch),
    _ group: CKOperationGroup
  ) async -> RecordAnswers {
    let first = await answers(to: halves.0, group)
    if let passing = first.passing { return first.and(RecordAnswers(halves.1, passing)) }
    return first.and(await answers(to: halves.1, group))
  }
}

extension CKSyncEngine.Event.SentRecordZoneChanges {
  /// The records that the app has as the server has them, with their types: those that were saved, or conflicted.
  fileprivate var recordsThere: [CKRecord.ID: String] {
    let conflicts = failedRecordSaves.filter { $0.error.code == .serverRecordChanged }.map(\.record)
    return Dictionary(
      (savedRecords + conflicts).map { ($0.recordID, $0.recordType) }, uniquingKeysWith: { $1 })
  }
}

/// How many changes were sent, and with how much success.
private struct SentCount {
  private var sent = 0
  private var succeeded = 0

  mutating func add(_ changes: Int, succeeded: Int) {
    sent += changes
    self.succeeded += succeeded
  }

  /// Whether the send was of any use: false if all failed.
  var isOfUse: Bool { sent == 0 || succeeded > 0 }
}

/// The answers to the changes of a batch.
private struct RecordAnswers {
  var saves: [CKRecord.ID: Result<CKRecord, any Error>]
  var deletes: [CKRecord.ID: Result<Void, any Error>]
  /// Why a request failed as a whole, if it is sent again.
  var passing: CKError?

  func and(_ others: RecordAnswers) -> RecordAnswers {
    var both = self
    both.saves.merge(others.saves) { first, _ in first }
    both.deletes.merge(others.deletes) { first, _ in first }
    both.passing = passing ?? others.passing
    return both
  }
}

extension RecordAnswers {
  /// The same failure for each change.
  init(_ batch: CKSyncEngine.RecordZoneChangeBatch, _ failure: CKError) {
    saves = [:]
    deletes = [:]
    passing = failure.isRepeatedBySyncEngine ? failure : nil
    for record in batch.recordsToSave { saves[record.recordID] = .failure(failure) }
    for id in batch.recordIDsToDelete { deletes[id] = .failure(failure) }
  }
}

/// The failures that a send reported to its delegate, for the one who asked for the send.
final class SendFailures: Sendable {
  struct Items: Sendable {
    var zones: [CKRecordZone.ID: CKError] = [:]
    var records: [CKRecord.ID: CKError] = [:]
  }
  private let noted = Mutex(Items())
  var items: Items { noted.withLock { $0 } }

  func note(_ event: CKSyncEngine.Event.SentDatabaseChanges) {
    let saves = event.failedZoneSaves.map { ($0.zone.zoneID, $0.error) }
    noted.withLock { items in
      items.zones.merge(saves) { _, new in new }
      items.zones.merge(event.failedZoneDeletes) { _, new in new }
    }
  }

  func note(_ event: CKSyncEngine.Event.SentRecordZoneChanges) {
    let saves = event.failedRecordSaves.map { ($0.record.recordID, $0.error) }
    noted.withLock { items in
      items.records.merge(saves) { _, new in new }
      items.records.merge(event.failedRecordDeletes) { _, new in new }
    }
  }

  /// All of them as one; nil if nothing failed.
  var error: CKError? {
    let items = items
    var errors: [AnyHashable: any Error] = [:]
    for (id, error) in items.zones { errors[id] = error }
    for (id, error) in items.records { errors[id] = error }
    return errors.isEmpty ? nil : .partialFailure(errors)
  }
}
