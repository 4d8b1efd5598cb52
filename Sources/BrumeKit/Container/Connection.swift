// What a container and its databases share: the session, and the current user's name once known.

import BrumeClient
import BrumeModel
import Synchronization

final class Connection: Sendable {
  let session: Session
  private let knownUser = Mutex<String?>(nil)

  init(_ session: Session) { self.session = session }

  /// The current user's record name; nil without an account, or if the server cannot be asked.
  func me() async -> String? {
    if let name = knownUser.withLock({ $0 }) { return name }
    guard let name = try? await session.currentUser().user?.name else { return nil }
    isUser(name)
    return name
  }

  /// Somebody learned who the current user is.
  func isUser(_ name: String) { knownUser.withLock { $0 = name } }
}
