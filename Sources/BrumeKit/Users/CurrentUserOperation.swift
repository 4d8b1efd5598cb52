// The question who the current user is, as an operation of the container's calls: the settings of `configuredWith` hold
// for it, it is about one account, and its handler comes on a queue of its own.

import BrumeClient
import BrumeModel
import Foundation

// Sendable because its own task and queue alone use what it found.
/// Asks the server who the current user is.
final class CurrentUserOperation: CKOperation, @unchecked Sendable {
  struct User {
    let recordID: CKRecord.ID
    /// Whether others cannot find the user by address.
    let isHidden: Bool
  }

  private let end: Ending<User>
  private var user: User?

  /// - Parameter end: called once, last.
  init(_ end: @escaping Ending<User>) {
    self.end = end
    super.init()
  }

  override func perform() async throws {
    let (session, account) = (session, connection.account)
    let identity = try await request(from: Viewpoint(scope: .private)) {
      try await session.currentUser()
    }
    guard let name = identity.user?.name else { return }
    connection.isUser(name, account)
    user = User(recordID: CKRecord.ID(recordName: name), isHidden: identity.isHidden)
  }

  override func complete(_ failure: CKError?) {
    guard let user, failure == nil else {
      return end(.failure(failure ?? .missingAnswer(for: "the current user")))
    }
    end(.success(user))
  }
}
