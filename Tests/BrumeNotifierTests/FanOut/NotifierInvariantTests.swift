// What the notifier rests on, checked while it runs: whoever breaks it ends the process.

import BrumeModel
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier
@testable import BrumeStorage

struct NotifierInvariantTests {
  @Test func `a cursor that goes back ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let fixture = try await NotifierFixture()
      try await fixture.register(alice, "A")
      try await fixture.subscribe(alice, "s", query("Note"))
      try await fixture.log(.created, "n", in: zone(ZoneID.defaultName, of: alice))
      let notifier = Notifier(
        engine: fixture.engine, store: BackwardStore(inner: fixture.store),
        host: fixture.clock.host, encode: PushPayload.encode, delivery: fixture.delivery)
      try await notifier.drain()
    }
    #expect(result.says("the notifier's cursor never goes back"))
  }

  @Test func `a log whose positions fall ends the process`() async {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      let fixture = try await NotifierFixture()
      let main = zone(ZoneID.defaultName, of: alice)
      var state = MemoryState(buckets: 1)
      state.buckets[0].log = [2, 1].map {
        change(.created, record("n", "Note", in: main), in: main, at: $0)
      }
      let transaction = MemoryTransaction(MemoryDraft(state, .wireForms))
      _ = try LogBatch(
        .only, after: 0, limit: 10, imageBytes: .max, hasSubscriptions: false,
        needsReaders: false, fixture.engine.permission.schemas, transaction)
    }
    #expect(result.says("positions of the log rise"))
  }

  @Test func `a memory for merging that holds nothing, or for less than no time, ends the process`()
    async
  {
    let empty = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Coalescer(window: 0, capacity: 0)
    }
    #expect(empty.says("a coalescer that may remember nothing is not a coalescer"))
    let negative = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) {
      _ = Coalescer(window: -1, capacity: 1)
    }
    #expect(negative.says("a window cannot be negative"))
  }
}

/// A store under which a fan-out seems to have ended before the log's beginning.
private struct BackwardStore: WrappingStore {
  let inner: any Store

  func write<Value: Sendable>(
    in scope: WriteScope, reading plan: ReadPlan,
    _ body: @escaping @Sendable (any WriteTransaction) throws -> Value
  ) async throws -> Value {
    let value = try await inner.write(in: scope, reading: plan, body)
    guard var outcome = value as? FanOut.Outcome else { return value }
    outcome.cursor.position = -1
    return outcome as? Value ?? value
  }
}

extension ExitTest.Result? {
  /// Whether the process ended with this sentence.
  func says(_ sentence: String) -> Bool {
    String(decoding: self?.standardErrorContent ?? [], as: UTF8.self).contains(sentence)
  }
}
