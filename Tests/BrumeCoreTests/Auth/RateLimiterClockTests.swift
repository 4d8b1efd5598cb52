// A bucket follows the clock, also where it is set to another time.

import BrumeCore
import BrumeModel
import Testing

struct RateLimiterClockTests {
  private let late: Milliseconds = 36_000_000

  /// A limiter whose only caller has used up everything at `now`.
  private func exhausted(at now: Milliseconds) -> RateLimiter<Int> {
    var limiter = RateLimiter<Int>(perSecond: 10, burst: 5, maximumKeys: 10)
    while limiter.take(1, now: now) == nil {}
    return limiter
  }

  @Test func `a call comes back every tenth of a second`() {
    var limiter = exhausted(at: late)
    #expect(limiter.take(1, now: late + 50) == 0.05)
    #expect(limiter.take(1, now: late + 100) == nil)
  }

  @Test func `a clock that is set back by hours locks nobody out for hours`() {
    var limiter = exhausted(at: late)
    #expect(limiter.take(1, now: 0) == 0.1)
    #expect(limiter.take(1, now: 100) == nil)
    #expect(limiter.take(1, now: 100) == 0.1)
  }

  @Test func `a clock that is set forward gives one burst and no more`() {
    var limiter = exhausted(at: 0)
    let count = (0..<100).count(where: { _ in limiter.take(1, now: late) == nil })
    #expect(count == 5)
  }

  @Test func `a thread that looked at the clock earlier refills nothing twice`() {
    var limiter = exhausted(at: late)
    #expect(limiter.take(1, now: late - 100) != nil)
    #expect(limiter.take(1, now: late) != nil)
  }
}
