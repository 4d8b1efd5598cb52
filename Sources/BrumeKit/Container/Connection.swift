// What a container and its databases share: the session, the queue of their operations, and the
// current user's name once known.

import BrumeClient
import BrumeModel
import Foundation
import Synchronization

// Sendable because its properties are constant; the queue takes operations from any thread, but
// Foundation on Linux does not say so.
final class Connection: @unchecked Sendable {
  let session: Session
  let queue = OperationQueue()
  private let knownUser = Mutex<String?>(nil)

  init(_ session: Session) { self.session = session }

  /// The current user's record name; nil without an account, or if the server cannot be asked.
  func me() async -> String? {
    if let name = knownUser.withLock({ $0 }) { return name }
    if (try? session.configuration.get())?.userToken == nil { return nil }
    guard let name = try? await session.currentUser().user?.name else { return nil }
    isUser(name)
    return name
  }

  /// Somebody learned who the current user is.
  func isUser(_ name: String) { knownUser.withLock { $0 = name } }
}
