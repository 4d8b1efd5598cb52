import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import Testing

@Suite struct EventStreamTests {
  @Test func `what waits is read in order, after the position`() async throws {
    let fixture = MailboxFixture()
    try await fixture.put("a", "b", "c")
    let all = try await fixture.stream.entries(after: 0)
    #expect(all.entries.ids == ["a", "b", "c"])
    #expect(all.isAll)
    let rest = try await fixture.stream.entries(after: all.entries[0].position)
    #expect(rest.entries.ids == ["b", "c"])
  }

  @Test func `entries stay until they are acknowledged, over any number of streams`() async throws {
    let fixture = MailboxFixture()
    try await fixture.put("a", "b")
    let first = try await fixture.stream.entries(after: 0).entries
    #expect(try await fixture.waiting() == ["a", "b"])
    try await fixture.stream.acknowledge(through: first[0].position)
    let again = try await fixture.stream.entries(after: 0).entries
    #expect(again.ids == ["b"])
    #expect(again.map(\.position) == [first[1].position])
  }

  @Test func `two acknowledgements at once leave one line a push`() async throws {
    let fixture = MailboxFixture()
    try await fixture.put("a", "b")
    let all = try await fixture.stream.entries(after: 0).entries
    let store = OvertakenStore(fixture.store) {
      try await fixture.stream.acknowledge(through: all[0].position)
    }
    let slower = EventStream(
      store: store, signals: fixture.signals, device: fixture.phone, limits: fixture.limits,
      clock: fixture.clock.push, maySend: .always)
    try await slower.acknowledge(through: all[1].position)
    #expect(try await fixture.log().map(\.notificationID).sorted() == ["a", "b"])
    #expect(try await fixture.waiting() == [])
  }

  @Test func `an entry that waits to be merged is held until it is due`() async throws {
    let fixture = MailboxFixture()
    try await fixture.put("a")
    try await fixture.put("b", due: 1000)
    let first = try await fixture.stream.entries(after: 0)
    #expect(first.entries.ids == ["a"])
    #expect(first.nextDue == fixture.clock.now + 1000)
    fixture.clock.advance(999)
    #expect(try await fixture.stream.entries(after: first.entries[0].position).entries.isEmpty)
    fixture.clock.advance(1)
    #expect(try await fixture.stream.entries(after: first.entries[0].position).entries.ids == ["b"])
  }

  @Test func `a clock that was set back holds nothing up`() async throws {
    let fixture = MailboxFixture()
    try await fixture.put("a", due: 3_600_000)
    #expect(try await fixture.stream.entries(after: 0).entries.ids == ["a"])
  }

  @Test func `a reading of large entries ends after 16 KB and says that there is more`()
    async throws
  {
    var fixture = MailboxFixture()
    fixture.padding = 4000
    try await fixture.put("a", "b", "c", "d")
    let first = try await fixture.stream.entries(after: 0)
    #expect(first.entries.ids == ["a", "b", "c"])
    #expect(!first.isAll)
    let rest = try await fixture.stream.entries(after: first.entries[2].position)
    #expect(rest.entries.ids == ["d"])
    #expect(rest.isAll)
    fixture.padding = 20_000
    try await fixture.put("e")
    let large = try await fixture.stream.entries(after: rest.entries[0].position)
    #expect(large.entries.ids == ["e"])
  }

  @Test func `a reading is bounded and says that there is more`() async throws {
    let fixture = MailboxFixture()
    for number in 0..<80 { try await fixture.put("n\(number)") }
    let first = try await fixture.stream.entries(after: 0)
    #expect(first.entries.count == 50)
    #expect(!first.isAll)
    let rest = try await fixture.stream.entries(after: first.entries[49].position)
    #expect(rest.entries.count == 30)
    #expect(rest.isAll)
  }
}
