// How many steps of each name run, and which wait, as a value. The server's `Workers` run requests by it, and BrumePush's
// `Turns` lookups.

import DequeModule

/// The steps of all lanes.
package struct LaneShares<Step> {
  fileprivate struct Lane {
    var running = 0
    var waiting: Deque<Step> = []
  }

  private let perLane: Int
  private var lanes: [String: Lane] = [:]

  package init(perLane: Int) { self.perLane = perLane }

  /// Whether nothing runs and nothing waits.
  package var isEmpty: Bool { lanes.isEmpty }

  /// Answers whether the step may start now; else it waits.
  package mutating func add(_ step: Step, to name: String) -> Bool {
    change(name) { [perLane] lane in
      guard lane.running >= perLane else {
        lane.running += 1
        return true
      }
      lane.waiting.append(step)
      return false
    }
  }

  /// Answers what may start in place of the step that ended.
  package mutating func ended(in name: String) -> Step? {
    change(name) { [perLane] lane in
      // More than may run do so for the moment in which a step that moved here comes to its end.
      let next = lane.running > perLane ? nil : lane.waiting.popFirst()
      if next == nil { lane.running -= 1 }
      return next
    }
  }

  /// A running step changes its name. Answers what may start in its place, and whether the step may go
  /// on: else it ends at once, and the rest of its task waits like others.
  package mutating func move(from old: String, to new: String) -> (next: Step?, mayGoOn: Bool) {
    let next = ended(in: old)
    let mayGoOn = change(new) { [perLane] lane in
      lane.running += 1
      return lane.running <= perLane
    }
    return (next, mayGoOn)
  }

  /// Steps that wait need not start any more.
  package mutating func withdraw(from name: String, where isUnwanted: (Step) -> Bool) {
    lanes[name]?.waiting.removeAll(where: isUnwanted)
  }

  private mutating func change<Value>(_ name: String, _ body: (inout Lane) -> Value) -> Value {
    var lane = lanes.removeValue(forKey: name) ?? Lane()
    defer { if lane.running > 0 { lanes[name] = lane } }
    return body(&lane)
  }
}

extension LaneShares: Sendable where Step: Sendable {}
extension LaneShares.Lane: Sendable where Step: Sendable {}
