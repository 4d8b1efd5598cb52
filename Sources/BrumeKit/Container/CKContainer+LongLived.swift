// Finding long-lived operations of earlier runs again.

import BrumeClient
import Foundation

extension CKContainer {
  /// The IDs of long-lived operations that are not finished, or finished less than a day ago, of the user
  /// who is signed in.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  @_disfavoredOverload
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    let handler = UncheckedSendable(completionHandler)
    fetchAllLongLivedOperationIDs { handler.value($0, $1) }
  }

  /// The IDs of long-lived operations that are not finished, or finished less than a day ago, of the user
  /// who is signed in.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  @discardableResult
  public func allLongLivedOperationIDs() async throws -> [CKOperation.ID] { await longLivedIDs() }

  /// A long-lived operation, to be given blocks and run again; nil if there is none of the ID.
  ///
  /// Running it asks the server under the same ID: what was saved less than a day before is not saved
  /// twice. A save that is older goes with the policy `ifServerRecordUnchanged`, whatever its own is, and a
  /// deletion that is older leaves a record that was made since.
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
  /// Running it asks the server under the same ID: what was saved less than a day before is not saved
  /// twice. A save that is older goes with the policy `ifServerRecordUnchanged`, whatever its own is, and a
  /// deletion that is older leaves a record that was made since.
  @discardableResult
  public func longLivedOperation(for operationID: CKOperation.ID) async throws -> CKOperation? {
    await longLived(operationID)
  }

  private var archive: OperationArchive? {
    (try? session.configuration.get()).flatMap { OperationArchive($0) }
  }

  fileprivate func longLivedIDs() async -> [CKOperation.ID] {
    let found = archive?.list(now: session.host.now()) ?? []
    let me = await owner(among: found.map(\.owner))
    return found.filter { $0.owner.isSame(as: me) }.map(\.id)
  }

  fileprivate func longLived(_ id: CKOperation.ID) async -> CKOperation? {
    guard let entry = archive?.entry(id, now: session.host.now()),
      entry.owner.isSame(as: await owner(among: [entry.owner]))
    else { return nil }
    return LongLived.operation(entry, in: self)
  }

  /// Whose operations are found (case ACC-07). Asks who that is if it may be a later session of one of
  /// the owners.
  private func owner(among owners: [OperationArchive.Owner]) async -> OperationArchive.Owner {
    let account = connection.owner.account
    if owners.contains(where: { $0.user != nil && $0.account != account }) {
      _ = try? await connection.me()
    }
    return connection.owner
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// The IDs of long-lived operations that are not finished, or finished less than a day ago, of the user
  /// who is signed in.
  ///
  /// Empty without a state directory (`BRUME_STATE_DIR`): then nothing was written down.
  @preconcurrency
  public func fetchAllLongLivedOperationIDs(
    completionHandler: @escaping @Sendable ([CKOperation.ID]?, (any Error)?) -> Void
  ) {
    report {
      await self.longLivedIDs()
    } to: {
      completionHandler($0, nil)
    }
  }

  /// A long-lived operation, to be given blocks and run again; nil if there is none of the ID.
  ///
  /// Running it asks the server under the same ID: what was saved less than a day before is not saved
  /// twice. A save that is older goes with the policy `ifServerRecordUnchanged`, whatever its own is, and a
  /// deletion that is older leaves a record that was made since.
  @preconcurrency
  public func fetchLongLivedOperation(
    withID operationID: CKOperation.ID,
    completionHandler: @escaping @Sendable (CKOperation?, (any Error)?) -> Void
  ) {
    report {
      await self.longLived(operationID)
    } to: {
      completionHandler($0, nil)
    }
  }
}
