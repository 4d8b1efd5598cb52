// Queries, page by page.

extension CKDatabase {
  /// Finds records: a page of results, and a cursor where there are more.
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await answer {
      finding(CKQueryOperation(query: query), zoneID, desiredKeys, resultsLimit, $0)
    }
  }

  /// Goes on with a query where a cursor says.
  public func records(
    continuingMatchFrom queryCursor: CKQueryOperation.Cursor,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults
  ) async throws -> (
    matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
    queryCursor: CKQueryOperation.Cursor?
  ) {
    try await answer {
      finding(CKQueryOperation(cursor: queryCursor), nil, desiredKeys, resultsLimit, $0)
    }
  }

  /// Finds records: a page of results, and a cursor where there are more.
  @preconcurrency
  public func fetch(
    withQuery query: CKQuery, inZoneWith zoneID: CKRecordZone.ID? = nil,
    desiredKeys: [CKRecord.FieldKey]? = nil, resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    let operation = CKQueryOperation(query: query)
    run(finding(operation, zoneID, desiredKeys, resultsLimit, completionHandler))
  }

  /// Goes on with a query where a cursor says.
  @preconcurrency
  public func fetch(
    withCursor queryCursor: CKQueryOperation.Cursor, desiredKeys: [CKRecord.FieldKey]? = nil,
    resultsLimit: Int = CKQueryOperation.maximumResults,
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
            queryCursor: CKQueryOperation.Cursor?
          ), any Error
        >
      ) -> Void
  ) {
    let operation = CKQueryOperation(cursor: queryCursor)
    run(finding(operation, nil, desiredKeys, resultsLimit, completionHandler))
  }

  // MARK: The first page alone

  /// Finds records: the first page of results. Records that could not be fetched are a partial failure.
  @available(
    *, deprecated,
    message: "Use fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)."
  )
  @_disfavoredOverload
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping ([CKRecord]?, (any Error)?) -> Void
  ) {
    run(firstPage(query, zoneID, completionHandler))
  }

  /// Finds records: the first page of results. Records that could not be fetched are a partial failure.
  @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:).")
  @discardableResult
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    try await answer { end in
      firstPage(query, zoneID) { end($1.map { .failure($0) } ?? .success($0 ?? [])) }
    }
  }

  /// Finds records: the first page of results. Records that could not be fetched are a partial failure.
  @available(*, deprecated, message: "Use records(matching:inZoneWith:desiredKeys:resultsLimit:).")
  @_disfavoredOverload
  @discardableResult
  public func records(
    matching query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?
  ) async throws -> [CKRecord] {
    try await answer { end in
      firstPage(query, zoneID) { end($1.map { .failure($0) } ?? .success($0 ?? [])) }
    }
  }
}

// MARK: Operations

extension CKDatabase {
  fileprivate func finding(
    _ operation: CKQueryOperation, _ zoneID: CKRecordZone.ID?, _ desiredKeys: [CKRecord.FieldKey]?,
    _ resultsLimit: Int,
    _ end:
      @escaping Ending<
        (
          matchResults: [(CKRecord.ID, Result<CKRecord, any Error>)],
          queryCursor: CKQueryOperation.Cursor?
        )
      >
  ) -> CKQueryOperation {
    operation.zoneID = zoneID
    operation.desiredKeys = desiredKeys
    operation.resultsLimit = resultsLimit
    var found: [(CKRecord.ID, Result<CKRecord, any Error>)] = []
    operation.recordMatchedBlock = { found.append(($0, $1)) }
    operation.queryResultBlock = { end($0.map { (found, $0) }) }
    return operation
  }

  /// What it could not bring is an error beside the records.
  fileprivate func firstPage(
    _ query: CKQuery, _ zoneID: CKRecordZone.ID?,
    _ end: @escaping ([CKRecord]?, (any Error)?) -> Void
  ) -> CKQueryOperation {
    finding(CKQueryOperation(query: query), zoneID, nil, CKQueryOperation.maximumResults) {
      guard case .success(let page) = $0 else { return end(nil, $0.pair.1) }
      var found = ItemResults<CKRecord.ID, CKRecord>()
      for (id, result) in page.matchResults { found.add(id, result) }
      end(found.values, CKError.overall(nil, items: found.errors))
    }
  }
}

// MARK: With handlers that may be called from another task

extension CKDatabaseCalls {
  /// Finds records: the first page of results. Records that could not be fetched are a partial failure.
  @available(
    *, deprecated,
    message: "Use fetch(withQuery:inZoneWith:desiredKeys:resultsLimit:completionHandler:)."
  )
  @preconcurrency
  public func perform(
    _ query: CKQuery, inZoneWith zoneID: CKRecordZone.ID?,
    completionHandler: @escaping @Sendable ([CKRecord]?, (any Error)?) -> Void
  ) {
    run(firstPage(query, zoneID, completionHandler))
  }
}
