// What works without being asked waits for the store, and the log does not fill with it.

import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumeServer

@Suite struct StoreRetryTests {
  private struct Ended: Error {}

  /// Works of which each takes ten seconds and fails, one after the other.
  private static func lines(_ failures: [(count: Int, error: StoreError.Code)]) async -> [String] {
    let lines = LogLines()
    let time = Mutex<Int64>(0)
    let retry = StoreRetry(
      lines.logger, milliseconds: { time.withLock { $0 } },
      sleep: { _ in time.withLock { $0 += 2_000 } })
    var left = failures
    await #expect(throws: Ended.self) {
      try await retry.run {
        guard let next = left.first else { throw Ended() }
        time.withLock { $0 += 10_000 }
        left[0].count -= 1
        if next.count == 1 { left.removeFirst() }
        throw StoreError(next.error, "away")
      }
    }
    return lines.texts
  }

  @Test func `a store that is away for an hour is some lines, not one for each try`() async {
    let lines = await Self.lines([(300, .unreachable)])
    #expect(lines == Array(repeating: "pushes wait until the database can be reached", count: 6))
  }

  @Test func `another reason has a line of its own`() async {
    let lines = await Self.lines([
      (3, .unreachable), (3, .noRoom), (3, .notDurable), (3, .tooSlow), (3, .corrupt),
    ])
    #expect(
      lines == [
        "pushes wait until the database can be reached",
        "pushes wait until there is room in the store",
        "pushes wait until the database keeps what it confirms",
        "pushes wait until the database is fast enough",
        "pushes wait until what is stored is mended; run 'brume doctor --deep'",
      ])
  }
}
