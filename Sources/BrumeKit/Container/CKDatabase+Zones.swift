// Zones: fetch, save and delete, one or many, in both of Swift's manners.

extension CKDatabase {
  // MARK: All

  /// Fetches all zones of the database.
  @_disfavoredOverload
  public func fetchAllRecordZones(
    completionHandler: @escaping ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    run(fetchingAllZones { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches all zones of the database.
  @discardableResult
  public func allRecordZones() async throws -> [CKRecordZone] {
    try await answer { fetchingAllZones($0) }
  }

  // MARK: One zone

  /// Fetches a zone.
  @_disfavoredOverload
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping (CKRecordZone?, (any Error)?) -> Void
  ) {
    run(fetchingZone(zoneID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches a zone.
  @discardableResult
  public func recordZone(for zoneID: CKRecordZone.ID) async throws -> CKRecordZone {
    try await answer { fetchingZone(zoneID, $0) }
  }

  /// Saves a zone.
  @_disfavoredOverload
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping (CKRecordZone?, (any Error)?) -> Void
  ) {
    run(savingZone(zone) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a zone.
  @discardableResult
  public func save(_ zone: CKRecordZone) async throws -> CKRecordZone {
    try await answer { savingZone(zone, $0) }
  }

  /// Deletes a zone and its records.
  @_disfavoredOverload
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    run(deletingZone(zoneID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a zone and its records.
  @discardableResult
  public func deleteRecordZone(withID zoneID: CKRecordZone.ID) async throws -> CKRecordZone.ID {
    try await answer { deletingZone(zoneID, $0) }
  }

  // MARK: Many zones

  /// Fetches zones. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetch(
    withRecordZoneIDs zoneIDs: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecordZone.ID: Result<CKRecordZone, any Error>], any Error>
      ) -> Void
  ) {
    run(fetchingZones(zoneIDs, completionHandler))
  }

  /// Fetches zones. Only a failure of the request as a whole is thrown.
  public func recordZones(
    for ids: [CKRecordZone.ID]
  ) async throws -> [CKRecordZone.ID: Result<CKRecordZone, any Error>] {
    try await answer { fetchingZones(ids, $0) }
  }

  /// Saves and deletes zones. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
            deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    run(modifyingZones(recordZonesToSave, recordZoneIDsToDelete, completionHandler))
  }

  /// Saves and deletes zones. Only a failure of the request as a whole is thrown.
  public func modifyRecordZones(
    saving recordZonesToSave: [CKRecordZone], deleting recordZoneIDsToDelete: [CKRecordZone.ID]
  ) async throws -> (
    saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
    deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
  ) {
    try await answer { modifyingZones(recordZonesToSave, recordZoneIDsToDelete, $0) }
  }
}

// MARK: Operations

extension CKDatabase {
  fileprivate func fetchingAllZones(
    _ end: @escaping Ending<[CKRecordZone]>
  ) -> CKFetchRecordZonesOperation {
    let operation = CKFetchRecordZonesOperation.fetchAllRecordZonesOperation()
    var found: [CKRecordZone] = []
    operation.perRecordZoneResultBlock = { if case .success(let one) = $1 { found.append(one) } }
    operation.fetchRecordZonesResultBlock = { end($0.map { found }) }
    return operation
  }

  fileprivate func fetchingZones(
    _ ids: [CKRecordZone.ID],
    _ end: @escaping Ending<[CKRecordZone.ID: Result<CKRecordZone, any Error>]>
  ) -> CKFetchRecordZonesOperation {
    let operation = CKFetchRecordZonesOperation(recordZoneIDs: ids)
    var results: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
    operation.perRecordZoneResultBlock = { results[$0] = $1 }
    operation.fetchRecordZonesResultBlock = { end($0.map { results }) }
    return operation
  }

  fileprivate func modifyingZones(
    _ saves: [CKRecordZone], _ deletes: [CKRecordZone.ID],
    _ end:
      @escaping Ending<
        (
          saveResults: [CKRecordZone.ID: Result<CKRecordZone, any Error>],
          deleteResults: [CKRecordZone.ID: Result<Void, any Error>]
        )
      >
  ) -> CKModifyRecordZonesOperation {
    let operation = CKModifyRecordZonesOperation(
      recordZonesToSave: saves, recordZoneIDsToDelete: deletes)
    var saved: [CKRecordZone.ID: Result<CKRecordZone, any Error>] = [:]
    var deleted: [CKRecordZone.ID: Result<Void, any Error>] = [:]
    operation.perRecordZoneSaveBlock = { saved[$0] = $1 }
    operation.perRecordZoneDeleteBlock = { deleted[$0] = $1 }
    operation.modifyRecordZonesResultBlock = { end($0.map { (saved, deleted) }) }
    return operation
  }

  fileprivate func fetchingZone(
    _ id: CKRecordZone.ID, _ end: @escaping Ending<CKRecordZone>
  ) -> CKFetchRecordZonesOperation {
    fetchingZones([id]) { all in
      end(all.single("zone '\(id.zoneName)'") { $0[id] })
    }
  }

  fileprivate func savingZone(
    _ zone: CKRecordZone, _ end: @escaping Ending<CKRecordZone>
  ) -> CKModifyRecordZonesOperation {
    let id = zone.zoneID
    return modifyingZones([zone], []) { all in
      end(all.single("zone '\(id.zoneName)'") { $0.saveResults[id] })
    }
  }

  fileprivate func deletingZone(
    _ id: CKRecordZone.ID, _ end: @escaping Ending<CKRecordZone.ID>
  ) -> CKModifyRecordZonesOperation {
    modifyingZones([], [id]) { all in
      end(all.single("zone '\(id.zoneName)'") { $0.deleteResults[id]?.map { id } })
    }
  }
}

// MARK: With handlers that may be called from another task

extension CKDatabaseCalls {
  /// Fetches all zones of the database.
  @preconcurrency
  public func fetchAllRecordZones(
    completionHandler: @escaping @Sendable ([CKRecordZone]?, (any Error)?) -> Void
  ) {
    run(fetchingAllZones { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches a zone.
  @preconcurrency
  public func fetch(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    run(fetchingZone(zoneID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a zone.
  @preconcurrency
  public func save(
    _ zone: CKRecordZone,
    completionHandler: @escaping @Sendable (CKRecordZone?, (any Error)?) -> Void
  ) {
    run(savingZone(zone) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a zone and its records.
  @preconcurrency
  public func delete(
    withRecordZoneID zoneID: CKRecordZone.ID,
    completionHandler: @escaping @Sendable (CKRecordZone.ID?, (any Error)?) -> Void
  ) {
    run(deletingZone(zoneID) { completionHandler($0.pair.0, $0.pair.1) })
  }
}
