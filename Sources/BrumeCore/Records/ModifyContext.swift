// What one `records/modify` request says in all of its transactions: who asks, where and when, and within which limits.

import BrumeModel

/// What all of a request's transactions need to know. A class because each value of a batch holds it, and the
/// limits in it are many.
final class ModifyContext: Sendable {
  let caller: Caller
  let user: UserID
  let scope: DatabaseScope
  let now: Milliseconds
  let limits: Limits
  /// What the request said; zones without the capability ignore it (case ATM-05).
  let isAtomic: Bool
  /// Opens the receipts of assets.
  let seal: Seal

  init(
    caller: Caller, user: UserID, scope: DatabaseScope, now: Milliseconds, limits: Limits,
    isAtomic: Bool, seal: Seal
  ) {
    self.caller = caller
    self.user = user
    self.scope = scope
    self.now = now
    self.limits = limits
    self.isAtomic = isAtomic
    self.seal = seal
  }

  var stamp: Stamp { Stamp(time: now, user: user, device: caller.device?.name ?? "1") }
}
