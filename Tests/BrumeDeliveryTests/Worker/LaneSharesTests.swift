// Which steps run and which wait, step by step.

import BrumeDelivery
import Testing

@Suite struct LaneSharesTests {
  @Test func `a name has its threads and no more, and its steps keep their order`() {
    var lanes = LaneShares<Int>(perLane: 2)
    let starts = (1...4).map { lanes.add($0, to: "a") }
    #expect(starts == [true, true, false, false])
    let other = lanes.add(9, to: "b")
    #expect(other)
    let next = (0..<4).map { _ in lanes.ended(in: "a") }
    #expect(next == [3, 4, nil, nil])
    _ = lanes.ended(in: "b")
    #expect(lanes.isEmpty)
  }

  @Test func `a step that changes its name makes room in the old one and counts in the new one`() {
    var lanes = LaneShares<Int>(perLane: 1)
    _ = lanes.add(1, to: "address")
    _ = lanes.add(2, to: "address")
    let moved = lanes.move(from: "address", to: "user")
    #expect(moved.next == 2)
    #expect(moved.mayGoOn)
    let starts = lanes.add(3, to: "user")
    #expect(!starts)
    let next = lanes.ended(in: "user")
    #expect(next == 3)
  }

  @Test func `a step that comes to a name whose threads are busy waits behind those that wait`() {
    var lanes = LaneShares<Int>(perLane: 1)
    _ = lanes.add(1, to: "user")
    _ = lanes.add(2, to: "user")
    _ = lanes.add(3, to: "address")
    let moved = lanes.move(from: "address", to: "user")
    #expect(moved.next == nil)
    #expect(!moved.mayGoOn)
    // Its rest comes back before or after it ends.
    let starts = lanes.add(4, to: "user")
    #expect(!starts)
    let inItsPlace = lanes.ended(in: "user")
    #expect(inItsPlace == nil)
    let served = (0..<3).map { _ in lanes.ended(in: "user") }
    #expect(served == [2, 4, nil])
    #expect(lanes.isEmpty)
  }

  @Test func `a step that is withdrawn does not start, and those behind it do`() {
    var lanes = LaneShares<Int>(perLane: 1)
    for step in 1...3 { _ = lanes.add(step, to: "a") }
    lanes.withdraw(from: "a") { $0 == 2 }
    lanes.withdraw(from: "b") { $0 == 3 }
    let next = (0..<2).map { _ in lanes.ended(in: "a") }
    #expect(next == [3, nil])
    #expect(lanes.isEmpty)
  }
}
