// How long an answer may stay away, and how long it may take.

import NIOCore
import Synchronization
import Testing

@testable import BrumeClient

struct AnswerWaitTests {
  @Test func `an answer may take as long as its parts come in time`() async throws {
    let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
    let waits = Mutex<[TimeAmount]>([])
    let (turns, turn) = AsyncStream<Void>.makeStream()
    let (parts, part) = AsyncStream<Void>.makeStream()
    let now = { @Sendable in clock.withLock { $0 } }
    let wait = AnswerWait(time: .seconds(10), wholeTime: .hours(1), now: now) { time in
      waits.withLock { $0.append(time) }
      clock.withLock { $0 = $0 + .seconds(9) }
      turn.yield()
      for await _ in parts { break }
      clock.withLock { $0 = $0 + .seconds(1) }
    }
    let answer = try await wait.whole { arrived in
      var count = 0
      for await _ in turns {
        count += 1
        arrived.note()
        if count == 3 { break }
        part.yield()
      }
      return count
    }
    #expect(answer == 3)
    #expect(waits.withLock { $0 } == [.seconds(10), .seconds(9), .seconds(9)])
  }

  @Test func `an answer that never begins is none, and its call is cancelled`() async throws {
    let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
    let now = { @Sendable in clock.withLock { $0 } }
    let wait = AnswerWait(time: .seconds(10), wholeTime: .hours(1), now: now) { time in
      clock.withLock { $0 = $0 + time }
    }
    let answer = try await wait.whole { _ in
      for await _ in AsyncStream<Void>.makeStream().stream {}
      return Task.isCancelled
    }
    #expect(answer == nil)
  }

  @Test func `an answer that goes on ends with the time for the whole, whatever comes`()
    async throws
  {
    let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
    let waits = Mutex<[TimeAmount]>([])
    let (turns, turn) = AsyncStream<Void>.makeStream()
    let (parts, part) = AsyncStream<Void>.makeStream()
    let now = { @Sendable in clock.withLock { $0 } }
    let wait = AnswerWait(time: .seconds(10), wholeTime: .seconds(25), now: now) { time in
      waits.withLock { $0.append(time) }
      let most = min(time, .seconds(9))
      clock.withLock { $0 = $0 + most }
      turn.yield()
      for await _ in parts { break }
      clock.withLock { $0 = $0 + (time - most) }
    }
    let answer: Void? = try await wait.whole { arrived in
      for await _ in turns {
        arrived.note()
        part.yield()
      }
    }
    #expect(answer == nil)
    #expect(waits.withLock { $0 } == [.seconds(10), .seconds(9), .seconds(6)])
  }
}
