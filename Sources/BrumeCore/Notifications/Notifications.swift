// Notifications kept after sending: the feed of `CKFetchNotificationChangesOperation`, marking them
// read, and the badge (cases PSH-16, PSH-17). The feed is the user's, not a device's.

package import BrumeModel
import BrumeStorage

/// What is kept of a user's notifications, and the badge.
package struct Notifications: Sendable {
  private let store: any Store
  private let limits: Limits
  private let permission: ReadPermission
  private let tokens: ChangeTokens

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    permission = ReadPermission(schemas: parts.schemas, limits: parts.limits)
    tokens = ChangeTokens(parts)
  }

  /// One page of the caller's kept notifications.
  ///
  /// What the caller may not read any more, even in part, is left out; the token passes it.
  ///
  /// - Parameters:
  ///   - token: from the page before; nil from the start of what is kept.
  ///   - decode: reads a kept push.
  /// - Throws: `authenticationRequired`, `changeTokenExpired`.
  package func kept(
    token: String?, limit: Int?, as caller: Caller,
    decode: @escaping @Sendable ([UInt8]) throws -> Notification
  ) async throws -> KeptNotificationsPage {
    let user = try caller.requireUser()
    let after = try token.map { try position(of: $0, caller) } ?? 0
    let maximum = limits.recordsPerResponse
    let size = min(max(1, limit ?? maximum), maximum)
    let permission = permission
    let (last, items, moreComing) = try await store.read { transaction in
      let found = try transaction.notifications.kept(
        for: user, in: caller.containerEnvironment, after: after, limit: size + 1)
      let page = found.prefix(size)
      let items = try page.filter { kept in
        guard let notification = try? decode(kept.payload) else { return false }
        return try permission.mayDeliver(
          notification, of: kept.subscriptionID, to: user, in: caller.containerEnvironment,
          from: transaction) == .all
      }
      return (page.last?.position, items, found.count > size)
    }
    return KeptNotificationsPage(
      items: items,
      token: try tokens.token(.notifications, at: last ?? after, in: .private, for: caller),
      moreComing: moreComing)
  }

  /// Marks notifications read and answers with those that exist. They come again at the end of the
  /// feed, as read.
  ///
  /// - Throws: `authenticationRequired`, `limitExceeded` for too many IDs.
  package func markRead(
    _ ids: [KeptNotificationID], as caller: Caller
  ) async throws -> [KeptNotificationID] {
    let user = try caller.requireUser()
    try checkCount(ids.count)
    let scope = WriteScope.account(user, caller.containerEnvironment)
    return try await store.write(for: caller, in: scope) { transaction in
      try transaction.notifications.markRead(ids, of: user, in: caller.containerEnvironment)
    }
  }

  /// Whether so many can be marked in one request.
  ///
  /// - Throws: `limitExceeded`.
  package func checkCount(_ count: Int) throws(BrumeError) {
    try limits.checkCount(count, of: "notification IDs", upTo: limits.itemsPerOperation)
  }

  /// Sets the number that `shouldBadge` counts on from.
  ///
  /// - Throws: `authenticationRequired`, `badRequest` for a number below 0 or above `Int32.max`.
  package func setBadge(_ value: Int, as caller: Caller) async throws {
    let user = try caller.requireUser()
    guard (0...Int(Int32.max)).contains(value) else {
      throw BrumeError(.badRequest, "'badge' must be from 0 to \(Int32.max)")
    }
    let scope = WriteScope.account(user, caller.containerEnvironment)
    try await store.write(for: caller, in: scope) { transaction in
      try transaction.notifications.setBadge(value, of: user, in: caller.containerEnvironment)
    }
  }

  private func position(of token: String, _ caller: Caller) throws(BrumeError) -> Int64 {
    let opened = try tokens.opened(token, in: .private, for: caller)
    guard opened.subject == .notifications else { throw TokenRules.expired }
    return opened.sequence
  }
}
