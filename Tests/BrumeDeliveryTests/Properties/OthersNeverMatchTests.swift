import BrumeModel
import BrumeStorage
import Testing

/// A change reaches subscriptions of its own container, environment and, in private databases, its own
/// user; the same condition elsewhere stays silent.
@Suite(.timeLimit(.minutes(10))) struct OthersNeverMatchTests {
  @Test(arguments: Way.devices)
  func `SUB-23 subscriptions of others never match, by`(way: Way) async throws {
    #expect(try await strangers(way) == [])
  }

  @Test(arguments: Way.devices)
  func `a change that is logged in somebody else's database is caught, by`(way: Way) async throws {
    #expect(try await strangers(way, astray: true) == ["bobs"])
  }

  /// Devices that heard what they should not, or the right one if it heard nothing.
  private func strangers(_ way: Way, astray: Bool = false) async throws -> [String] {
    let lab = try await DeliveryLab()
    try await lab.register("phone", way)
    try await lab.register("bobs", way, of: lab.bob)
    for user in [lab.alice, lab.bob] {
      try await lab.subscribe("same", .created(), info: .alert(), by: user)
    }
    try await plantElsewhere(lab)
    try await lab.save("one")
    if astray { try await lab.logAgain(in: lab.bob) }
    try await lab.notify()
    for name in ["phone", "bobs"] { try await lab.receive(name) }
    // Whoever subscribed elsewhere has a device of the same name there.
    let elsewhere = try await places(lab).asyncFilter { place in
      let key = DeviceKey(
        container: place.container, environment: place.environment, user: lab.alice,
        device: DeviceID("phone"))
      return try await lab.memory.read { try $0.mailboxCount(key) } > 0
    }
    let wrong = lab.heard("bobs").isEmpty ? [] : ["bobs"]
    let missed = lab.heard("phone").count == 1 ? [] : ["phone"]
    return wrong + missed + elsewhere.map { "\($0.container) \($0.environment)" }
  }

  private func places(_ lab: DeliveryLab) -> [SubscriptionScope] {
    let other = ContainerID("iCloud.org.example.other")
    return [(other, Environment.development), (DeliveryLab.container, .production)].map {
      SubscriptionScope(container: $0, environment: $1, scope: .private, user: lab.alice)
    }
  }

  /// The same subscription and device in another container and in the other environment.
  private func plantElsewhere(_ lab: DeliveryLab) async throws {
    for scope in places(lab) {
      let database = DatabaseKey(
        container: scope.container, environment: scope.environment, owner: lab.alice)
      let device = Device(
        key: DeviceKey(
          container: scope.container, environment: scope.environment, user: lab.alice,
          device: DeviceID("phone")), channel: .stream, registered: 0)
      try await lab.memory.write(in: database) { store in
        let origin = Origin(user: nil, device: nil, requestID: "", time: 0)
        let birth = try store.append(
          .subscription(scope, id: "same"), in: database, origin: origin)
        let subscription = Subscription(id: "same", kind: .created(), info: .alert())
        try store.put(StoredSubscription(scope: scope, subscription: subscription, birth: birth))
        try store.put(device)
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
