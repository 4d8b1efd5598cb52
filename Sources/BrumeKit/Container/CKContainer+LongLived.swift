// Long-lived operations: those that go on after the program ends. There are none here, because
// nothing but the program runs them; the questions about them have answers all the same.

import Foundation

extension CKContainer {
  /// The IDs of operations of earlier runs that can be taken up again: none.
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    connection.queue.addOperation { completionHandler([], nil) }
  }

  /// The IDs of operations of earlier runs that can be taken up again: none.
  @discardableResult
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { [] }

  /// An operation of an earlier run: nil.
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    connection.queue.addOperation { completionHandler(nil, nil) }
  }

  /// An operation of an earlier run: nil.
  @discardableResult
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    nil
  }
}
