// Notifications kept after sending: the feed of `CKFetchNotificationChangesOperation`, marking them
// read, and the badge (cases PSH-16, PSH-17). The feed is the user's, not a device's.

package import BrumeModel
import BrumeStorage

extension Engine {
  /// One page of the caller's kept notifications.
  ///
  /// - Parameter token: from the page before; nil from the start of what is kept.
  package func keptNotifications(
    token: String?, limit: Int?, as caller: Caller
  ) async throws -> KeptNotificationsPage {
    let user = try caller.requireUser()
    let after = try token.map { try position(of: $0, caller) } ?? 0
    let maximum = limits.recordsPerResponse
    let size = min(max(1, limit ?? maximum), maximum)
    let found = try await store.read { transaction in
      try transaction.keptNotifications(
        of: user, container: caller.container, environment: caller.environment, after: after,
        limit: size + 1)
    }
    let items = Array(found.prefix(size))
    return KeptNotificationsPage(
      items: items,
      token: try self.token(
        .notifications, at: items.last?.position ?? after, in: .private, for: caller),
      moreComing: found.count > size)
  }

  /// Marks notifications read and answers with those that exist. They come again at the end of the
  /// feed, as read.
  package func markNotificationsRead(_ ids: [String], as caller: Caller) async throws -> [String] {
    let user = try caller.requireUser()
    guard ids.count <= limits.itemsPerOperation else {
      throw BrumeError(
        .limitExceeded,
        "\(ids.count) notification IDs in one request; the maximum is \(limits.itemsPerOperation)")
    }
    return try await store.write(in: nil) { transaction in
      try transaction.markRead(
        ids, of: user, container: caller.container, environment: caller.environment)
    }
  }

  /// Sets the number that `shouldBadge` counts on from.
  package func setBadge(_ value: Int, as caller: Caller) async throws {
    let user = try caller.requireUser()
    guard (0...Int(Int32.max)).contains(value) else {
      throw BrumeError(.badRequest, "'badge' must be from 0 to \(Int32.max)")
    }
    try await store.write(in: nil) { transaction in
      try transaction.setBadge(
        value, of: user, container: caller.container, environment: caller.environment)
    }
  }

  private func position(of token: String, _ caller: Caller) throws(BrumeError) -> Int64 {
    let opened = try opened(token, in: .private, for: caller)
    guard opened.subject == .notifications else { throw TokenRules.expired }
    return opened.sequence
  }
}
