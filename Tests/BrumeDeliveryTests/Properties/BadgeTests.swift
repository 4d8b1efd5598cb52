import BrumeCore
import BrumeModel
import Testing

/// The badge counts each user's own pushes that ask for it, on all of the user's devices alike, and goes
/// on from what the app set (`CKModifyBadgeOperation`).
@Suite(.timeLimit(.minutes(10))) struct BadgeTests {
  enum Fault: Sendable { case resetOfAnother, resetForgotten }

  @Test(arguments: Way.devices)
  func `PSH-16 the badge counts right for each user and is reset, by`(way: Way) async throws {
    #expect(try await violations(way) == [])
  }

  @Test(arguments: [Fault.resetOfAnother, .resetForgotten])
  func `a reset that reaches another user, or nobody, is caught`(fault: Fault) async throws {
    #expect(try await !violations(.stream, fault).isEmpty)
  }

  private func violations(_ way: Way, _ fault: Fault? = nil) async throws -> [String] {
    let lab = try await DeliveryLab()
    let owners = ["phone": lab.alice, "tablet": lab.alice, "bobs": lab.bob]
    for (name, user) in owners.sorted(by: { $0.key < $1.key }) {
      try await lab.register(name, way, of: user)
    }
    var counting = NotificationInfo.alert()
    counting.shouldBadge = true
    for user in [lab.alice, lab.bob] {
      try await lab.subscribe("counts", .created(), info: counting, by: user)
      let plain = Subscription.Kind.query(
        Query(recordType: "Note"), zone: nil, firesOn: [.create, .update], firesOnce: false)
      try await lab.subscribe("plain", plain, info: .alert(), by: user)
    }
    // What should be seen, step by step: saves by their owner, resets by alice.
    for (step, number) in [(lab.alice, 1), (lab.alice, 2), (lab.bob, 3)] {
      try await lab.save("n\(number)", of: step)
    }
    try await lab.notify()
    switch fault {
    case nil: try await lab.engine.setBadge(0, as: lab.caller(lab.alice, "phone"))
    case .resetOfAnother: try await lab.engine.setBadge(0, as: lab.caller(lab.bob, "bobs"))
    case .resetForgotten: break
    }
    for user in [lab.alice, lab.bob] { try await lab.save("late", of: user) }
    try await lab.notify()
    let expected = ["phone": [1, 2, 1], "tablet": [1, 2, 1], "bobs": [1, 2]]
    var violations: [String] = []
    for (name, badges) in expected.sorted(by: { $0.key < $1.key }) {
      try await lab.receive(name)
      let seen = lab.heard(name).filter { $0.sid == "counts" }.map { $0.badge ?? 0 }
      if seen != badges { violations.append("\(name) saw \(seen), not \(badges)") }
      if lab.heard(name).contains(where: { $0.sid == "plain" && $0.badge != nil }) {
        violations.append("\(name) saw a badge that nobody asked for")
      }
    }
    return violations
  }
}
