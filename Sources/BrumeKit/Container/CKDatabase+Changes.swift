// Changes since a token: one request each, for callers who ask again while more is coming.

extension CKDatabase {
  /// What changed in a zone since a token; nil asks from the beginning.
  public func recordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil
  ) async throws -> (
    modificationResultsByID: [CKRecord.ID: Result<
      CKDatabase.RecordZoneChange.Modification, any Error
    >],
    deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
    moreComing: Bool
  ) {
    try await answer { changes(inZoneWith: zoneID, changeToken, desiredKeys, resultsLimit, $0) }
  }

  /// What changed in a zone since a token; nil asks from the beginning.
  @preconcurrency
  public func fetchRecordZoneChanges(
    inZoneWith zoneID: CKRecordZone.ID, since changeToken: CKServerChangeToken?,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modificationResultsByID: [CKRecord.ID: Result<
              CKDatabase.RecordZoneChange.Modification, any Error
            >],
            deletions: [CKDatabase.RecordZoneChange.Deletion], changeToken: CKServerChangeToken,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    run(changes(inZoneWith: zoneID, changeToken, desiredKeys, resultsLimit, completionHandler))
  }

  /// Which zones changed since a token; nil asks from the beginning.
  public func databaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil
  ) async throws -> (
    modifications: [CKDatabase.DatabaseChange.Modification],
    deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken,
    moreComing: Bool
  ) {
    try await answer { changes(changeToken, resultsLimit, $0) }
  }

  /// Which zones changed since a token; nil asks from the beginning.
  @preconcurrency
  public func fetchDatabaseChanges(
    since changeToken: CKServerChangeToken?, resultsLimit: Int? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            modifications: [CKDatabase.DatabaseChange.Modification],
            deletions: [CKDatabase.DatabaseChange.Deletion], changeToken: CKServerChangeToken,
            moreComing: Bool
          ), any Error
        >
      ) -> Void
  ) {
    run(changes(changeToken, resultsLimit, completionHandler))
  }
}

// MARK: Operations

extension CKDatabase {
  private func changes(
    inZoneWith zoneID: CKRecordZone.ID, _ token: CKServerChangeToken?,
    _ desiredKeys: [CKRecord.FieldKey]?, _ resultsLimit: Int?,
    _ end:
      @escaping Ending<
        (
          modificationResultsByID: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>],
          deletions: [RecordZoneChange.Deletion], changeToken: CKServerChangeToken, moreComing: Bool
        )
      >
  ) -> CKFetchRecordZoneChangesOperation {
    let configuration = CKFetchRecordZoneChangesOperation.ZoneConfiguration(
      previousServerChangeToken: token, resultsLimit: resultsLimit, desiredKeys: desiredKeys)
    let operation = CKFetchRecordZoneChangesOperation(
      recordZoneIDs: [zoneID], configurationsByRecordZoneID: [zoneID: configuration])
    operation.fetchAllChanges = false
    var changed: [CKRecord.ID: Result<RecordZoneChange.Modification, any Error>] = [:]
    var deleted: [RecordZoneChange.Deletion] = []
    var zone: Result<(token: CKServerChangeToken, moreComing: Bool), any Error>?
    operation.recordWasChangedBlock = { id, result in
      changed[id] = result.map { RecordZoneChange.Modification(record: $0) }
    }
    operation.recordWithIDWasDeletedBlock = { id, type in
      deleted.append(RecordZoneChange.Deletion(recordID: id, recordType: type))
    }
    operation.recordZoneFetchResultBlock = { _, result in
      zone = result.map { ($0.serverChangeToken, $0.moreComing) }
    }
    operation.fetchRecordZoneChangesResultBlock = { overall in
      let last = overall.single("zone '\(zoneID.zoneName)'") { _ in zone }
      end(last.map { (changed, deleted, $0.token, $0.moreComing) })
    }
    return operation
  }

  private func changes(
    _ token: CKServerChangeToken?, _ resultsLimit: Int?,
    _ end:
      @escaping Ending<
        (
          modifications: [DatabaseChange.Modification], deletions: [DatabaseChange.Deletion],
          changeToken: CKServerChangeToken, moreComing: Bool
        )
      >
  ) -> CKFetchDatabaseChangesOperation {
    let operation = CKFetchDatabaseChangesOperation(previousServerChangeToken: token)
    operation.fetchAllChanges = false
    if let resultsLimit { operation.resultsLimit = resultsLimit }
    var changed: [DatabaseChange.Modification] = []
    var deleted: [DatabaseChange.Deletion] = []
    func deletion(_ reason: DatabaseChange.Deletion.Reason) -> (CKRecordZone.ID) -> Void {
      { deleted.append(DatabaseChange.Deletion(zoneID: $0, reason: reason)) }
    }
    operation.recordZoneWithIDChangedBlock = {
      changed.append(DatabaseChange.Modification(zoneID: $0))
    }
    operation.recordZoneWithIDWasDeletedBlock = deletion(.deleted)
    operation.recordZoneWithIDWasPurgedBlock = deletion(.purged)
    operation.recordZoneWithIDWasDeletedDueToUserEncryptedDataResetBlock = deletion(
      .encryptedDataReset)
    operation.fetchDatabaseChangesResultBlock = { result in
      end(result.map { (changed, deleted, $0.serverChangeToken, $0.moreComing) })
    }
    return operation
  }
}
