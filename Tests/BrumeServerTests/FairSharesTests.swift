// Whose turn it is, step by step.

import BrumeServer
import Testing

@Suite struct FairSharesTests {
  @Test func `a caller has its share and no more, whatever is free`() {
    var shares = FairShares(most: 10, mostOfOne: 2, mostWaiting: 1)
    let entries = (0..<4).map { shares.enter("a", id: $0) }
    #expect(entries == [.enters, .enters, .waits, .refused])
    let other = shares.enter("b", id: 9)
    #expect(other == .enters)
    let next = shares.leave("a")
    #expect(next == 2)
  }

  @Test func `when all is taken callers wait in turns, not in the order of their number`() {
    var shares = FairShares(most: 1, mostOfOne: 1, mostWaiting: 10)
    _ = shares.enter("a", id: 0)
    for id in 1...3 { _ = shares.enter("a", id: id) }
    _ = shares.enter("b", id: 4)
    var served: [Int] = []
    for name in ["a", "a", "b", "a"] { if let next = shares.leave(name) { served.append(next) } }
    #expect(served == [1, 4, 2, 3])
    let last = shares.leave("a")
    #expect(last == nil)
  }

  @Test func `a caller at its share is passed over until it has room`() {
    var shares = FairShares(most: 3, mostOfOne: 2, mostWaiting: 10)
    for id in 0...2 { _ = shares.enter("a", id: id) }
    _ = shares.enter("b", id: 3)
    _ = shares.enter("b", id: 4)
    let afterB = shares.leave("b")
    #expect(afterB == 4)
    let afterA = shares.leave("a")
    #expect(afterA == 2)
  }

  @Test func `who waits no more is not served`() {
    var shares = FairShares(most: 1, mostOfOne: 1, mostWaiting: 10)
    _ = shares.enter("a", id: 0)
    _ = shares.enter("b", id: 1)
    _ = shares.enter("c", id: 2)
    shares.withdraw("b", id: 1)
    let next = shares.leave("a")
    #expect(next == 2)
  }
}
