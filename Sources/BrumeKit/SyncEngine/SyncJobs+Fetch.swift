// A fetch of a sync engine: the zones that changed, then the records of each.
//
// The app gets a page before the token moves past it, and the state update after: being killed in
// between repeats the page and loses nothing.

import BrumeModel

extension SyncJobs {
  /// Fetches everything in the context's scope.
  func fetch(_ context: CKSyncEngine.FetchChangesContext) async throws {
    _ = try await run { [self] in
      try await checkAccount()
      await notify(.willFetchChanges(Event.WillFetchChanges(context: context)))
      do {
        try await subscribe()
        try await fetchDatabase(context)
        try await fetchZones(context)
      } catch {
        await accountMayBeGone(error)
        await notify(.didFetchChanges(Event.DidFetchChanges(context: context)))
        throw error
      }
      await notify(.didFetchChanges(Event.DidFetchChanges(context: context)))
      return true
    }
  }

  /// The server did not know the user any more: finds out, and notifies.
  func accountMayBeGone(_ error: any Error) async {
    guard (error as? CKError)?.code == .notAuthenticated else { return }
    accountMayHaveChanged()
    try? await checkAccount()
  }

  // MARK: The database

  private func fetchDatabase(_ context: CKSyncEngine.FetchChangesContext) async throws {
    // The first fetch. Zones may be known all the same: those that were made or sent to before it.
    if state.value.databaseToken == nil { state.update { $0.beginDatabaseAnew() } }
    var moreComing = true
    while moreComing {
      try Task.checkCancellation()
      do {
        moreComing = try await fetchDatabasePage(context)
      } catch let error as CKError
        where error.code == .changeTokenExpired && state.value.databaseToken != nil
      {
        state.update { $0.beginDatabaseAnew() }
        await notifyState()
      }
    }
  }

  private func fetchDatabasePage(
    _ context: CKSyncEngine.FetchChangesContext
  ) async throws -> Bool {
    let token = state.value.databaseToken.map { CKServerChangeToken(text: $0) }
    let group = await options(context).operationGroup
    let page = try await grouped(group).databaseChanges(since: token)
    if !page.modifications.isEmpty || !page.deletions.isEmpty {
      await notify(
        .fetchedDatabaseChanges(
          Event.FetchedDatabaseChanges(modifications: page.modifications, deletions: page.deletions)
        ))
    }
    state.update {
      $0.fetched(
        changed: page.modifications.map(\.zoneID), deleted: page.deletions.map(\.zoneID),
        token: page.changeToken.text)
    }
    await notifyState()
    if !page.moreComing { await notifyUnnamed() }
    return page.moreComing
  }

  /// Zones that the database does not name any more, now that it was read from its beginning, are gone.
  private func notifyUnnamed() async {
    for zone in state.value.unnamedZones.sorted(by: { $0.zoneName < $1.zoneName }) {
      await notifyGone(zone, .deleted)
    }
  }

  // MARK: Zones

  /// How the fetch of a zone ended.
  private enum ZoneEnd {
    case done
    /// By a failure that passes.
    case failed(CKError)
    /// Amid its pages, as the delegate wants another one first, or not this one.
    case gaveWay
  }

  /// Fetches zone after zone. One that cannot be fetched now keeps no other waiting.
  private func fetchZones(_ context: CKSyncEngine.FetchChangesContext) async throws {
    var done: Set<CKRecordZone.ID> = []
    var passing: CKError?
    while true {
      try Task.checkCancellation()
      let options = await options(context)
      guard let zone = zone(toFetchBy: options, context, after: done) else { break }
      let end = try await fetchZone(zone, options.operationGroup) {
        let options = await self.options(context)
        let next = self.zone(toFetchBy: options, context, after: done, amid: zone)
        return next == zone ? options.operationGroup : nil
      }
      if case .gaveWay = end { continue }
      done.insert(zone)
      if case .failed(let failure) = end {
        let isLonger = (failure.retryAfterSeconds ?? 0) >= (passing?.retryAfterSeconds ?? 0)
        passing = isLonger ? failure : passing
      }
    }
    if let passing { throw passing }
  }

  /// The zone of the next request; nil: none is left.
  ///
  /// - Parameter current: the zone that is being fetched, which goes on unless another one has priority.
  private func zone(
    toFetchBy options: CKSyncEngine.FetchChangesOptions,
    _ context: CKSyncEngine.FetchChangesContext,
    after done: Set<CKRecordZone.ID>, amid current: CKRecordZone.ID? = nil
  ) -> CKRecordZone.ID? {
    let left = state.value.unfetchedZones.filter {
      !done.contains($0) && options.scope.contains($0) && context.options.scope.contains($0)
    }
    return options.prioritizedZoneIDs.first { left.contains($0) }
      ?? left.first { $0 == current } ?? left.first
  }

