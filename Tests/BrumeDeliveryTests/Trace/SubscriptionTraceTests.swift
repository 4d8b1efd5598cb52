import BrumeModel
import BrumeNotifier
import BrumeStorage
import Testing

@testable import BrumeCore

/// Why a subscription did not fire: one test a reason, in which nothing else is in the way.
@Suite(.timeLimit(.minutes(10))) struct SubscriptionTraceTests {
  private func prepared(
    _ change: (inout Limits) -> Void = { _ in }
  ) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(limits: .remembering(change))
    try await fixture.register("phone", .stream)
    return fixture
  }

  @Test func `a trace says that all devices got the push`() async throws {
    let fixture = try await prepared()
    try await fixture.register("tablet", .apns)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n")
    try await fixture.notify()
    for device in ["phone", "tablet"] { try await fixture.receive(device) }
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .fired])
    #expect(trace.deviceVerdicts == ["phone": .acknowledged, "tablet": .sent])
    #expect(trace.subscriptions.map(\.source) == [.recorded])
    let gates = trace.subscriptions.flatMap { $0.gates + $0.devices.flatMap(\.gates) }
    #expect(gates.allSatisfy { $0.outcome == .passed || $0.name == .fetch })
    #expect(trace.sentence.hasPrefix("All 2 devices got a push for record 'n'"))
    #expect(trace.change?.request == "save n" && trace.change?.device == "laptop")
    #expect(trace.change?.notification == fixture.changes.last?.nid)
  }

  @Test func `so many subscriptions are described, and that there are more is said`() async throws {
    let fixture = try await prepared { $0.describedSubscriptions = 2 }
    try await fixture.subscribe("a", .created(), info: .alert())
    try await fixture.subscribe("b", .created(or: [.update]), info: .alert())
    try await fixture.save("n")
    try await fixture.notify()
    let whole = try await fixture.trace("n")
    #expect(whole.subscriptions.count == 2 && whole.isComplete)
    try await fixture.subscribe("c", .created(or: [.delete]), info: .alert())
    try await fixture.save("m")
    try await fixture.notify()
    let part = try await fixture.trace("m")
    #expect(part.subscriptions.count == 2 && !part.isComplete)
  }

  @Test func `so many changes of a record are named`() async throws {
    let fixture = try await prepared { $0.tracedChanges = 2 }
    try await fixture.save("n")
    try await fixture.delete("n", in: .private, of: fixture.alice)
    #expect(try await fixture.trace("n").others.count == 1)
    try await fixture.save("n")
    let trace = try await fixture.trace("n")
    #expect(trace.change?.kind == .created && trace.others.map(\.kind) == [.deleted])
  }

  @Test func `a subscription that was saved later does not fire`() async throws {
    let fixture = try await prepared()
    try await fixture.save("n")
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.notify()
    let trace = try await fixture.trace("n", of: fixture.alice, "phone")
    #expect(trace.verdicts == ["s": .createdLater])
    #expect(trace.failedGate("s") == .start)
    #expect(trace.subscriptions.map(\.source) == [.judged])
    #expect(trace.sentence.contains("alice's device 'phone' was not notified of record 'n'"))
  }

  @Test func `a change of another kind does not fire it`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n")
    try await fixture.delete("n", in: .private, of: fixture.alice)
    try await fixture.notify()
    let trace = try await fixture.trace("n")
    #expect(trace.change?.kind == .deleted)
    #expect(trace.verdicts == ["s": .event])
    #expect(trace.others.map(\.kind) == [.created])
  }

  @Test func `a record for which a condition does not hold names the field, without values`()
    async throws
  {
    let fixture = try await prepared()
    let wanted = Filter(.equals, .field("title"), .string("secret wish"))
    try await fixture.subscribe(
      "s",
      .query(
        Query(recordType: "Note", filters: [wanted]), zone: nil, firesOn: [.create],
        firesOnce: false), info: .alert())
    try await fixture.save("n", "secret title")
    try await fixture.notify()
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .condition])
    #expect(trace.subscriptions.first?.reason.contains("'title'") == true)
    #expect(!"\(trace)".contains("secret"))
  }

  /// The record is gone, and with it what a condition could be judged on, had the log not kept it.
  @Test func `the image of a deleted record is judged, also after a restart`() async throws {
    let fixture = try await prepared()
    let wanted = Filter(.equals, .field("title"), .string("other"))
    try await fixture.subscribe(
      "s",
      .query(
        Query(recordType: "Note", filters: [wanted]), zone: nil, firesOn: [.delete],
        firesOnce: false), info: .alert())
    try await fixture.subscribe("all", .database(recordType: nil), info: .alert())
    try await fixture.save("n", "title")
    try await fixture.delete("n", in: .private, of: fixture.alice)
    try await fixture.notify()
    try await fixture.restart()
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .condition, "all": .fired])
    #expect(trace.subscriptions.last?.reason.contains("of the change") == true)
  }

  @Test func `what watches something else is counted, and shown for its user`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe(
      "zone", .zone(ZoneID(name: "Notes"), recordType: "Report"), info: .alert())
    try await fixture.subscribe("type", .created("Report"), info: .alert())
    try await fixture.subscribe("public", .created(), in: .public, info: .alert())
    try await fixture.save("n")
    try await fixture.notify()
    let everybody = try await fixture.trace("n")
    #expect(everybody.verdicts == [:])
    #expect(everybody.notCandidates == 3)
    #expect(everybody.sentence.contains("no subscription watches it"))
    let alice = try await fixture.trace("n", of: fixture.alice)
    #expect(alice.verdicts == ["zone": .recordType, "type": .recordType, "public": .zone])
    #expect(alice.failedGate("public") == .database)
    let bob = try await fixture.trace("n", of: fixture.bob)
    #expect(bob.sentence.contains("bob has no subscription"))
    let phone = try await fixture.trace("n", of: fixture.bob, "phone")
    #expect(phone.sentence.contains("bob's device 'phone' was not notified"))
    #expect(phone.sentence.hasSuffix("bob has no subscription."), "\(phone.sentence)")
  }

  @Test func `a zone subscription of another zone, nearest miss first`() async throws {
    let fixture = try await prepared()
    _ = try await fixture.engine.zones.modify(
      [ZoneOperation(.create, ZoneID(name: "Other"))], in: .private,
      as: fixture.caller(fixture.alice, nil))
    try await fixture.subscribe("far", .created("Report"), info: .alert())
    try await fixture.subscribe(
      "near", .zone(ZoneID(name: "Other"), recordType: nil), info: .alert())
    try await fixture.save("n")
    try await fixture.notify()
    let trace = try await fixture.trace("n", of: fixture.alice)
    #expect(trace.subscriptions.map(\.subscription) == ["near", "far"])
    #expect(trace.subscriptions.map(\.verdict) == [.zone, .recordType])
  }

  @Test func `whoever may not read the record is not notified`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created("Report"), in: .public, info: .alert())
    try await fixture.save("r", type: "Report", in: .public, of: fixture.bob)
    try await fixture.notify()
    let trace = try await fixture.trace("r", in: ZoneID.defaultName)
    #expect(trace.verdicts == ["s": .noRight])
    #expect(trace.failedGate("s") == .right)
    #expect(trace.subscriptions.map(\.source) == [.recorded])
    // Not asked: the question of the writer comes after that of the right.
    #expect(trace.subscriptions.first?.gates.last?.outcome == .notAsked)
  }

  @Test func `the only device of its user made the change`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n", by: "phone")
    try await fixture.notify()
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .ownWriter])
    #expect(trace.failedGate("s") == .writer)
  }

  @Test func `the device that made the change is named among those that got it`() async throws {
    let fixture = try await prepared()
    try await fixture.register("laptop", .stream)
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n", by: "laptop")
    try await fixture.notify()
    let trace = try await fixture.trace("n", of: fixture.alice, "laptop")
    #expect(trace.deviceVerdicts == ["laptop": .ownWriter])
    #expect(trace.sentence.contains("did not arrive: this device made the change"))
  }

  @Test func `a trace says that a user has no device`() async throws {
    let fixture = try await DeliveryFixture(limits: .remembering())
    try await fixture.subscribe("s", .created(), in: .public, info: .alert())
    try await fixture.save("n", in: .public, of: fixture.bob)
    try await fixture.notify()
    let trace = try await fixture.trace("n", in: ZoneID.defaultName)
    #expect(trace.verdicts == ["s": .noDevice])
  }

  @Test func `a change that was not served yet is pending`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n")
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .pending])
    #expect(trace.subscriptions.map(\.source) == [.judged])
  }

  @Test func `of a change that was not served, what was passed before a failure is said`()
    async throws
  {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n", by: "phone")
    let trace = try await fixture.trace("n")
    #expect(trace.verdicts == ["s": .ownWriter])
    let judgement = try #require(trace.subscriptions.first)
    #expect(judgement.source == .judged && judgement.gates.last?.outcome == .failed)
    #expect(judgement.gates.last?.fact == judgement.reason)
    #expect(judgement.gates.dropLast().allSatisfy { $0.outcome == .passed })
  }

  @Test func `a change is found by its request and by its position`() async throws {
    let fixture = try await prepared()
    try await fixture.subscribe("s", .created(), info: .alert())
    try await fixture.save("n")
    try await fixture.save("o")
    try await fixture.notify()
    var byRequest = TraceQuestion(in: DeliveryFixture.containerEnvironment)
    byRequest.requestID = "save n"
    let first = try await fixture.trace(byRequest)
    #expect(first.change?.record == "n")
    var byPosition = TraceQuestion(in: DeliveryFixture.containerEnvironment)
    byPosition.change = (.only, fixture.changes[0].position)
    #expect(try await fixture.trace(byPosition) == first)
    // Without anything it is about the newest change.
    let newest = try await fixture.trace(TraceQuestion(in: DeliveryFixture.containerEnvironment))
    #expect(newest.change?.record == "o")
    // A change of another environment is none.
    var foreign = TraceQuestion(in: ContainerEnvironment(DeliveryFixture.container, .production))
    foreign.change = byPosition.change
    #expect(try await fixture.trace(foreign).change == nil)
  }
}

