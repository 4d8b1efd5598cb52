// Lanes that wait after a failure, of each peer and of all. Who waits longest for its turn gives its place to another, and
// loses least by it: what it was to be sent is in the store.

import BrumeModel
import HeapModule

struct FailedLanes<Lane: Hashable & Sendable>: Sendable {
  private var all = Waits()
  private var ofPeers: [String: Waits] = [:]

  var isEmpty: Bool { all.isEmpty }

  mutating func insert(_ lane: Lane, at peer: String, until time: Milliseconds) {
    all.insert(lane, until: time)
    ofPeers[peer, default: Waits()].insert(lane, until: time)
  }

  mutating func remove(_ lane: Lane, at peer: String) {
    all.remove(lane)
    ofPeers[peer]?.remove(lane)
    if ofPeers[peer]?.isEmpty == true { ofPeers[peer] = nil }
  }

  /// Whose wait ends last.
  ///
  /// - Parameter peer: nil: of all.
  mutating func longest(of peer: String?) -> Lane? {
    guard let peer else { return all.longest() }
    return ofPeers[peer]?.longest()
  }

  private struct Waits: Sendable {
    private struct Wait: Comparable, Sendable {
      let end: Milliseconds
      let lane: Lane
      static func == (a: Wait, b: Wait) -> Bool { a.end == b.end }
      static func < (a: Wait, b: Wait) -> Bool { a.end < b.end }
    }
    private var ends: [Lane: Milliseconds] = [:]
    /// Also those that ended earlier than was said, which are passed over.
    private var heap = Heap<Wait>()

    var isEmpty: Bool { ends.isEmpty }

    mutating func insert(_ lane: Lane, until end: Milliseconds) {
      ends[lane] = end
      heap.insert(Wait(end: end, lane: lane))
      guard heap.count > 2 * ends.count + 16 else { return }
      heap = Heap(ends.map { Wait(end: $1, lane: $0) })
    }

    mutating func remove(_ lane: Lane) { ends[lane] = nil }

    mutating func longest() -> Lane? {
      while let wait = heap.max {
        if ends[wait.lane] == wait.end { return wait.lane }
        heap.removeMax()
      }
      return nil
    }
  }
}