  /// Fetches a zone to its end, or until it gives way. Throws a failure that other zones would meet too.
  ///
  /// - Parameter goOn: asked before each further page for the group of its operation; nil: the zone gives way.
  private func fetchZone(
    _ zone: CKRecordZone.ID, _ group: CKOperationGroup, goOn: () async -> CKOperationGroup?
  ) async throws -> ZoneEnd {
    let isOfEarlierFetch = state.value.zonesAmidPages.contains(zone)
    let first: Result<ZonePage, any Error>
    do { first = .success(try await nextPage(of: zone, group)) } catch {
      first = .failure(error)
    }
    await notify(.willFetchRecordZoneChanges(Event.WillFetchRecordZoneChanges(zoneID: zone)))
    let end: ZoneEnd
    do {
      end = try await takePages(
        of: zone, from: first.get(), isOfEarlierFetch: isOfEarlierFetch, goOn: goOn)
    } catch {
      return try await zoneFailed(zone, error)
    }
    await notify(
      .didFetchRecordZoneChanges(Event.DidFetchRecordZoneChanges(zoneID: zone, error: nil)))
    return end
  }

  /// Takes the pages of a zone to the last, or until it gives way.
  ///
  /// Pages end where the zone was when the first was read. If that was in an earlier fetch, there may be more
  /// after the last of them, of which nobody would speak again. So it is where records are looked for that were sent here:
  /// one that changed meanwhile is on none of these pages, and is there.
  private func takePages(
    of zone: CKRecordZone.ID, from first: ZonePage, isOfEarlierFetch: Bool,
    goOn: () async -> CKOperationGroup?
  ) async throws -> ZoneEnd {
    var page = first
    var isOfEarlierFetch = isOfEarlierFetch
    var isFirst = !isOfEarlierFetch
    while true {
      if isFirst, page.moreComing, state.value.hasSent(to: zone) { isOfEarlierFetch = true }
      let isLast = !(try await take(page, of: zone, isOfEarlierFetch: isOfEarlierFetch))
      if isLast && !isOfEarlierFetch { return .done }
      isFirst = isLast
      if isLast { isOfEarlierFetch = false }
      try Task.checkCancellation()
      guard let group = await goOn() else { return .gaveWay }
      page = try await nextPage(of: zone, group)
    }
  }

  private func zoneFailed(_ zone: CKRecordZone.ID, _ error: any Error) async throws -> ZoneEnd {
    let ofZone = (error as? ZoneFailure)?.error
    let failure = ofZone ?? converted(error)
    await notify(
      .didFetchRecordZoneChanges(Event.DidFetchRecordZoneChanges(zoneID: zone, error: failure)))
    // Otherwise the next fetch goes on here.
    if let reason = failure.reasonOfMissingZone { await notifyGone(zone, reason) }
    guard failure.isRepeatedBySyncEngine else { return .done }
    if ofZone == nil || !failure.leavesOtherZones { throw failure }
    return .failed(failure)
  }

  /// The database says it too when it is asked again; but by then the zone may have been made anew, here or elsewhere,
  /// and nobody would learn that what the app has of it is gone.
  private func notifyGone(
    _ zone: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason
  ) async {
    await notify(.gone(zone, reason))
    state.update { $0.forget(zone) }
    await notifyState()
  }

  private func nextPage(
    of zone: CKRecordZone.ID, _ group: CKOperationGroup
  ) async throws -> ZonePage {
    let token = state.value.zoneTokens[zone].map { CKServerChangeToken(text: $0) }
    do {
      return try await request(
        zone, since: token, group, includesOldDeletions: state.value.zonesSentTo.contains(zone))
    } catch let failure as ZoneFailure
      where failure.error.code == .changeTokenExpired && token != nil
    {
      if isAnother(failure.error) { return try await remadePage(of: zone, group) }
      // From the beginning; the app sees records that it knows once more, and the deletions that the
      // zone remembers. The old token stays until then: it says that the app knows something.
      return try await request(zone, since: nil, group, includesOldDeletions: true)
    }
  }

  /// Whether what the app has of a zone may be gone without a deletion that says so: the zone was deleted and made
  /// again (case ZON-16), or its user sees another part of it, and not which records left that.
  private func isAnother(_ expired: CKError) -> Bool {
    expired.isOfEarlierIncarnation || database.databaseScope == .shared
  }

  /// The first page of a zone that begins anew. The app is notified before it that what it has is gone, and that the
  /// zone is there, which no page of an empty one would say.
  private func remadePage(
    of zone: CKRecordZone.ID, _ group: CKOperationGroup
  ) async throws -> ZonePage {
    await notify(.gone(zone, .deleted))
    await notify(.there(zone))
    state.update { $0.remade(zone) }
    await notifyState()
    return try await request(zone, since: nil, group)
  }

