// The typed caller of one container as one user and device. A value: copies share the transport.

package import BrumeModel

package struct Session: Sendable {
  package init() {}

  /// The calls of one database.
  package func database(_ scope: DatabaseScope) -> DatabaseCaller {
    DatabaseCaller(session: self, scope: scope)
  }

  /// Who the current user is.
  package func currentUser() async throws -> UserIdentity { throw unbuilt }

  package func resolveShares(_ requests: [ShortGUIDRequest]) async throws -> [ShareResult] {
    throw unbuilt
  }
  package func acceptShares(_ requests: [ShortGUIDRequest]) async throws -> [ShareResult] {
    throw unbuilt
  }
  package func keptNotifications(
    token: String?, limit: Int? = nil
  ) async throws -> KeptNotificationsPage { throw unbuilt }
  package func markNotificationsRead(_ ids: [String]) async throws -> [String] { throw unbuilt }
  package func setBadge(_ value: Int) async throws { throw unbuilt }
}
