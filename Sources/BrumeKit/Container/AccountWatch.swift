// The watch observes changes of the account, for as long as whoever asked for it keeps it.

import Foundation

/// Calls back when the account of a connection may be another one.
// Sendable because the token is only kept and handed back.
final class AccountWatch: @unchecked Sendable {
  private let token: any NSObjectProtocol

  init(_ connection: Connection, _ changed: @escaping @Sendable () -> Void) {
    token = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { [weak connection] in if connection?.isConcerned(by: $0) ?? false { changed() } }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
