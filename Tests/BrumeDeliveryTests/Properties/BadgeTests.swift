import BrumeCore
import BrumeModel
import Testing

/// The badge counts each user's own pushes that ask for it, on all of the user's devices alike, and goes
/// on from what the app set (`CKModifyBadgeOperation`).
@Suite(.timeLimit(.minutes(10))) struct BadgeTests {
  enum Fault: Sendable { case resetOfAnother, resetForgotten }

  @Test(arguments: PushChannel.devices)
  func `PSH-16 the badge counts right for each user and is reset, by`(pushChannel: PushChannel)
    async throws
  {
    #expect(try await violations(pushChannel) == [])
  }

  @Test(arguments: [Fault.resetOfAnother, .resetForgotten])
  func `a reset that reaches another user, or nobody, is caught`(fault: Fault) async throws {
    #expect(try await !violations(.stream, fault).isEmpty)
  }

  private func violations(_ pushChannel: PushChannel, _ fault: Fault? = nil) async throws
    -> [String]
  {
    let fixture = try await DeliveryFixture()
    let owners = ["phone": fixture.alice, "tablet": fixture.alice, "bobs": fixture.bob]
    for (name, user) in owners.sorted(by: { $0.key < $1.key }) {
      try await fixture.register(name, pushChannel, of: user)
    }
    var counting = NotificationInfo.alert()
    counting.shouldBadge = true
    for user in [fixture.alice, fixture.bob] {
      try await fixture.subscribe("counts", .created(), info: counting, by: user)
      let plain = Subscription.Kind.query(
        Query(recordType: "Note"), zone: nil, firesOn: [.create, .update], firesOnce: false)
      try await fixture.subscribe("plain", plain, info: .alert(), by: user)
    }
    // What should be seen, step by step: saves by their owner, resets by alice.
    for (step, number) in [(fixture.alice, 1), (fixture.alice, 2), (fixture.bob, 3)] {
      try await fixture.save("n\(number)", of: step)
    }
    try await fixture.notify()
    switch fault {
    case nil:
      try await fixture.engine.notifications.setBadge(0, as: fixture.caller(fixture.alice, "phone"))
    case .resetOfAnother:
      try await fixture.engine.notifications.setBadge(0, as: fixture.caller(fixture.bob, "bobs"))
    case .resetForgotten: break
    }
    for user in [fixture.alice, fixture.bob] { try await fixture.save("late", of: user) }
    try await fixture.notify()
    let expected = ["phone": [1, 2, 1], "tablet": [1, 2, 1], "bobs": [1, 2]]
    var violations: [String] = []
    for (name, badges) in expected.sorted(by: { $0.key < $1.key }) {
      try await fixture.receive(name)
      let seen = fixture.received(name).filter { $0.sid == "counts" }.map { $0.badge ?? 0 }
      if seen != badges { violations.append("\(name) saw \(seen), not \(badges)") }
      if fixture.received(name).contains(where: { $0.sid == "plain" && $0.badge != nil }) {
        violations.append("\(name) saw a badge that nobody asked for")
      }
    }
    return violations
  }
}
