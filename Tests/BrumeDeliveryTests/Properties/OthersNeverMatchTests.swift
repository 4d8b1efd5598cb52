import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

/// A change reaches subscriptions of its own container, environment and, in private databases, its own
/// user; the same condition elsewhere stays silent.
@Suite(.timeLimit(.minutes(10))) struct OthersNeverMatchTests {
  @Test(arguments: PushChannel.devices)
  func `SUB-23 subscriptions of others never match, by`(pushChannel: PushChannel) async throws {
    #expect(try await strangers(pushChannel) == [])
  }

  @Test(arguments: PushChannel.devices)
  func `a change that is logged in somebody else's database is caught, by`(pushChannel: PushChannel)
    async throws
  {
    #expect(try await strangers(pushChannel, astray: true) == ["bobs"])
  }

  /// Devices that received what they should not, or the right one if it received nothing.
  private func strangers(_ pushChannel: PushChannel, astray: Bool = false) async throws -> [String]
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("phone", pushChannel)
    try await fixture.register("bobs", pushChannel, of: fixture.bob)
    for user in [fixture.alice, fixture.bob] {
      try await fixture.subscribe("same", .created(), info: .alert(), by: user)
    }
    try await plantElsewhere(fixture)
    try await fixture.save("one")
    if astray { try await fixture.logAgain(in: fixture.bob) }
    try await fixture.notify()
    for name in ["phone", "bobs"] { try await fixture.receive(name) }
    // Whoever subscribed elsewhere has a device of the same name there.
    let elsewhere = try await places(fixture).asyncFilter { place in
      let key = DeviceKey(
        in: place.containerEnvironment, user: fixture.alice, device: DeviceID("phone"))
      return try await fixture.memory.read { try $0.mailboxes.count(of: key) } > 0
    }
    let wrong = fixture.received("bobs").isEmpty ? [] : ["bobs"]
    let missed = fixture.received("phone").count == 1 ? [] : ["phone"]
    return wrong + missed + elsewhere.map { "\($0.container) \($0.environment)" }
  }

  private func places(_ fixture: DeliveryFixture) -> [SubscriptionScope] {
    let other = ContainerID("iCloud.org.example.other")
    return [(other, Environment.development), (DeliveryFixture.container, .production)].map {
      SubscriptionScope(in: ContainerEnvironment($0, $1), scope: .private, user: fixture.alice)
    }
  }

  /// The same subscription and device in another container and in the other environment.
  private func plantElsewhere(_ fixture: DeliveryFixture) async throws {
    for scope in places(fixture) {
      let database = DatabaseKey(in: scope.containerEnvironment, owner: fixture.alice)
      let device = Device(
        key: DeviceKey(
          in: scope.containerEnvironment, user: fixture.alice,
          device: DeviceID("phone")), channel: .stream, registered: 0)
      try await fixture.memory.write(in: .all) { store in
        let origin = Origin(user: nil, device: nil, requestID: "", time: 0)
        let startPosition = try store.log.append(
          .subscription(scope, id: "same"), in: database, origin: origin)
        let subscription = Subscription(id: "same", kind: .created(), info: .alert())
        try store.subscriptions.put(
          StoredSubscription(
            scope: scope, subscription: subscription, starts: LogPositions(startPosition, in: .only)
          )
        )
        try store.devices.put(device)
      }
    }
  }
}

extension Array {
  fileprivate func asyncFilter(_ holds: (Element) async throws -> Bool) async throws -> [Element] {
    var kept: [Element] = []
    for element in self where try await holds(element) { kept.append(element) }
    return kept
  }
}
