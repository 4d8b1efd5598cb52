import BrumeDelivery
import Testing

@testable import BrumeServer

@Suite struct PushClockTests {
  @Test func `a time that is long past has come, whichever it is`() async throws {
    let clock = PushClock(.real)
    for time in [Int64.min, -1, 0, clock.now()] { try await clock.sleep(time) }
  }
}