  /// Reports a page, then moves past it. Answers whether there is more.
  ///
  /// The last page has named all that is there, if nothing was changed since the first was read. What the app has beside it
  /// was in an earlier zone of this name, or its deletion is forgotten.
  private func take(
    _ page: ZonePage, of zone: CKRecordZone.ID, isOfEarlierFetch: Bool
  ) async throws -> Bool {
    var page = page
    let named = page.recordIDs
    if !page.moreComing && !isOfEarlierFetch {
      page.deletions += missing(in: zone, beside: Set(named))
    }
    if !page.modifications.isEmpty || !page.deletions.isEmpty {
      await notify(
        .fetchedRecordZoneChanges(
          Event.FetchedRecordZoneChanges(
            modifications: page.modifications, deletions: page.deletions)))
    }
    state.update {
      $0.named(named)
      $0.fetched(
        zone, token: page.token, moreComing: page.moreComing, isOfEarlierFetch: isOfEarlierFetch)
    }
    await notifyState()
    return page.moreComing
  }

  private func missing(
    in zone: CKRecordZone.ID, beside named: Set<CKRecord.ID>
  ) -> [CKDatabase.RecordZoneChange.Deletion] {
    state.value.recordsSent.filter { $0.key.zoneID == zone && !named.contains($0.key) }
      .sorted { $0.key.recordName < $1.key.recordName }
      .map { CKDatabase.RecordZoneChange.Deletion(recordID: $0.key, recordType: $0.value) }
  }

  /// What the answer about one zone, or one of its files, said went wrong. Other failures are those of the whole fetch.
  private struct ZoneFailure: Error { let error: CKError }

  private struct ZonePage: Sendable {
    var modifications: [CKDatabase.RecordZoneChange.Modification] = []
    var deletions: [CKDatabase.RecordZoneChange.Deletion] = []
    /// Records that are there, and of which the server cannot say more: they are damaged.
    var unreadable: [CKRecord.ID] = []
    var token = ""
    var moreComing = false

    var recordIDs: [CKRecord.ID] {
      modifications.map(\.record.recordID) + deletions.map(\.recordID) + unreadable
    }
  }

  /// One request, with the records in the server's order: parents before what refers to them.
  private func request(
    _ zone: CKRecordZone.ID, since token: CKServerChangeToken?, _ group: CKOperationGroup,
    includesOldDeletions: Bool = false
  ) async throws -> ZonePage {
    try await grouped(group).answer { end in
      let operation = CKFetchRecordZoneChangesOperation(
        recordZoneIDs: [zone],
        configurationsByRecordZoneID: [
          zone: CKFetchRecordZoneChangesOperation.ZoneConfiguration(
            previousServerChangeToken: token)
        ])
      operation.fetchAllChanges = false
      operation.includesOldDeletions = includesOldDeletions
      operation.needsEveryRecord = true
      var page = ZonePage()
      var failure: ZoneFailure?
      let viewpoint = Viewpoint(scope: database.databaseScope.model)
      operation.recordWasChangedBlock = { id, result in
        switch result {
        case .success(let record):
          page.modifications.append(CKDatabase.RecordZoneChange.Modification(record: record))
        case .failure: page.unreadable.append(id)
        }
      }
      operation.recordWithIDWasDeletedBlock = {
        page.deletions.append(CKDatabase.RecordZoneChange.Deletion(recordID: $0, recordType: $1))
      }
      operation.recordZoneFetchResultBlock = { _, result in
        switch result {
        case .success(let last):
          (page.token, page.moreComing) = (last.serverChangeToken.text, last.moreComing)
        case .failure(let error):
          failure = ZoneFailure(error: CKError(converting: error, from: viewpoint))
        }
      }
      operation.fetchRecordZoneChangesResultBlock = { overall in
        end(overall.flatMap { failure.map { .failure($0) } ?? .success(page) })
      }
      return operation
    }
  }
}

extension CKError {
  /// There is no such zone, or no part of it that this user sees; nil: it is something else.
  fileprivate var reasonOfMissingZone: CKDatabase.DatabaseChange.Deletion.Reason? {
    switch code {
    case .zoneNotFound:
      userInfo[CKErrorUserDidResetEncryptedDataKey] as? Bool == true
        ? .encryptedDataReset : .deleted
    case .userDeletedZone: .purged
    default: nil
    }
  }

  /// Whether other zones can be fetched although one failed with this, which passes. A wait that the server asked for
  /// is for all of them, and so is what is wrong with the account.
  fileprivate var leavesOtherZones: Bool {
    switch code {
    case .networkFailure, .serverResponseLost, .serverRejectedRequest, .serviceUnavailable,
      .zoneBusy:
      true
    default: false
    }
  }
}

extension CKSyncEngine.Event {
  fileprivate static func gone(
    _ zone: CKRecordZone.ID, _ reason: CKDatabase.DatabaseChange.Deletion.Reason
  ) -> Self {
    .fetchedDatabaseChanges(
      FetchedDatabaseChanges(
        modifications: [],
        deletions: [CKDatabase.DatabaseChange.Deletion(zoneID: zone, reason: reason)]))
  }

  fileprivate static func there(_ zone: CKRecordZone.ID) -> Self {
    .fetchedDatabaseChanges(
      FetchedDatabaseChanges(
        modifications: [CKDatabase.DatabaseChange.Modification(zoneID: zone)], deletions: []))
  }
}
