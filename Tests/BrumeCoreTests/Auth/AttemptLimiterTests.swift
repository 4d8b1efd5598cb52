// Guessing gets slower, for a name and for an address, and the memory of it is bounded.

import BrumeCore
import BrumeModel
import Testing

struct AttemptLimiterTests {
  private func limiter(_ adjust: (inout Limits) -> Void = { _ in }) -> AttemptLimiter {
    var limits = Limits.apple
    adjust(&limits)
    return AttemptLimiter(limits: limits)
  }

  /// Begins attempts until one has to wait; how many began, and the wait.
  private func attempts(
    _ limiter: inout AttemptLimiter, now: Milliseconds, name: (Int) -> String,
    address: (Int) -> String
  ) -> (count: Int, wait: Milliseconds) {
    for count in 0..<1000 {
      if let wait = limiter.begin(name: name(count), address: address(count), now: now) {
        return (count, wait)
      }
    }
    return (1000, 0)
  }

  @Test func `five attempts on a name are free, whatever addresses they come from`() {
    var limiter = limiter()
    let result = attempts(
      &limiter, now: 1000, name: { _ in "carol" }, address: { "10.0.0.\($0)" })
    #expect(result.count == 5)
    #expect(result.wait == 1000)
  }

  @Test func `twenty attempts of an address are free, whatever names they try`() {
    var limiter = limiter()
    let result = attempts(&limiter, now: 1000, name: { "u\($0)" }, address: { _ in "10.0.0.1" })
    #expect(result.count == 20)
  }

  @Test func `each further attempt waits twice as long, up to the longest pause`() {
    var limiter = limiter { $0.longestAttemptPause = 10_000 }
    var now: Milliseconds = 0
    var waits: [Milliseconds] = []
    for _ in 0..<10 {
      if let wait = limiter.begin(name: "carol", address: "a", now: now) {
        waits.append(wait)
        now += wait
        #expect(limiter.begin(name: "carol", address: "a", now: now) == nil)
      }
    }
    #expect(waits == [1000, 2000, 4000, 8000, 10_000])
  }

  @Test func `a clock that is set back by hours lengthens no pause`() {
    var limiter = limiter()
    let late: Milliseconds = 36_000_000
    _ = attempts(&limiter, now: late, name: { _ in "carol" }, address: { _ in "a" })
    #expect(limiter.begin(name: "carol", address: "a", now: late) == 1000)
    #expect(limiter.begin(name: "carol", address: "a", now: 5000) == 1000)
    #expect(limiter.begin(name: "carol", address: "a", now: 6000) == nil)
  }

  @Test func `an attempt that has to wait counts for nothing`() {
    var limiter = limiter()
    _ = attempts(&limiter, now: 0, name: { _ in "carol" }, address: { _ in "a" })
    for _ in 0..<100 { _ = limiter.begin(name: "carol", address: "a", now: 1) }
    #expect(limiter.begin(name: "carol", address: "a", now: 1000) == nil)
  }

  @Test func `the right password frees the name, and not the address`() {
    var limiter = limiter()
    for guess in 0..<19 { _ = limiter.begin(name: "victim-\(guess)", address: "a", now: 0) }
    #expect(limiter.begin(name: "mallory", address: "a", now: 0) == nil)
    limiter.succeeded(name: "mallory", address: "a")
    #expect(limiter.begin(name: "victim-20", address: "a", now: 0) == nil)
    #expect(limiter.begin(name: "victim-21", address: "a", now: 0) != nil)
  }

  @Test func `after a long quiet time all is forgotten`() {
    var limiter = limiter()
    _ = attempts(&limiter, now: 0, name: { _ in "carol" }, address: { _ in "a" })
    let later = 4 * Limits.apple.longestAttemptPause + 1
    let result = attempts(
      &limiter, now: later, name: { _ in "carol" }, address: { _ in "a" })
    #expect(result.count == 5)
  }

  @Test func `no more names and addresses are remembered than may be`() {
    var limiter = limiter { $0.watchedCallers = 50 }
    var most = 0
    for index in 0..<1000 {
      _ = limiter.begin(name: "u\(index)", address: "a\(index)", now: Milliseconds(index))
      most = max(most, limiter.remembered)
    }
    #expect(most == 50)
  }
}

struct RateLimiterTests {
  @Test func `whoever calls all of several servers in turn has no more calls than with one`() {
    var limiters = (0..<3).map { _ in
      RateLimiter<String>(perSecond: 3, burst: 30, maximumKeys: 10)
    }
    var count = 0
    for now in stride(from: Milliseconds(0), to: 10_000, by: 10) {
      for index in limiters.indices
      where limiters[index].take("a", now: now, among: 3) == nil { count += 1 }
    }
    #expect((57...60).contains(count), "\(count)")
  }

  @Test func `LIM-03 a burst passes, the next call waits for one token`() {
    var limiter = RateLimiter<String>(perSecond: 2, burst: 3, maximumKeys: 10)
    for _ in 0..<3 { #expect(limiter.take("a", now: 0) == nil) }
    #expect(limiter.take("a", now: 0) == 0.5)
    #expect(limiter.take("b", now: 0) == nil, "another caller has a bucket of his own")
  }

  @Test func `LIM-08 after the time that was named one call passes and the next waits again`()
    throws
  {
    var limiter = RateLimiter<String>(perSecond: 3, burst: 1, maximumKeys: 10)
    #expect(limiter.take("a", now: 0) == nil)
    let answer = limiter.take("a", now: 0)
    let wait = try #require(answer)
    let then = Milliseconds((wait * 1000).rounded(.up))
    #expect(limiter.take("a", now: then - 1) != nil)
    #expect(limiter.take("a", now: then) == nil)
    #expect(limiter.take("a", now: then) != nil)
  }

  @Test func `a clock that goes back gives nothing, and counts on from there`() {
    var limiter = RateLimiter<String>(perSecond: 1, burst: 1, maximumKeys: 10)
    #expect(limiter.take("a", now: 10_000) == nil)
    #expect(limiter.take("a", now: 0) == 1)
    #expect(limiter.take("a", now: 999) != nil)
    #expect(limiter.take("a", now: 1000) == nil)
  }

  @Test func `no limit is no limit and remembers nobody`() {
    var limiter = RateLimiter<Int>(perSecond: 0, burst: 1, maximumKeys: 10)
    for index in 0..<1000 { #expect(limiter.take(index % 2, now: 0) == nil) }
    #expect(limiter.remembered == 0)
  }

  @Test func `whoever has used up most is remembered longest`() {
    var limiter = RateLimiter<Int>(perSecond: 1, burst: 5, maximumKeys: 10)
    for _ in 0..<5 { _ = limiter.take(0, now: 0) }
    for key in 1..<100 {
      _ = limiter.take(key, now: 0)
      #expect(limiter.remembered <= 10)
    }
    #expect(limiter.take(0, now: 0) != nil)
  }
}
