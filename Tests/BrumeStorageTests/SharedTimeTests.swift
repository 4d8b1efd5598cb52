// The time of a store, as processes know it whose own clocks are wrong.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct SharedTimeTests {
  private static let hour: Milliseconds = 3_600_000
  /// What the store's clock shows when this machine's steady clock shows nothing.
  private static let start = ManualClock.start

  /// One process, and the clocks that it can look at.
  private struct Process {
    let steady = Mutexed<Int64>(0)
    let wrong: Mutexed<Milliseconds>
    let time: SharedTime

    /// - Parameter wrong: by how much the machine's clock is ahead.
    init(off wrong: Milliseconds) {
      let (counted, ahead) = (self.steady, Mutexed(wrong))
      self.wrong = ahead
      time = SharedTime(
        machine: { SharedTimeTests.start + counted.value + ahead.value }, steady: { counted.value })
    }

    /// Asks the store, whose clock is read after so much of so long a question.
    func learn(after way: Int64 = 0, of whole: Int64 = 0) {
      time.learn { () throws(Never) in
        steady.value += way
        let answer = SharedTimeTests.start + steady.value
        steady.value += whole - way
        return answer
      }
    }
  }

  @Test func `before the store was asked, the machine's clock counts`() {
    let process = Process(off: Self.hour)
    #expect(process.time.now == Self.start + Self.hour)
    #expect(process.time.difference == 0 && !process.time.isApart)
  }

  @Test(arguments: [Milliseconds(3_600_000), -3_600_000])
  func `a clock that is off by an hour shows the store's time`(_ wrong: Milliseconds) {
    let process = Process(off: wrong)
    process.learn()
    #expect(process.time.now == Self.start)
    #expect(process.time.difference == wrong && process.time.isApart)
  }

  @Test func `a clock that is set while the server runs changes nothing`() {
    let process = Process(off: 0)
    process.learn()
    for wrong in [Self.hour, -10 * Self.hour, 0] {
      process.wrong.value = wrong
      process.steady.value += 1000
      #expect(process.time.now == Self.start + process.steady.value)
      #expect(process.time.difference == wrong && process.time.isApart == (wrong != 0))
    }
  }

  @Test func `where the store's clock is set, the next answer counts`() {
    let process = Process(off: 0)
    process.learn()
    process.time.learn { () throws(Never) in Self.start + Self.hour }
    #expect(abs(process.time.now - Self.start - Self.hour) <= 1)
    process.time.learn { () throws(Never) in Self.start }
    #expect(abs(process.time.now - Self.start) <= 1)
  }

  @Test(arguments: [Int64(0), 4000, 8000])
  func `an answer that took seconds moves a time that is known by nothing`(_ way: Int64) {
    let process = Process(off: 0)
    process.learn(after: 1, of: 2)
    process.learn(after: way, of: 8000)
    #expect(abs(process.time.now - Self.start - process.steady.value) <= 1)
  }

  @Test func `a first answer that took long is mended by a faster one`() {
    let process = Process(off: 0)
    process.learn(after: 0, of: 8000)
    #expect(abs(process.time.now - Self.start - process.steady.value) <= 4001)
    process.learn(after: 1, of: 2)
    #expect(abs(process.time.now - Self.start - process.steady.value) <= 2)
  }

  @Test func `two seconds are no reason to look at a clock, more are`() {
    let process = Process(off: SharedTime.tolerance)
    process.learn()
    #expect(!process.time.isApart)
    process.wrong.value = -SharedTime.tolerance - 1
    #expect(process.time.isApart)
  }
}
