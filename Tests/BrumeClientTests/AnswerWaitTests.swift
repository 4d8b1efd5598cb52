// How long an answer may stay away, and how long it may take.

import NIOCore
import Synchronization
import Testing

@testable import BrumeClient

struct AnswerWaitTests {
  /// A server whose parts come when a wait has lasted nine seconds, and which is asked for how long was to be waited.
  private final class SlowParts: Sendable {
    private let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
    private let waits = Mutex<[TimeAmount]>([])
    private let (parts, part) = AsyncStream<Void>.makeStream()
    private let turn: AsyncStream<Void>.Continuation
    let turns: AsyncStream<Void>

    init() { (turns, turn) = AsyncStream<Void>.makeStream() }

    var waited: [TimeAmount] { waits.withLock { $0 } }

    /// - Parameter rest: what of a wait passes after its part has come.
    func wait(
      wholeTime: TimeAmount, then rest: @escaping @Sendable (TimeAmount) -> TimeAmount
    ) -> AnswerWait {
      AnswerWait(
        time: .seconds(10), wholeTime: wholeTime, now: { [self] in clock.withLock { $0 } }
      ) { [self] time in
        waits.withLock { $0.append(time) }
        clock.withLock { $0 = $0 + min(time, .seconds(9)) }
        turn.yield()
        for await _ in parts { break }
        clock.withLock { $0 = $0 + rest(time) }
      }
    }

    func next() { part.yield() }
  }

  @Test func `an answer may take as long as its parts come in time`() async throws {
    let server = SlowParts()
    let wait = server.wait(wholeTime: .hours(1)) { _ in .seconds(1) }
    let answer = try await wait.whole { arrived in
      var count = 0
      for await _ in server.turns {
        count += 1
        arrived.note()
        if count == 3 { break }
        server.next()
      }
      return count
    }
    #expect(answer == 3)
    #expect(server.waited == [.seconds(10), .seconds(9), .seconds(9)])
  }

  @Test(arguments: [(12, 10), (20, 5)])
  func `what is done with a part takes time of the whole only`(used: Int64, left: Int64)
    async throws
  {
    let clock = Mutex(NIODeadline.uptimeNanoseconds(0))
    let waits = Mutex<[TimeAmount]>([])
    let wait: PartWait? = PartWait(
      AnswerWait(time: .seconds(10), wholeTime: .seconds(25), now: { clock.withLock { $0 } }) {
        time in
        waits.withLock { $0.append(time) }
        clock.withLock { $0 = $0 + time }
      })
    clock.withLock { $0 = $0 + .seconds(used) }
    await #expect(throws: PlainFailure.outOfTime) {
      try await wait.next(orThrow: PlainFailure.outOfTime) {
        for await _ in AsyncStream<Void>.makeStream().stream {}
      }
    }
    #expect(waits.withLock { $0 } == [.seconds(left)])
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
    let server = SlowParts()
    let wait = server.wait(wholeTime: .seconds(25)) { $0 - min($0, .seconds(9)) }
    let answer: Void? = try await wait.whole { arrived in
      for await _ in server.turns {
        arrived.note()
        server.next()
      }
    }
    #expect(answer == nil)
    #expect(server.waited == [.seconds(10), .seconds(9), .seconds(6)])
  }
}
