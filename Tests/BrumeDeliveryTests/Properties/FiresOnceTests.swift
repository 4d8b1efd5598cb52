import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTestKit
import Testing

/// A `firesOnce` subscription fires for one change, however many match at the same time.
@Suite(.timeLimit(.minutes(10))) struct FiresOnceTests {
  @Test(arguments: PushChannel.devices)
  func `SUB-20 firesOnce fires once under concurrent saves, by`(pushChannel: PushChannel)
    async throws
  {
    #expect(try await fired(pushChannel) == 1)
  }

  @Test func `a subscription that fired once and comes back is caught`() async throws {
    #expect(try await fired(.stream, comesBack: true) > 1)
  }

  /// For how many changes it fired, on both of the user's devices.
  private func fired(_ pushChannel: PushChannel, comesBack: Bool = false) async throws -> Int {
    let fixture = try await DeliveryFixture()
    for name in ["phone", "tablet"] { try await fixture.register(name, pushChannel) }
    try await fixture.subscribe("once", .created(once: true), info: .alert())
    let alice = fixture.alice
    let scope = SubscriptionScope(
      in: DeliveryFixture.containerEnvironment, scope: .private, user: alice)
    let found = try await fixture.memory.read { try $0.subscriptions.find("once", in: scope) }
    let stored = try #require(found)
    try await fixture.saveAtOnce((1...20).map { "n\($0)" })
    if comesBack {
      // The notifier's work up to the first change, after which the subscription is put back.
      while try await fixture.memory.read({ try $0.subscriptions.find("once", in: scope) }) != nil {
        try await fixture.notifier.step()
      }
      try await fixture.memory.write(in: .all) { try $0.subscriptions.put(stored) }
      try await fixture.restart()
      try await fixture.save("later")
    }
    try await fixture.notify()
    for name in ["phone", "tablet"] { try await fixture.receive(name) }
    #expect(fixture.received("phone").map(\.nid) == fixture.received("tablet").map(\.nid))
    let left = try await fixture.memory.read { try $0.subscriptions.find("once", in: scope) }
    #expect(left == nil)
    return Set(fixture.received("phone").map(\.nid)).count
  }
}
