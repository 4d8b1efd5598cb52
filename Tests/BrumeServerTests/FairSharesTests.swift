// Whose turn it is, step by step.

import BrumeServer
import Testing

@Suite struct FairSharesTests {
  @Test func `a caller has its share and no more, whatever is free`() {
    var shares = FairShares(most: 10, mostOfOne: 2, mostWaiting: 1)
    let entries = (0..<4).map { shares.enter("a", at: "a", id: $0) }
    #expect(entries == [.enters, .enters, .waits, .refused])
    let other = shares.enter("b", at: "b", id: 9)
    #expect(other == .enters)
    let next = shares.leave("a", at: "a")
    #expect(next == [2])
  }

  @Test func `when all is taken callers wait in turns, not in the order of their number`() {
    var shares = FairShares(most: 1, mostOfOne: 1, mostWaiting: 10)
    _ = shares.enter("a", at: "a", id: 0)
    for id in 1...3 { _ = shares.enter("a", at: "a", id: id) }
    _ = shares.enter("b", at: "b", id: 4)
    var served: [Int] = []
    for name in ["a", "a", "b", "a"] {
      served += shares.leave(name, at: name)
    }
    #expect(served == [1, 4, 2, 3])
    let last = shares.leave("a", at: "a")
    #expect(last.isEmpty)
  }

  @Test func `a caller at its share is passed over until it has room`() {
    var shares = FairShares(most: 3, mostOfOne: 2, mostWaiting: 10)
    for id in 0...2 { _ = shares.enter("a", at: "a", id: id) }
    _ = shares.enter("b", at: "b", id: 3)
    _ = shares.enter("b", at: "b", id: 4)
    let afterB = shares.leave("b", at: "b")
    #expect(afterB == [4])
    let afterA = shares.leave("a", at: "a")
    #expect(afterA == [2])
  }

  @Test func `a caller who does not wait any more is passed over`() {
    var shares = FairShares(most: 1, mostOfOne: 1, mostWaiting: 10)
    _ = shares.enter("a", at: "a", id: 0)
    _ = shares.enter("b", at: "b", id: 1)
    _ = shares.enter("c", at: "c", id: 2)
    shares.withdraw("b", id: 1)
    let next = shares.leave("a", at: "a")
    #expect(next == [2])
  }

  @Test func `the callers of one address have its share together, those of another do not notice`()
  {
    var shares = FairShares(
      most: 10, mostOfOne: 2, mostWaiting: 2, mostOfAddress: 3, mostWaitingOfAddress: 2)
    let entries = (0..<6).map { shares.enter("user \($0)", at: "here", id: $0) }
    #expect(entries == [.enters, .enters, .enters, .waits, .waits, .refused])
    let others = (7..<9).map { shares.enter("user \($0)", at: "there", id: $0) }
    #expect(others == [.enters, .enters])
    // Of whom nobody waits, nobody goes on in the place of.
    let afterThere = shares.leave("user 7", at: "there")
    #expect(afterThere.isEmpty)
    let afterHere = shares.leave("user 0", at: "here")
    #expect(afterHere == [3])
  }

  @Test func `a caller whose one address has no room goes on at another`() {
    var shares = FairShares(
      most: 10, mostOfOne: 2, mostWaiting: 5, mostOfAddress: 1, mostWaitingOfAddress: 5)
    _ = shares.enter("a", at: "here", id: 0)
    _ = shares.enter("b", at: "there", id: 1)
    let entries = [
      shares.enter("a", at: "here", id: 2), shares.enter("a", at: "there", id: 3),
    ]
    #expect(entries == [.waits, .waits])
    let next = shares.leave("b", at: "there")
    #expect(next == [3])
  }

  @Test func `who waits no more takes no place of his address`() {
    var shares = FairShares(
      most: 1, mostOfOne: 1, mostWaiting: 5, mostOfAddress: 1, mostWaitingOfAddress: 1)
    _ = shares.enter("a", at: "here", id: 0)
    _ = shares.enter("b", at: "here", id: 1)
    shares.withdraw("b", id: 1)
    let entry = shares.enter("c", at: "here", id: 2)
    #expect(entry == .waits)
    let next = shares.leave("a", at: "here")
    #expect(next == [2])
  }
  @Test func `one end lets two enter, of whom one needed the caller's place and one the address's`()
  {
    var shares = FairShares(
      most: 10, mostOfOne: 2, mostWaiting: 5, mostOfAddress: 2, mostWaitingOfAddress: 5)
    _ = shares.enter("u", at: "here", id: 0)
    _ = shares.enter("u", at: "here", id: 1)
    let entries = [shares.enter("u", at: "there", id: 2), shares.enter("v", at: "here", id: 3)]
    #expect(entries == [.waits, .waits])
    let entering = shares.leave("u", at: "here")
    #expect(entering == [2, 3])
    // Nobody who comes now is before them.
    let late = shares.enter("w", at: "here", id: 4)
    #expect(late == .waits)
  }
}
