// Records: fetch, save and delete, one or many, in both of Swift's manners.

extension CKDatabase {
  // MARK: One record

  /// Fetches a record.
  @_disfavoredOverload
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping (CKRecord?, (any Error)?) -> Void
  ) {
    run(fetching(recordID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches a record.
  @discardableResult
  public func record(for recordID: CKRecord.ID) async throws -> CKRecord {
    try await answer { fetching(recordID, $0) }
  }

  /// Saves a record if nobody changed it since it was fetched.
  ///
  /// The record takes on what the server says, so that it can be changed and saved again.
  @_disfavoredOverload
  public func save(
    _ record: CKRecord, completionHandler: @escaping (CKRecord?, (any Error)?) -> Void
  ) {
    run(saving(record) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a record if nobody changed it since it was fetched.
  ///
  /// The record takes on what the server says, so that it can be changed and saved again.
  @discardableResult
  public func save(_ record: CKRecord) async throws -> CKRecord {
    try await answer { saving(record, $0) }
  }

  /// Deletes a record. One that does not exist counts as deleted.
  @_disfavoredOverload
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping (CKRecord.ID?, (any Error)?) -> Void
  ) {
    run(deleting(recordID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a record. One that does not exist counts as deleted.
  @discardableResult
  public func deleteRecord(withID recordID: CKRecord.ID) async throws -> CKRecord.ID {
    try await answer { deleting(recordID, $0) }
  }

  // MARK: Many records

  /// Fetches records. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetch(
    withRecordIDs recordIDs: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil,
    completionHandler:
      @escaping @Sendable (
        Result<[CKRecord.ID: Result<CKRecord, any Error>], any Error>
      ) -> Void
  ) {
    run(fetching(recordIDs, desiredKeys, completionHandler))
  }

  /// Fetches records. Only a failure of the request as a whole is thrown.
  public func records(
    for ids: [CKRecord.ID], desiredKeys: [CKRecord.FieldKey]? = nil
  ) async throws -> [CKRecord.ID: Result<CKRecord, any Error>] {
    try await answer { fetching(ids, desiredKeys, $0) }
  }

  /// Saves and deletes records. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
            deleteResults: [CKRecord.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    run(
      modifying(recordsToSave, recordIDsToDelete, savePolicy, atomically, completionHandler))
  }

  /// Saves and deletes records. Only a failure of the request as a whole is thrown.
  public func modifyRecords(
    saving recordsToSave: [CKRecord], deleting recordIDsToDelete: [CKRecord.ID],
    savePolicy: CKModifyRecordsOperation.RecordSavePolicy = .ifServerRecordUnchanged,
    atomically: Bool = true
  ) async throws -> (
    saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
    deleteResults: [CKRecord.ID: Result<Void, any Error>]
  ) {
    try await answer { modifying(recordsToSave, recordIDsToDelete, savePolicy, atomically, $0) }
  }
}

// MARK: Operations

extension CKDatabase {
  fileprivate func fetching(
    _ id: CKRecord.ID, _ end: @escaping Ending<CKRecord>
  ) -> CKFetchRecordsOperation {
    fetching([id], nil) { all in
      end(all.single("record '\(id.recordName)'") { $0[id] })
    }
  }

  fileprivate func saving(
    _ record: CKRecord, _ end: @escaping Ending<CKRecord>
  ) -> CKModifyRecordsOperation {
    let id = record.recordID
    return modifying([record], [], .ifServerRecordUnchanged, true) { all in
      end(all.single("record '\(id.recordName)'") { $0.saveResults[id] })
    }
  }

  fileprivate func deleting(
    _ id: CKRecord.ID, _ end: @escaping Ending<CKRecord.ID>
  ) -> CKModifyRecordsOperation {
    modifying([], [id], .ifServerRecordUnchanged, true) { all in
      end(all.single("record '\(id.recordName)'") { $0.deleteResults[id]?.map { id } })
    }
  }

  fileprivate func fetching(
    _ ids: [CKRecord.ID], _ desiredKeys: [CKRecord.FieldKey]?,
    _ end: @escaping Ending<[CKRecord.ID: Result<CKRecord, any Error>]>
  ) -> CKFetchRecordsOperation {
    let operation = CKFetchRecordsOperation(recordIDs: ids)
    operation.desiredKeys = desiredKeys
    var results: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    operation.perRecordResultBlock = { results[$0] = $1 }
    operation.fetchRecordsResultBlock = { end($0.map { results }) }
    return operation
  }

  fileprivate func modifying(
    _ saves: [CKRecord], _ deletes: [CKRecord.ID],
    _ policy: CKModifyRecordsOperation.RecordSavePolicy, _ isAtomic: Bool,
    _ end:
      @escaping Ending<
        (
          saveResults: [CKRecord.ID: Result<CKRecord, any Error>],
          deleteResults: [CKRecord.ID: Result<Void, any Error>]
        )
      >
  ) -> CKModifyRecordsOperation {
    let operation = CKModifyRecordsOperation(recordsToSave: saves, recordIDsToDelete: deletes)
    operation.savePolicy = policy
    operation.isAtomic = isAtomic
    var saved: [CKRecord.ID: Result<CKRecord, any Error>] = [:]
    var deleted: [CKRecord.ID: Result<Void, any Error>] = [:]
    operation.perRecordSaveBlock = { saved[$0] = $1 }
    operation.perRecordDeleteBlock = { deleted[$0] = $1 }
    operation.modifyRecordsResultBlock = { end($0.map { (saved, deleted) }) }
    return operation
  }
}

// MARK: With handlers that may be called from another task

extension CKDatabaseCalls {
  /// Fetches a record.
  @preconcurrency
  public func fetch(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    run(fetching(recordID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a record if nobody changed it since it was fetched.
  ///
  /// The record takes on what the server says, so that it can be changed and saved again.
  @preconcurrency
  public func save(
    _ record: CKRecord, completionHandler: @escaping @Sendable (CKRecord?, (any Error)?) -> Void
  ) {
    run(saving(record) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a record. One that does not exist counts as deleted.
  @preconcurrency
  public func delete(
    withRecordID recordID: CKRecord.ID,
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    run(deleting(recordID) { completionHandler($0.pair.0, $0.pair.1) })
  }
}
