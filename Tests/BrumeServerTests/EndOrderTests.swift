// An order to end does not depend on which server of a process runs just then.

import BrumeServer
import Testing

@Suite(.timeLimit(.minutes(5)))
struct EndOrderTests {
  @Test func `an order counts for the server that runs, and for those that come after it`()
    async throws
  {
    let end = EndOrder()
    let first = try await ServerFixture()
    try await Services.run(first.server, until: end) { _ in await end.give() }
    #expect(end.isGiven)
    // Without the order this would not return.
    let second = try await ServerFixture()
    try await Services.run(second.server, until: end) { _ in }
  }
}
