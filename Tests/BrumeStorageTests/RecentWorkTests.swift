// Who counts as having brought much work, and what becomes of it.

import BrumeStorage
import Testing

@Suite struct RecentWorkTests {
  private let second: Int64 = 1_000_000_000

  @Test func `work is much beyond a bound, for its own name`() {
    var work = RecentWork()
    work.add(RecentWork.much, for: "a", now: 0)
    #expect(!work.isMuch(for: "a", now: 0))
    work.add(1, for: "a", now: 0)
    #expect(work.isMuch(for: "a", now: 0))
    #expect(!work.isMuch(for: "b", now: 0))
  }

  @Test func `work is forgotten, the sooner the less it was, and after a second at most`() {
    var work = RecentWork()
    work.add(RecentWork.much + RecentWork.forgottenPerSecond / 10, for: "little", now: 0)
    work.add(100 * second, for: "lots", now: 0)
    #expect(work.isMuch(for: "little", now: second / 20))
    #expect(!work.isMuch(for: "little", now: second / 10))
    #expect(work.isMuch(for: "lots", now: second - 1_000_000))
    #expect(!work.isMuch(for: "lots", now: second))
  }

  @Test func `who needs no more than a tenth of a processor never has brought much`() {
    var work = RecentWork()
    for tick in 0..<1000 as Range<Int64> {
      work.add(10_000_000, for: "a", now: tick * 100_000_000)
      #expect(!work.isMuch(for: "a", now: tick * 100_000_000))
    }
  }

  @Test func `no more names are remembered than a bound, and those of whom nothing is left go`() {
    var work = RecentWork()
    for name in 0..<RecentWork.names { work.add(RecentWork.most, for: "old \(name)", now: 0) }
    work.add(RecentWork.most, for: "new", now: 0)
    #expect(work.count == RecentWork.names)
    #expect(!work.isMuch(for: "new", now: 0))
    work.add(RecentWork.most, for: "new", now: 2 * second)
    #expect(work.count == 1)
    #expect(work.isMuch(for: "new", now: 2 * second))
  }

  @Test func `a clock that stands still or goes back is no trouble`() {
    var work = RecentWork()
    work.add(.max, for: "a", now: .max)
    #expect(work.isMuch(for: "a", now: 0))
    work.add(-1, for: "a", now: 0)
    #expect(work.isMuch(for: "a", now: 0))
  }
}
