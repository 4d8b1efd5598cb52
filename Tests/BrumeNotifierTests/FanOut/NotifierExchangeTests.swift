// How many exchanges the notifier has with an engine on the other side of a network for each look at the log, which
// it takes after every save.

import BrumeModel
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct NotifierExchangeTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  @Test(arguments: [false, true])
  func `a look at the log is one exchange, whether somebody subscribed:`(isWatched: Bool)
    async throws
  {
    let fixture = try await NotifierFixture()
    let store = CountingStore(fixture.store)
    let notifier = Notifier(
      engine: fixture.engine, store: store, host: fixture.clock.host, encode: PushPayload.encode,
      delivery: fixture.delivery)
    try await fixture.register(alice, "A", "B")
    if isWatched { try await fixture.subscribe(alice, "notes", query("Note")) }
    try await fixture.log(.created, "first", in: main, by: alice, on: "A")
    try await notifier.drain()
    _ = store.take()
    try await fixture.log(.created, "second", in: main, by: alice, on: "A")
    try await notifier.drain()
    let look = try #require(store.take().first)
    #expect(look.count == 1, "\(look.unplanned)")
    #expect(try await fixture.pending(alice, "B") == (isWatched ? ["notes", "notes"] : []))
  }
}
