// Which pushes were seen already. A delivery may be repeated; the notification's and the
// subscription's ID identify it (`nid` and `sid`, docs/internals/notifications.md).

import BrumeModel
import BrumeWire

/// Remembers the last pushes, a bounded number of them.
package struct RecentPushes: Equatable, Sendable {
  /// Ours: more than a mailbox holds.
  static let limit = 512
  private var order: [String] = []
  private var known: Set<String> = []

  package init() {}

  /// True the first time that a push comes. Pushes without an ID are always new.
  package mutating func isNew(_ payload: [UInt8]) -> Bool {
    guard let key = Self.key(payload) else { return true }
    guard known.insert(key).inserted else { return false }
    order.append(key)
    if order.count > Self.limit { known.remove(order.removeFirst()) }
    return true
  }

  static func key(_ payload: [UInt8]) -> String? {
    guard let ck = (try? JSON(parsing: payload))?["ck"], let id = ck["nid"]?.string else {
      return nil
    }
    let subscription = ["qry", "fet", "met"].lazy.compactMap { ck[$0]?["sid"]?.string }.first
    // One that was cut has it beside `nid`.
    return "\(id) \(subscription ?? ck["sid"]?.string ?? "")"
  }
}