/// How much is remembered, and for how long.
@Suite struct HistoryBoundTests {
  private func saved(
    _ names: [String], _ change: (inout Limits) -> Void
  ) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(limits: .remembering(change))
    try await fixture.register("phone", .stream)
    try await fixture.subscribe("s", .created(), info: .alert())
    for name in names {
      try await fixture.save(name)
      try await fixture.notify()
    }
    return fixture
  }

  @Test func `as many changes as the bound says are remembered, and no more`() async throws {
    let full = try await saved(["a", "b", "c"]) { $0.historyRows = 3 }
    #expect(try await full.trace("a").verdicts == ["s": .fired])
    let over = try await saved(["a", "b", "c", "d"]) { $0.historyRows = 3 }
    #expect(try await over.trace("a").change == nil)
    #expect(try await over.trace("b").verdicts == ["s": .fired])
  }

  @Test func `as many deliveries as the bound says are remembered, and no more`() async throws {
    func rows(_ count: Int) async throws -> Int {
      let names = (0..<count).map { "n\($0)" }
      let fixture = try await saved(names) { $0.historyRows = 3 }
      return try await fixture.memory.read {
        try $0.history.served(after: 0, in: .only, limit: 99).reduce(0) { $0 + $1.deliveries }
      }
    }
    #expect(try await rows(3) == 3)
    #expect(try await rows(4) == 3)
  }

  @Test func `what is older than the age is not answered, and goes with the next push`()
    async throws
  {
    let fixture = try await saved(["a"]) { $0.historyAge = 60_000 }
    fixture.clock.advance(60_000)
    #expect(try await fixture.trace("a").verdicts == ["s": .fired])
    fixture.clock.advance(1)
    let trace = try await fixture.trace("a")
    #expect(trace.change == nil)
    #expect(trace.sentence.contains("No change of record 'a'"))
    try await fixture.save("b")
    try await fixture.notify()
    let (log, history) = try await fixture.memory.read {
      (
        try $0.log.entries(in: .only, after: 0, limit: 99),
        try $0.history.served(after: 0, in: .only, limit: 99)
      )
    }
    #expect(log.count == 1 && history.count == 1)
  }

  @Test func `a history that is switched off forgets what there was, and says so`() async throws {
    let fixture = try await saved(["a"]) { _ in }
    var limits = fixture.limits
    limits.historyAge = 0
    let off = limits
    let engine = try await Engine(store: fixture.store, limits: off, host: .still(fixture.clock))
    let notifier = Notifier(
      engine: engine, store: fixture.store, host: .still(fixture.clock), encode: { _ in [] },
      delivery: NoDelivery())
    try await fixture.save("b")
    try await notifier.drain()
    let rows = try await fixture.memory.read { store in
      try store.log.entries(in: .only, after: 0, limit: 9).count
        + store.history.served(after: 0, in: .only, limit: 9).count
    }
    #expect(rows == 0)
    let tracing = Tracing(engine) { push, _ in
      Trace.Device(
        device: push.device.device.name, channel: nil, verdict: .unknown, reason: "",
        source: .judged)
    }
    let trace = try await fixture.store.read {
      try tracing.trace(
        TraceQuestion(in: DeliveryFixture.containerEnvironment), now: 0, in: $0)
    }
    #expect(trace.sentence.contains("the history is off"))
  }

  @Test func `the state of a large record is not kept, and is judged as it is now`() async throws {
    let fixture = try await DeliveryFixture(limits: .remembering { $0.historyImageBytes = 100 })
    try await fixture.register("phone", .stream)
    let wanted = Filter(.equals, .field("title"), .string("other"))
    try await fixture.subscribe(
      "s",
      .query(
        Query(recordType: "Note", filters: [wanted]), zone: nil, firesOn: [.create],
        firesOnce: false), info: .alert())
    try await fixture.subscribe("all", .database(recordType: nil), info: .alert())
    try await fixture.save("n", String(repeating: "x", count: 200))
    try await fixture.notify()
    let reason = try await fixture.trace("n").subscriptions.last?.reason ?? ""
    #expect(reason.contains("as it is now"))
    try await fixture.delete("n", in: .private, of: fixture.alice)
    var first = TraceQuestion(in: DeliveryFixture.containerEnvironment)
    first.change = (.only, fixture.changes[0].position)
    #expect(try await fixture.trace(first).verdicts["s"] == .unknown)
  }
}

/// Nobody is notified.
private struct NoDelivery: EntryDelivery {
  func connectedDevices(of users: Set<UserID>) -> [UserID: Set<DeviceKey>] { [:] }
  func deliver(_ new: NewEntries) {}
}

extension Host {
  fileprivate static func still(_ clock: ManualClock) -> Host {
    Host(
      now: { clock.now }, uuid: { "UUID" }, randomBytes: { Array(repeating: 5, count: $0) })
  }
}
