// Finding long-lived operations of earlier runs again.

import BrumeClient
import Foundation

extension CKContainer {
  /// The IDs of long-lived operations that are not finished, or finished less than a day ago.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  @_disfavoredOverload
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    let handler = UncheckedSendable(completionHandler)
    fetchAllLongLivedOperationIDs { handler.value($0, $1) }
  }

  /// The IDs of long-lived operations that are not finished, or finished less than a day ago.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { longLivedIDs }

  /// A long-lived operation, to be given blocks and run again; nil if there is none of the ID.
  ///
  /// Running it asks the server under the same ID: what was saved before is not saved twice.
  @_disfavoredOverload
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping (CKOperation?, (any Error)?) -> Void
  ) {
    let handler = UncheckedSendable(completionHandler)
    fetchLongLivedOperation(withID: operationID) { handler.value($0, $1) }
  }

  /// A long-lived operation, to be given blocks and run again; nil if there is none of the ID.
  ///
  /// Running it asks the server under the same ID: what was saved before is not saved twice.
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    longLived(operationID)
  }

  private var archive: OperationArchive? {
    (try? session.configuration.get()).flatMap { OperationArchive($0) }
  }

  fileprivate var longLivedIDs: [CKOperation.ID] { archive?.ids(now: session.host.now()) ?? [] }

  fileprivate func longLived(_ id: CKOperation.ID) -> CKOperation? {
    archive?.entry(id, now: session.host.now()).flatMap { LongLived.operation($0, in: self) }
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// The IDs of long-lived operations that are not finished, or finished less than a day ago.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    connection.add(BlockOperation { completionHandler(self.longLivedIDs, nil) })
  }

  /// A long-lived operation, to be given blocks and run again; nil if there is none of the ID.
  ///
  /// Running it asks the server under the same ID: what was saved before is not saved twice.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    connection.add(BlockOperation { completionHandler(self.longLived(operationID), nil) })
  }
}
