import BrumeModel
import BrumeStorage
import BrumeTestKit
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct DeviceTests {
  private func devices(_ fixture: NotifierFixture, of user: UserID) async throws -> [Device] {
    try await fixture.store.read {
      try $0.devices.all(of: user, in: development)
    }
  }

  @Test func `saving a subscription registers the device`() async throws {
    let fixture = try await NotifierFixture()
    let caller = fixture.caller(alice, "phone")
    let subscription = Subscription(id: "s", kind: query("Note"), info: silent())
    _ = try await fixture.engine.subscriptions.modify(
      [.save(subscription)], in: .private, as: caller)
    #expect(try await devices(fixture, of: alice).map(\.key.device.name) == ["phone"])
    // A save that fails registers nobody.
    let refused = Subscription(id: "x", kind: query("Nothing"), info: silent())
    _ = try await fixture.engine.subscriptions.modify(
      [.save(refused)], in: .private, as: fixture.caller(alice, "tablet"))
    #expect(try await devices(fixture, of: alice).count == 1)
  }

  @Test func `PSH-13 a courier token has 64 hex digits and belongs to the client's device`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let token = try await fixture.engine.devices.createCourierToken(
      environment: .development, clientID: "tab", as: fixture.caller(alice))
    #expect(token.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    let found = try await fixture.store.read { try $0.devices.all(courierToken: token) }
    #expect(found.map(\.key) == [device("tab", of: alice)])
    // Opening a stream or saving a subscription keeps the token.
    try await fixture.register(alice, "tab")
    #expect(try await fixture.store.read { try $0.devices.all(courierToken: token).count } == 1)
  }

  @Test func `PSH-13 a courier token for another environment than the request's is refused`()
    async throws
  {
    let fixture = try await NotifierFixture()
    let error = try await ruleFailure {
      try await fixture.engine.devices.createCourierToken(
        environment: .production, clientID: "tab", as: fixture.caller(alice))
    }
    #expect(error.code == .badRequest)
    for part in ["'apnsEnvironment' is production", "development environment", "name that one"] {
      #expect(error.reason.contains(part), "\(error.reason)")
    }
    #expect(try await devices(fixture, of: alice).isEmpty)
  }

  @Test func `a courier token registered in another container stands for both`() async throws {
    let fixture = try await NotifierFixture()
    let here = fixture.caller(alice)
    let token = try await fixture.engine.devices.createCourierToken(
      environment: .development, clientID: "tab", as: here)
    let there = Caller(
      in: ContainerEnvironment(ContainerID("iCloud.org.example.other"), here.environment),
      user: here.user, device: here.device, kind: .user, requestID: "r")
    for _ in 0..<2 {
      try await fixture.engine.devices.registerToken(
        token, environment: .development, clientID: nil, as: there)
    }
    let found = try await fixture.store.read { try $0.devices.all(courierToken: token) }
    #expect(Set(found.map(\.key.container)) == [here.container, there.container])
    #expect(found.map(\.key.device.name) == ["tab", "tab"])
  }

  @Test func `a courier token may be registered again by its owner only`() async throws {
    let fixture = try await NotifierFixture()
    let engine = fixture.engine
    let token = try await engine.devices.createCourierToken(
      environment: .development, clientID: "tab", as: fixture.caller(alice))
    try await engine.devices.registerToken(
      token, environment: .development, clientID: nil, as: fixture.caller(alice))
    #expect(try await devices(fixture, of: alice).map(\.channel) == [.courier(token: token)])
    await #expect(throws: BrumeError.self) {
      try await engine.devices.registerToken(
        token, environment: .development, clientID: nil, as: fixture.caller(bob))
    }
    try await engine.devices.registerToken(
      "abcd", environment: .production, clientID: "phone", as: fixture.caller(bob))
    #expect(
      try await devices(fixture, of: bob).map(\.channel)
        == [.apns(token: "abcd", environment: .production, topic: nil)])
  }

  @Test func `signing out forgets addresses and keeps devices`() async throws {
    let fixture = try await NotifierFixture()
    let engine = fixture.engine
    try await fixture.store.write(in: .all) { try $0.users.put(User(id: alice, name: "alice")) }
    try await engine.devices.registerToken(
      "abcd", environment: .production, clientID: "phone", as: fixture.caller(alice))
    _ = try await engine.devices.createCourierToken(
      environment: .development, clientID: "tab", as: fixture.caller(alice))
    try await engine.accounts.signOutEverywhere(alice)
    #expect(try await devices(fixture, of: alice).map(\.channel) == [.stream, .stream])
    #expect(try await fixture.store.read { try $0.devices.all(address: "abcd") } == [])
  }

  @Test func `N11 a registration under way when its user signs out is refused`() async throws {
    let fixture = try await NotifierFixture()
    try await fixture.store.write(in: .all) { try $0.users.put(User(id: alice, name: "alice")) }
    let epoch = try await fixture.store.read { try $0.users.find(alice)?.tokenEpoch }
    let plain = fixture.caller(alice)
    let caller = Caller(
      in: plain.containerEnvironment, user: alice, device: nil,
      kind: .user, epoch: epoch, requestID: "r")
    try await fixture.engine.devices.registerToken(
      "abcd", environment: .production, clientID: "phone", as: caller)
    try await fixture.engine.accounts.signOutEverywhere(alice)
    await #expect(throws: BrumeError.self) {
      try await fixture.engine.devices.registerToken(
        "abcd", environment: .production, clientID: "phone", as: caller)
    }
    #expect(try await devices(fixture, of: alice).map(\.channel) == [.stream])
  }

  @Test func `a test push fits the channels, and no mailbox grows beyond its bound by it`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.mailboxRows = 3 }
    try await fixture.register(alice, "A")
    func send() async throws -> TestPushes.Sent {
      let pushes = fixture.engine.testPushes
      let push = pushes.compose(
        String(repeating: "\u{1}", count: 5000), to: alice, in: development,
        encode: PushPayload.encode)
      return try await pushes.send(push, to: alice, in: development, requestID: "r")
    }
    for _ in 0..<3 { #expect(try await send().devices == [device("A", of: alice)]) }
    let late = try await send()
    #expect(late.devices == [] && late.full == 1)
    let entries = try await fixture.entries(device("A", of: alice))
    #expect(entries.count == 3)
    #expect(Set(entries.map(\.notificationID)).count == 3)
    #expect(entries.allSatisfy { $0.payload.count <= 4096 && $0.requestID == "r" })
  }

  @Test func `too many devices drop the oldest, never the new one`() async throws {
    let fixture = try await NotifierFixture { $0.devicesPerUser = 3 }
    for number in 0..<6 {
      fixture.clock.advance(1)
      try await fixture.register(alice, "d\(number)")
      try await fixture.register(alice, "d0")
    }
    #expect(try await devices(fixture, of: alice).map(\.key.device.name) == ["d0", "d4", "d5"])
  }

  @Test func `pages that are loaded again and again drop their own old tokens, and no phone`()
    async throws
  {
    let fixture = try await NotifierFixture { $0.devicesPerUser = 3 }
    try await fixture.register(alice, "phone")
    for number in 0..<6 {
      fixture.clock.advance(1)
      _ = try await fixture.engine.devices.createCourierToken(
        environment: .development, clientID: "page\(number)", as: fixture.caller(alice))
    }
    #expect(
      try await devices(fixture, of: alice).map(\.key.device.name) == ["page4", "page5", "phone"])
  }

  @Test func `a device needs a name and a user`() async throws {
    let fixture = try await NotifierFixture()
    await #expect(throws: BrumeError.self) {
      try await fixture.engine.devices.register(as: fixture.caller(alice))
    }
    await #expect(throws: BrumeError.self) {
      try await fixture.engine.devices.createCourierToken(
        environment: .development, clientID: "a\u{1}", as: fixture.caller(alice))
    }
  }
}
