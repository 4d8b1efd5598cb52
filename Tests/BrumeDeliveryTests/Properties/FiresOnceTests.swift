import BrumeCore
import BrumeModel
import BrumeNotifier
import BrumeStorage
import Testing

/// A `firesOnce` subscription fires for one change, however many match at the same time.
@Suite(.timeLimit(.minutes(10))) struct FiresOnceTests {
  @Test(arguments: Way.devices)
  func `SUB-20 firesOnce fires once under concurrent saves, by`(way: Way) async throws {
    #expect(try await fired(way) == 1)
  }

  @Test func `a spent subscription that comes back is caught`() async throws {
    #expect(try await fired(.stream, comesBack: true) > 1)
  }

  /// For how many changes it fired, on both of the user's devices.
  private func fired(_ way: Way, comesBack: Bool = false) async throws -> Int {
    let lab = try await DeliveryLab()
    for name in ["phone", "tablet"] { try await lab.register(name, way) }
    try await lab.subscribe("once", .created(once: true), info: .alert())
    let alice = lab.alice
    let scope = SubscriptionScope(
      container: DeliveryLab.container, environment: .development, scope: .private, user: alice)
    let found = try await lab.memory.read { try $0.subscription("once", in: scope) }
    let stored = try #require(found)
    try await lab.saveAtOnce((1...20).map { "n\($0)" })
    if comesBack {
      // The notifier's work up to the first change, after which the subscription is put back.
      while try await lab.memory.read({ try $0.subscription("once", in: scope) }) != nil {
        try await lab.notifier.step()
      }
      try await lab.memory.write(in: nil) { try $0.put(stored) }
      try await lab.restart()
      try await lab.save("later")
    }
    try await lab.notify()
    for name in ["phone", "tablet"] { try await lab.receive(name) }
    #expect(lab.heard("phone").map(\.nid) == lab.heard("tablet").map(\.nid))
    let left = try await lab.memory.read { try $0.subscription("once", in: scope) }
    #expect(left == nil)
    return Set(lab.heard("phone").map(\.nid)).count
  }
}
