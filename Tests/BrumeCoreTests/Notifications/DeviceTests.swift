import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore

struct DeviceTests {
  private func devices(_ world: NotifierWorld, of user: UserID) async throws -> [Device] {
    try await world.store.read {
      try $0.devices(of: user, container: container, environment: .development)
    }
  }

  @Test func `saving a subscription registers the device`() async throws {
    let world = try await NotifierWorld()
    let caller = world.caller(alice, "phone")
    let subscription = Subscription(id: "s", kind: query("Note"), info: silent())
    _ = try await world.engine.modifySubscriptions(
      [.save(subscription)], in: .private, as: caller)
    #expect(try await devices(world, of: alice).map(\.key.device.name) == ["phone"])
    // A save that fails registers nobody.
    let refused = Subscription(id: "x", kind: query("Nothing"), info: silent())
    _ = try await world.engine.modifySubscriptions(
      [.save(refused)], in: .private, as: world.caller(alice, "tablet"))
    #expect(try await devices(world, of: alice).count == 1)
  }

  @Test func `PSH-13 a courier token has 64 hex digits and belongs to the client's device`()
    async throws
  {
    let world = try await NotifierWorld()
    let token = try await world.engine.createCourierToken(
      environment: .development, clientID: "tab", as: world.caller(alice))
    #expect(token.wholeMatch(of: /[0-9a-f]{64}/) != nil)
    let found = try await world.store.read { try $0.device(courierToken: token) }
    #expect(found?.key == device("tab", of: alice))
    // Opening a stream or saving a subscription keeps the token.
    try await world.register(alice, "tab")
    #expect(try await world.store.read { try $0.device(courierToken: token) } != nil)
  }

  @Test func `a courier token registered in another container stands for both`() async throws {
    let world = try await NotifierWorld()
    let here = world.caller(alice)
    let token = try await world.engine.createCourierToken(
      environment: .development, clientID: "tab", as: here)
    let there = Caller(
      container: ContainerID("iCloud.org.example.other"), environment: here.environment,
      user: here.user, device: here.device, kind: .user, requestID: "r")
    for _ in 0..<2 {
      try await world.engine.registerToken(
        token, environment: .development, clientID: nil, as: there)
    }
    let found = try await world.store.read { try $0.devices(courierToken: token) }
    #expect(Set(found.map(\.key.container)) == [here.container, there.container])
    #expect(found.map(\.key.device.name) == ["tab", "tab"])
  }

  @Test func `a courier token may be registered again by its owner only`() async throws {
    let world = try await NotifierWorld()
    let engine = world.engine
    let token = try await engine.createCourierToken(
      environment: .development, clientID: "tab", as: world.caller(alice))
    try await engine.registerToken(
      token, environment: .development, clientID: nil, as: world.caller(alice))
    #expect(try await devices(world, of: alice).map(\.channel) == [.courier(token: token)])
    await #expect(throws: BrumeError.self) {
      try await engine.registerToken(
        token, environment: .development, clientID: nil, as: world.caller(bob))
    }
    try await engine.registerToken(
      "abcd", environment: .production, clientID: "phone", as: world.caller(bob))
    #expect(
      try await devices(world, of: bob).map(\.channel)
        == [.apns(token: "abcd", environment: .production, topic: nil)])
  }

  @Test func `too many devices drop the oldest, never the new one`() async throws {
    let world = try await NotifierWorld { $0.devicesPerUser = 3 }
    for number in 0..<6 {
      world.clock.advance(1)
      try await world.register(alice, "d\(number)")
      try await world.register(alice, "d0")
    }
    #expect(try await devices(world, of: alice).map(\.key.device.name) == ["d0", "d4", "d5"])
  }

  @Test func `a device needs a name and a user`() async throws {
    let world = try await NotifierWorld()
    await #expect(throws: BrumeError.self) {
      try await world.engine.registerDevice(as: world.caller(alice))
    }
    await #expect(throws: BrumeError.self) {
      try await world.engine.createCourierToken(
        environment: .development, clientID: "a\u{1}", as: world.caller(alice))
    }
  }
}
