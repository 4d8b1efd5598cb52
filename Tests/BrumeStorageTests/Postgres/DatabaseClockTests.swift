// Processes whose machines show another time than their database's.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Logging
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(5))) struct DatabaseClockTests {
  private static let hour: Milliseconds = 3_600_000

  /// A process whose machine was started so many milliseconds after 1970.
  private static func time(_ start: Mutexed<Milliseconds>) -> SharedTime {
    SharedTime(machine: { start.value + PostgresStore.uptime() }, steady: PostgresStore.uptime)
  }

  @Test
  func `processes whose clocks are hours apart go by the database's, from when they are open`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let right = try DatabaseClock.shown(on: try Connection.forTest(url)) - PostgresStore.uptime()
    let (ahead, behind) = (Mutexed(right + Self.hour), Mutexed(right - Self.hour))
    let (first, second) = (Self.time(ahead), Self.time(behind))
    let stores = try [first, second].map { try PostgresStore.forTest(url: url, time: $0) }
    // Each has asked once, and knows the time as well as an answer was fast.
    for time in [first, second] {
      #expect(abs(time.now - PostgresStore.uptime() - right) < SharedTime.tolerance)
    }
    #expect(abs(first.difference - Self.hour) < SharedTime.tolerance)
    #expect(abs(second.difference + Self.hour) < SharedTime.tolerance)
    ahead.value = right - 10 * Self.hour
    #expect(abs(first.now - PostgresStore.uptime() - right) < SharedTime.tolerance)
    for store in stores { try await store.close() }
  }

  @Test func `a machine's clock that is wrong is in the log once, and once when it is right again`()
    throws
  {
    let connection = try Connection.forTest(try PostgresServer.shared.get().emptySchema())
    let right = try DatabaseClock.shown(on: connection) - PostgresStore.uptime()
    let (log, start) = (LogLines(), Mutexed(right))
    let clock = DatabaseClock(Self.time(start), log.logger)
    for wrong in [0, Self.hour, Self.hour, -Self.hour, 0, 0] {
      start.value = right + wrong
      try clock.look(on: connection)
    }
    #expect(log.all.map(\.level) == [.warning, .notice], "\(log.texts)")
    let ahead = Int64(log.all.first?.metadata["store.clock_ahead_ms"] ?? "") ?? 0
    #expect(abs(ahead - Self.hour) < SharedTime.tolerance)
  }
}
