import BrumeModel
import BrumeSchema
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

/// The live service's defect of a dropped index is not ours: what is subscribed goes on.
struct ReindexTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  @Test func `SUB-22 query subscriptions work on while an index is dropped and made again`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let urgent = query("Note", [Filter(.greaterThan, .field("priority"), .int64(5))])
    try await fixture.subscribe(alice, "urgent", urgent, info: visible())
    for (number, isOn) in [(1, true), (2, false), (3, true)] {
      try await fixture.engine.schemas.setIndex(
        .queryable, on: "priority", of: "Note", to: isOn, in: development)
      for priority in [Int64(5), 9] {
        try await fixture.log(
          .created, "n\(number)-\(priority)", ["priority": .int64(priority)], in: main)
      }
      // Also a server that starts while there is no index.
      try await fixture.restarted().drain()
    }
    let received = try await fixture.mailbox(alice, "A").map { note -> String in
      guard case .query(_, let name, _, _) = note.subject else { return "" }
      return name
    }
    #expect(received == ["n1-9", "n2-9", "n3-9"])
  }

  @Test func `SUB-22 SUB-17 without the index nobody new may subscribe, with it again they may`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    let urgent = query("Note", [Filter(.equals, .field("priority"), .int64(9))])
    func set(_ isOn: Bool) async throws {
      try await fixture.engine.schemas.setIndex(
        .queryable, on: "priority", of: "Note", to: isOn, in: development)
    }
    try await set(false)
    guard case .failure(let failure) = try await fixture.subscribe(alice, "s", urgent) else {
      Issue.record("subscribed without an index")
      return
    }
    #expect(failure.error.reason.contains("priority"))
    try await set(true)
    guard case .success = try await fixture.subscribe(alice, "s", urgent) else {
      Issue.record("not subscribed with the index")
      return
    }
    try await fixture.log(.created, "n", ["priority": .int64(9)], in: main)
    try await fixture.notifier.drain()
    #expect(try await fixture.pending(alice, "A") == ["s"])
  }
}
