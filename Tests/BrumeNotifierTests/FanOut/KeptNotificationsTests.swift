import BrumeModel
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct KeptNotificationsTests {
  private let main = zone(ZoneID.defaultName, of: alice)

  @Test func `PSH-17 kept notifications come in pages, and read ones come again as read`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: visible())
    for number in 0..<5 { try await fixture.log(.created, "n\(number)", in: main) }
    try await fixture.notifier.drain()
    let (engine, caller) = (fixture.engine, fixture.caller(alice))
    let first = try await engine.notifications.kept(
      token: nil, limit: 3, as: caller, decode: PushPayload.decode)
    #expect(first.items.count == 3 && first.moreComing)
    let second = try await engine.notifications.kept(
      token: first.token, limit: 3, as: caller, decode: PushPayload.decode)
    #expect(second.items.count == 2 && !second.moreComing)
    let id = first.items[1].id
    let (known, unknown) = (KeptNotificationID(id), KeptNotificationID("nobody"))
    #expect(try await engine.notifications.markRead([known, unknown], as: caller) == [known])
    let third = try await engine.notifications.kept(
      token: second.token, limit: 3, as: caller, decode: PushPayload.decode)
    #expect(third.items.map(\.id) == [id])
    #expect(third.items.map(\.isRead) == [true])
    let fourth = try await engine.notifications.kept(
      token: third.token, limit: 3, as: caller, decode: PushPayload.decode)
    #expect(fourth.items.isEmpty && !fourth.moreComing)
  }

  @Test
  func `PSH-17 marking one of a change's notifications read leaves those of other subscriptions`()
    async throws
  {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: visible())
    try await fixture.subscribe(alice, "t", query("Note", on: [.create]), info: visible())
    try await fixture.log(.created, "n", in: main)
    try await fixture.notifier.drain()
    let (engine, caller) = (fixture.engine, fixture.caller(alice))
    func kept() async throws -> [KeptNotification] {
      try await engine.notifications.kept(
        token: nil, limit: nil, as: caller, decode: PushPayload.decode
      ).items
    }
    let both = try await kept()
    #expect(both.map(\.subscriptionID).sorted() == ["s", "t"] && Set(both.map(\.id)).count == 1)
    let one = KeptNotificationID(try #require(both.first).id, subscriptionID: "t")
    #expect(try await engine.notifications.markRead([one], as: caller) == [one])
    #expect(try await kept().filter(\.isRead).map(\.subscriptionID) == ["t"])
  }

  @Test func `PSH-17 of a user so many are kept, the newest`() async throws {
    let fixture = try await NotifierFixture { $0.keptNotifications = 2 }
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"), info: visible())
    func kept() async throws -> [String] {
      try await fixture.notifier.drain()
      return try await fixture.engine.notifications.kept(
        token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode
      ).items.map(\.id)
    }
    for number in 0..<2 { try await fixture.log(.created, "n\(number)", in: main) }
    let both = try await kept()
    #expect(both.count == 2)
    try await fixture.log(.created, "n2", in: main)
    let newest = try await kept()
    #expect(newest.count == 2 && newest.first == both.last && newest.last != both.last)
  }

  private static let title = String(repeating: "long ", count: 100)

  /// After a change with a long text that a push has to leave out.
  private func notifiedOfLongText(
    _ change: (inout Limits) -> Void = { _ in }
  ) async throws -> (fixture: NotifierFixture, kept: [UInt8]) {
    let fixture = try await NotifierFixture {
      $0.payloadBytes = 400
      change(&$0)
    }
    try await fixture.register(alice, "A")
    var info = silent()
    info.desiredKeys = ["title"]
    try await fixture.subscribe(alice, "s", query("Note"), info: info)
    try await fixture.log(.created, "n", ["title": .string(Self.title)], in: main)
    try await fixture.notifier.drain()
    let page = try await fixture.engine.notifications.kept(
      token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode)
    return (fixture, try #require(page.items.first).payload)
  }

  /// A notification with a long text, kept in so many bytes.
  private func kept(upTo most: Int) async throws -> (bytes: Int, isPruned: Bool) {
    let payload = try await notifiedOfLongText { $0.keptPayloadBytes = most }.kept
    return (payload.count, try PushPayload.decode(payload).isPruned)
  }

  @Test func `a kept notification has so many bytes and no more`() async throws {
    let whole = try await kept(upTo: 65_536)
    #expect(!whole.isPruned && whole.bytes > 500)
    #expect(try await !kept(upTo: whole.bytes).isPruned)
    #expect(try await kept(upTo: whole.bytes - 1).isPruned)
  }

  @Test func `PSH-20 a kept notification holds desired keys that the push had to leave out`()
    async throws
  {
    let (fixture, payload) = try await notifiedOfLongText()
    let push = try #require(try await fixture.mailbox(alice, "A").first)
    #expect(push.isPruned)
    let kept = try PushPayload.decode(payload)
    #expect(!kept.isPruned)
    guard case .query(_, _, _, let fields) = kept.subject else {
      Issue.record("not a query notification")
      return
    }
    #expect(fields == ["title": .string(Self.title)])
  }

  @Test func `another user's token is expired, and so is one made for something else`() async throws
  {
    let fixture = try await NotifierFixture()
    let page = try await fixture.engine.notifications.kept(
      token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode)
    for (token, user) in [(page.token, bob), ("nonsense", alice)] {
      await #expect {
        try await fixture.engine.notifications.kept(
          token: token, limit: nil, as: fixture.caller(user), decode: PushPayload.decode)
      } throws: { ($0 as? BrumeError)?.code == .changeTokenExpired }
    }
  }

  @Test func `a user's own change on the only device is not kept as news`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.register(alice, "A")
    try await fixture.subscribe(alice, "s", query("Note"))
    try await fixture.log(.created, "n", in: main, by: alice, on: "A")
    try await fixture.notifier.drain()
    let page = try await fixture.engine.notifications.kept(
      token: nil, limit: nil, as: fixture.caller(alice), decode: PushPayload.decode)
    #expect(page.items.isEmpty)
  }

  @Test func `a badge out of range is refused`() async throws {
    let fixture = try await NotifierFixture()
    for value in [-1, Int(Int32.max) + 1] {
      await #expect(throws: BrumeError.self) {
        try await fixture.engine.notifications.setBadge(value, as: fixture.caller(alice))
      }
    }
  }
}
