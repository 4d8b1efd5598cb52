// Sends to hosts that users named, as those of Web Push: how many there may be together, so that hosts of everybody's have
// some left, and how many of one user, whose hosts may be many and slow.

import DequeModule

struct OwnedSends<Lane: Hashable & Sendable>: Sendable {
  private struct Owner: Sendable {
    var running = 0
    var heldBack = Deque<Lane>()
  }
  private var running: BoundedCount
  private let perOwner: Int
  private var owners: [String: Owner] = [:]

  /// - Parameter total: sends of all kinds at once. A quarter is left to others.
  init(of total: Int) {
    running = BoundedCount(upTo: max(1, total - total / 4), of: "sends to hosts that users named")
    perOwner = max(1, total / 128)
  }

  /// Whether there may be one more, of whomever.
  var hasRoom: Bool { running.hasRoom }

  /// Whether an owner may have one more.
  func hasRoom(for owner: String) -> Bool { (owners[owner]?.running ?? 0) < perOwner }

  mutating func begin(for owner: String) {
    running.add()
    owners[owner, default: Owner()].running += 1
  }

  /// Holds a lane back until another one of its owner has ended.
  mutating func holdBack(_ lane: Lane, of owner: String) {
    owners[owner, default: Owner()].heldBack.append(lane)
  }

  /// A send of the owner ended.
  ///
  /// - Returns: the lane that was held back first.
  mutating func end(for owner: String) -> Lane? {
    running.remove()
    owners[owner]?.running -= 1
    let lane = owners[owner]?.heldBack.popFirst()
    forgetIfIdle(owner)
    return lane
  }

  /// The lane is no more held back.
  mutating func forget(_ lane: Lane, of owner: String) {
    owners[owner]?.heldBack.removeAll { $0 == lane }
    forgetIfIdle(owner)
  }

  private mutating func forgetIfIdle(_ owner: String) {
    guard let known = owners[owner], known.running == 0, known.heldBack.isEmpty else { return }
    owners[owner] = nil
  }
}
