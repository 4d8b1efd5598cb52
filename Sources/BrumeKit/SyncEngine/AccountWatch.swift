// Hears that an account may have changed, for as long as an engine lives.

import Foundation

/// Calls back when the account of a connection may be another one.
// Sendable because the token is only kept and handed back.
final class AccountWatch: @unchecked Sendable {
  private let token: any NSObjectProtocol

  init(_ connection: Connection, _ changed: @escaping @Sendable () -> Void) {
    token = NotificationCenter.default.addObserver(
      forName: .CKAccountChanged, object: nil, queue: nil
    ) { notification in
      let container = notification.object as? CKContainer
      // Somebody may post it without saying for whom.
      if container == nil || container?.connection === connection { changed() }
    }
  }

  deinit { NotificationCenter.default.removeObserver(token) }
}
