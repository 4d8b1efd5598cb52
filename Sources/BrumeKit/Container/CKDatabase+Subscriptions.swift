// Subscriptions: fetch, save and delete, one or many, in both of Swift's manners.

extension CKDatabase {
  // MARK: All

  /// Fetches all subscriptions of the database.
  @_disfavoredOverload
  public func fetchAllSubscriptions(
    completionHandler: @escaping ([CKSubscription]?, (any Error)?) -> Void
  ) {
    run(fetchingAllSubscriptions { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches all subscriptions of the database.
  @discardableResult
  public func allSubscriptions() async throws -> [CKSubscription] {
    try await answer { fetchingAllSubscriptions($0) }
  }

  // MARK: One subscription

  /// Fetches a subscription.
  @_disfavoredOverload
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping (CKSubscription?, (any Error)?) -> Void
  ) {
    run(fetchingSubscription(subscriptionID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches a subscription.
  @discardableResult
  public func subscription(for subscriptionID: CKSubscription.ID) async throws -> CKSubscription {
    try await answer { fetchingSubscription(subscriptionID, $0) }
  }

  /// Saves a subscription.
  @_disfavoredOverload
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping (CKSubscription?, (any Error)?) -> Void
  ) {
    run(savingSubscription(subscription) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a subscription.
  @discardableResult
  public func save(_ subscription: CKSubscription) async throws -> CKSubscription {
    try await answer { savingSubscription(subscription, $0) }
  }

  /// Deletes a subscription.
  @_disfavoredOverload
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping (String?, (any Error)?) -> Void
  ) {
    run(deletingSubscription(subscriptionID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a subscription.
  @discardableResult
  public func deleteSubscription(withID subscriptionID: CKSubscription.ID) async throws
    -> CKSubscription.ID
  {
    try await answer { deletingSubscription(subscriptionID, $0) }
  }

  // MARK: Many subscriptions

  /// Fetches subscriptions. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func fetch(
    withSubscriptionIDs subscriptionIDs: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<[CKSubscription.ID: Result<CKSubscription, any Error>], any Error>
      ) -> Void
  ) {
    run(fetchingSubscriptions(subscriptionIDs, completionHandler))
  }

  /// Fetches subscriptions. Only a failure of the request as a whole is thrown.
  public func subscriptions(
    for ids: [CKSubscription.ID]
  ) async throws -> [CKSubscription.ID: Result<CKSubscription, any Error>] {
    try await answer { fetchingSubscriptions(ids, $0) }
  }

  /// Saves and deletes subscriptions. Only a failure of the request as a whole is an error.
  @preconcurrency
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID],
    completionHandler:
      @escaping @Sendable (
        Result<
          (
            saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
            deleteResults: [CKSubscription.ID: Result<Void, any Error>]
          ), any Error
        >
      ) -> Void
  ) {
    run(modifyingSubscriptions(subscriptionsToSave, subscriptionIDsToDelete, completionHandler))
  }

  /// Saves and deletes subscriptions. Only a failure of the request as a whole is thrown.
  public func modifySubscriptions(
    saving subscriptionsToSave: [CKSubscription],
    deleting subscriptionIDsToDelete: [CKSubscription.ID]
  ) async throws -> (
    saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
    deleteResults: [CKSubscription.ID: Result<Void, any Error>]
  ) {
    try await answer { modifyingSubscriptions(subscriptionsToSave, subscriptionIDsToDelete, $0) }
  }
}

// MARK: Operations

extension CKDatabase {
  fileprivate func fetchingAllSubscriptions(
    _ end: @escaping Ending<[CKSubscription]>
  ) -> CKFetchSubscriptionsOperation {
    let operation = CKFetchSubscriptionsOperation.fetchAllSubscriptionsOperation()
    var found: [CKSubscription] = []
    operation.perSubscriptionResultBlock = { if case .success(let one) = $1 { found.append(one) } }
    operation.fetchSubscriptionsResultBlock = { end($0.map { found }) }
    return operation
  }

  fileprivate func fetchingSubscriptions(
    _ ids: [CKSubscription.ID],
    _ end: @escaping Ending<[CKSubscription.ID: Result<CKSubscription, any Error>]>
  ) -> CKFetchSubscriptionsOperation {
    let operation = CKFetchSubscriptionsOperation(subscriptionIDs: ids)
    var results: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    operation.perSubscriptionResultBlock = { results[$0] = $1 }
    operation.fetchSubscriptionsResultBlock = { end($0.map { results }) }
    return operation
  }

  fileprivate func modifyingSubscriptions(
    _ saves: [CKSubscription], _ deletes: [CKSubscription.ID],
    _ end:
      @escaping Ending<
        (
          saveResults: [CKSubscription.ID: Result<CKSubscription, any Error>],
          deleteResults: [CKSubscription.ID: Result<Void, any Error>]
        )
      >
  ) -> CKModifySubscriptionsOperation {
    let operation = CKModifySubscriptionsOperation(
      subscriptionsToSave: saves, subscriptionIDsToDelete: deletes)
    var saved: [CKSubscription.ID: Result<CKSubscription, any Error>] = [:]
    var deleted: [CKSubscription.ID: Result<Void, any Error>] = [:]
    operation.perSubscriptionSaveBlock = { saved[$0] = $1 }
    operation.perSubscriptionDeleteBlock = { deleted[$0] = $1 }
    operation.modifySubscriptionsResultBlock = { end($0.map { (saved, deleted) }) }
    return operation
  }

  fileprivate func fetchingSubscription(
    _ id: CKSubscription.ID, _ end: @escaping Ending<CKSubscription>
  ) -> CKFetchSubscriptionsOperation {
    fetchingSubscriptions([id]) { all in
      end(all.single("subscription '\(id)'") { $0[id] })
    }
  }

  fileprivate func savingSubscription(
    _ subscription: CKSubscription, _ end: @escaping Ending<CKSubscription>
  ) -> CKModifySubscriptionsOperation {
    let id = subscription.subscriptionID
    return modifyingSubscriptions([subscription], []) { all in
      end(all.single("subscription '\(id)'") { $0.saveResults[id] })
    }
  }

  fileprivate func deletingSubscription(
    _ id: CKSubscription.ID, _ end: @escaping Ending<CKSubscription.ID>
  ) -> CKModifySubscriptionsOperation {
    modifyingSubscriptions([], [id]) { all in
      end(all.single("subscription '\(id)'") { $0.deleteResults[id]?.map { id } })
    }
  }
}

// MARK: With handlers that may be called from another task

extension CKDatabaseCalls {
  /// Fetches all subscriptions of the database.
  @preconcurrency
  public func fetchAllSubscriptions(
    completionHandler: @escaping @Sendable ([CKSubscription]?, (any Error)?) -> Void
  ) {
    run(fetchingAllSubscriptions { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Fetches a subscription.
  @preconcurrency
  public func fetch(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    run(fetchingSubscription(subscriptionID) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Saves a subscription.
  @preconcurrency
  public func save(
    _ subscription: CKSubscription,
    completionHandler: @escaping @Sendable (CKSubscription?, (any Error)?) -> Void
  ) {
    run(savingSubscription(subscription) { completionHandler($0.pair.0, $0.pair.1) })
  }

  /// Deletes a subscription.
  @preconcurrency
  public func delete(
    withSubscriptionID subscriptionID: CKSubscription.ID,
    completionHandler: @escaping @Sendable (String?, (any Error)?) -> Void
  ) {
    run(deletingSubscription(subscriptionID) { completionHandler($0.pair.0, $0.pair.1) })
  }
}
