import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeDelivery

/// What became of a push after it was put into a mailbox: one test a verdict.
@Suite(.timeLimit(.minutes(10))) struct PushTraceTests {
  private func pushed(
    _ pushChannel: PushChannel, _ change: (inout Limits) -> Void = { _ in }
  ) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(limits: .remembering(change))
    try await fixture.register("phone", pushChannel)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n")
    try await fixture.notify()
    return fixture
  }

  private func device(
    _ fixture: DeliveryFixture, _ record: String = "n", in zone: String = DeliveryFixture.zone.name
  ) async throws -> Trace.Device {
    let trace = try await fixture.trace(record, in: zone)
    return try #require(trace.subscriptions.flatMap(\.devices).first)
  }

  @Test(arguments: PushChannel.devices)
  func `it waits, then it is taken, by`(pushChannel: PushChannel) async throws {
    let fixture = try await pushed(pushChannel)
    let before = try await device(fixture)
    #expect(before.verdict == .waiting && before.source == .judged)
    #expect(before.due == fixture.clock.now)
    let isFetching = PushChannel.fetching.contains(pushChannel)
    #expect(before.reason.contains(isFetching ? "may have it already" : "waits to be sent"))
    let sentence = try await fixture.trace("n", in: DeliveryFixture.zone.name).sentence
    #expect(!sentence.contains("did not arrive"), "nobody knows yet: \(sentence)")
    try await fixture.receive("phone")
    try await fixture.restart()
    let after = try await device(fixture)
    #expect(after.verdict == (isFetching ? .acknowledged : .sent))
    #expect(after.source == .recorded)
    #expect(after.attempts.map(\.verdict) == [.sent])
    #expect(after.attempts.map(\.status).contains(200) == (pushChannel == .apns))
    #expect(!"\(after)".contains("push.example"), "no address")
  }

  @Test func `it waits to be merged`() async throws {
    let fixture = try await silent(["n", "o"])
    // The second waits for the window of the first, which somebody has taken.
    let waiting = try await device(fixture, "o")
    #expect(waiting.verdict == .waiting && waiting.reason.contains("merged"))
    #expect((waiting.due ?? 0) > fixture.clock.now)
  }

  @Test func `it was merged into a later one`() async throws {
    let fixture = try await silent(["n", "o", "p"])
    let merged = try await device(fixture, "o")
    #expect(merged.verdict == .merged && merged.source == .recorded)
    #expect(merged.mergedInto == fixture.changes.last?.nid)
    #expect(merged.gates.first { $0.outcome == .failed }?.name == .merging)
  }

  /// Silent pushes of a zone, the first of which was taken.
  private func silent(_ names: [String]) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(limits: .remembering())
    try await fixture.register("phone", .stream)
    try await fixture.subscribe(
      "s", .zone(DeliveryFixture.zone, recordType: nil), info: .silent)
    for name in names {
      try await fixture.save(name)
      try await fixture.notify()
      if name == names.first { try await fixture.receive("phone") }
    }
    return fixture
  }

  @Test func `the mailbox was full`() async throws {
    let fixture = try await pushed(.stream) { $0.mailboxRows = 2 }
    for name in ["o", "p"] {
      try await fixture.save(name)
      try await fixture.notify()
    }
    let first = try await device(fixture)
    #expect(first.verdict == .merged && first.mergedInto == fixture.changes.last?.nid)
    #expect(first.reason.contains("'fetch everything'"))
    #expect(try await device(fixture, "p").verdict == .waiting)
    try await fixture.receive("phone")
    #expect(try await device(fixture, "p").verdict == .acknowledged)
  }

  @Test func `the other side wants it later`() async throws {
    let fixture = try await pushed(.apns)
    fixture.ends.plan([500])
    try await fixture.receive("phone")
    let retry = try await device(fixture)
    #expect(retry.verdict == .retry && retry.attempts.map(\.status) == [500])
    try await fixture.receive("phone")
    let sent = try await device(fixture)
    #expect(sent.verdict == .sent && sent.attempts.map(\.verdict) == [.retry, .sent])
  }

  @Test func `the device is gone, and is remembered`() async throws {
    let fixture = try await pushed(.apns)
    fixture.clock.advance(10_000)
    fixture.ends.plan([410])
    try await fixture.receive("phone")
    let gone = try await device(fixture)
    #expect(gone.verdict == .gone && gone.source == .recorded && gone.channel == "apns")
    #expect(gone.reason.contains("410"))
  }

  @Test func `the other side refuses it`() async throws {
    let fixture = try await pushed(.apns)
    fixture.ends.plan([400])
    try await fixture.receive("phone")
    let refused = try await device(fixture)
    #expect(refused.verdict == .refused && refused.reason.contains("status 400"))
  }

  @Test func `it waited too long`() async throws {
    let fixture = try await pushed(.apns) {
      $0.pushLifetime = 1000
    }
    fixture.clock.advance(1001)
    try await fixture.receive("phone")
    #expect(try await device(fixture).verdict == .expired)
  }

  @Test func `the right was withdrawn while it waited`() async throws {
    let fixture = try await DeliveryFixture(limits: .remembering())
    try await fixture.register("phone", .stream)
    try await setReader(fixture, true)
    try await fixture.subscribe("s", .created("Report"), in: .public, info: .alert())
    try await fixture.save("n", type: "Report", in: .public, of: fixture.bob)
    try await fixture.notify()
    try await setReader(fixture, false)
    let waiting = try await device(fixture, in: ZoneID.defaultName)
    #expect(waiting.verdict == .waiting && waiting.reason.contains("will be withdrawn"))
    try await fixture.receive("phone")
    let withdrawn = try await device(fixture, in: ZoneID.defaultName)
    #expect(withdrawn.verdict == .withdrawn && withdrawn.source == .recorded)
    #expect(withdrawn.gates.first { $0.outcome == .failed }?.name == .permission)
  }

  private func setReader(_ fixture: DeliveryFixture, _ isReader: Bool) async throws {
    try await fixture.engine.roles.set(
      "reader", of: fixture.alice, to: isReader, in: DeliveryFixture.containerEnvironment)
  }

  @Test func `a trace says that the user signed out everywhere`() async throws {
    let fixture = try await pushed(.apns)
    try await fixture.signOut(fixture.alice)
    let signedOut = try await device(fixture)
    #expect(signedOut.verdict == .signedOut && signedOut.reason.contains("registers again"))
  }

  @Test func `the device was removed with what waited for it`() async throws {
    let fixture = try await pushed(.stream)
    try await fixture.engine.devices.unregister(as: fixture.caller(fixture.alice, "phone"))
    #expect(try await device(fixture).verdict == .signedOut)
  }

  @Test func `a device that registered later was not there`() async throws {
    let fixture = try await pushed(.stream)
    try await fixture.register("tablet", .stream)
    let trace = try await fixture.trace("n", of: fixture.alice, "tablet")
    #expect(trace.deviceVerdicts == ["tablet": .signedOut])
    #expect(trace.sentence.contains("was not registered"))
  }

  @Test func `what the push log has forgotten is not known`() async throws {
    let fixture = try await pushed(.stream) { $0.pushLogRows = 2 }
    try await fixture.receive("phone")
    for name in ["o", "p"] {
      #expect(try await device(fixture).verdict != .unknown)
      try await fixture.save(name)
      try await fixture.notify()
      try await fixture.receive("phone")
    }
    let unknown = try await device(fixture)
    #expect(unknown.verdict == .unknown && unknown.source == .judged)
  }

  @Test func `a fault of a test stopped it`() async throws {
    let fixture = try await pushed(.stream)
    let key = fixture.key("phone", of: fixture.alice)
    try await fixture.memory.write(in: .all) { store in
      let entry = try #require(try store.mailboxes.entries(of: key, after: 0, limit: 1).first)
      try store.mailboxes.remove(at: entry.position, of: key)
      try store.pushLog.append(
        PushLogEntry(
          entry, of: key, by: .stream, .stopped, subject: "", now: 1, reason: "dropped"),
        limit: 9)
    }
    #expect(try await device(fixture).verdict == .stoppedByFault)
  }

  @Test func `it arrived, and the device fetched nothing`() async throws {
    let fixture = try await pushed(.stream)
    let phone = fixture.key("phone", of: fixture.alice)
    try await fixture.receive("phone")
    var question = TraceQuestion(in: DeliveryFixture.containerEnvironment)
    question.requestID = "save n"
    let fetches = LastFetches(capacity: 9, since: 0)
    fetches.note(phone, at: fixture.clock.now - 1)
    let nothing = try await fixture.trace(question, fetches: fetches)
    #expect(nothing.subscriptions[0].devices[0].verdict == .acknowledged)
    #expect(nothing.subscriptions[0].devices[0].gates.last?.outcome == .failed)
    #expect(nothing.sentence.contains("It has fetched nothing since."))
    fetches.note(phone, at: fixture.clock.now)
    let fetched = try await fixture.trace(question, fetches: fetches)
    #expect(fetched.subscriptions[0].devices[0].gates.last?.outcome == .passed)
    // A server that began later does not know.
    let later = LastFetches(capacity: 9, since: fixture.clock.now + 1)
    let unknown = try await fixture.trace(question, fetches: later)
    #expect(unknown.subscriptions[0].devices[0].gates.last?.outcome == .unknown)
  }

  @Test func `a full table of fetches forgets, and does not claim that nothing was fetched`() {
    let fetches = LastFetches(capacity: 1, since: 0)
    let keys = ["a", "b"].map {
      DeviceKey(
        in: DeliveryFixture.containerEnvironment, user: UserID("_u"), device: DeviceID($0))
    }
    fetches.note(keys[0], at: 5)
    fetches.note(keys[1], at: 7)
    #expect(fetches.fetch(by: keys[0], since: 5) == .unknown)
    #expect(fetches.fetch(by: keys[0], since: 7) == .nothing)
    #expect(fetches.fetch(by: keys[1], since: 6) == .fetched)
  }
}
