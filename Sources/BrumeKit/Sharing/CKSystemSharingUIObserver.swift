// The observer sees what the user did in the system's sharing sheet.

public import Foundation
import Synchronization

/// Observes what the user did in the system's sharing sheet.
///
/// Linux has no sharing sheet, so neither block is ever called: code that sets them compiles and
/// waits. Save and delete shares with the database instead. Source: Apple's
/// `CKSystemSharingUIObserver` page, which says that only local results are reported.
// Sendable because what can change is behind a mutex.
open class CKSystemSharingUIObserver: NSObject, @unchecked Sendable {
  private struct Blocks {
    var saved: (@Sendable (CKRecord.ID, Result<CKShare, any Error>) -> Void)?
    var stopped: (@Sendable (CKRecord.ID, Result<Void, any Error>) -> Void)?
  }
  private let blocks = Mutex(Blocks())

  /// Creates an observer of the sheets of a container.
  public init(container: CKContainer) {}

  /// Called when a share was saved from a sheet: never here.
  open var systemSharingUIDidSaveShareBlock:
    (@Sendable (_ recordID: CKRecord.ID, _ saveResult: Result<CKShare, any Error>) -> Void)?
  {
    get { blocks.withLock { $0.saved } }
    set { blocks.withLock { $0.saved = newValue } }
  }

  /// Called when sharing was stopped from a sheet: never here.
  open var systemSharingUIDidStopSharingBlock:
    (@Sendable (_ recordID: CKRecord.ID, _ deleteResult: Result<Void, any Error>) -> Void)?
  {
    get { blocks.withLock { $0.stopped } }
    set { blocks.withLock { $0.stopped = newValue } }
  }
}
