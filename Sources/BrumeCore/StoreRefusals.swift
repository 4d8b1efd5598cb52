// What the store refuses of a request of which something is done already. An error of the whole request would say that
// nothing is, so its items fail; whoever runs the server is notified as of one that failed as a whole.

import BrumeModel
package import BrumeStorage

/// Notifies of what the store refuses of requests that are answered all the same.
package struct StoreRefusals: Sendable {
  private let notify: @Sendable (StoreError, _ requestID: String) -> Void

  /// - Parameter notify: called with the store's error and the request's ID. It returns at once.
  package init(
    notifying notify: @escaping @Sendable (StoreError, _ requestID: String) -> Void = { _, _ in }
  ) {
    self.notify = notify
  }

  /// What items are answered that an error has kept from being done; nil: nobody waits for an answer any more.
  func answer(to error: any Error, for caller: Caller) -> BrumeError? {
    guard let refusal = error as? StoreError else { return error as? BrumeError }
    notify(refusal, caller.requestID)
    return refusal.answer
  }
}
