import BrumeModel
import Testing

/// The device that made a change is not notified of it, on any channel; the user's others are.
@Suite(.timeLimit(.minutes(10))) struct NeverToItsOriginTests {
  @Test(arguments: PushChannel.devices)
  func `N3 PSH-01 a device is never notified of its own change, by`(pushChannel: PushChannel)
    async throws
  {
    #expect(try await violations(pushChannel) == [])
  }

  @Test(arguments: PushChannel.devices)
  func `a save that forgets which device made it is caught, by`(pushChannel: PushChannel)
    async throws
  {
    #expect(try await !violations(pushChannel, .originForgotten).isEmpty)
  }

  @Test(arguments: PushChannel.devices)
  func
    `N3 a change without a device is received by all, and a namesake of the device is another, by`(
      pushChannel: PushChannel
    ) async throws
  {
    let fixture = try await DeliveryFixture()
    for name in ["phone", "tablet"] { try await fixture.register(name, pushChannel) }
    try await fixture.register("bobs", pushChannel, of: fixture.bob, as: "phone")
    for user in [fixture.alice, fixture.bob] {
      try await fixture.subscribe("s", .created(), in: .public, info: .alert(), by: user)
    }
    try await fixture.save("by the phone", in: .public, by: "phone")
    // As a server does with its key, or the console.
    try await fixture.save("by a server", in: .public, by: nil)
    try await fixture.notify()
    let expected = [
      "phone": ["by a server"], "tablet": ["by the phone", "by a server"],
      "bobs": ["by the phone", "by a server"],
    ]
    for (name, changes) in expected {
      try await fixture.receive(name)
      #expect(fixture.received(name).map(\.name) == changes, "\(name)")
    }
  }

  private func violations(_ pushChannel: PushChannel, _ fault: DeliveryFixture.Fault? = nil)
    async throws -> [String]
  {
    let fixture = try await DeliveryFixture(fault)
    for name in ["phone", "tablet"] { try await fixture.register(name, pushChannel) }
    try await fixture.subscribe("s", .created(), in: .public, info: .alert())
    try await fixture.subscribe("z", .zone(DeliveryFixture.zone, recordType: nil), info: .silent)
    let saves = [("phone", "one"), ("tablet", "two"), ("phone", "three")]
    for (device, name) in saves {
      try await fixture.save(name, in: .public, by: device)
      try await fixture.save(name, in: .private, by: device)
      fixture.clock.advance(1000)
      try await fixture.notify()
    }
    fixture.clock.advance(5000)
    var violations: [String] = []
    for device in ["phone", "tablet"] {
      try await fixture.receive(device)
      let received = fixture.received(device).filter { $0.sid == "s" }.map(\.name)
      let expected = saves.filter { $0.0 != device }.map(\.1)
      if received != expected { violations.append("\(device) got \(received), not \(expected)") }
      let silent = fixture.received(device).filter { $0.sid == "z" }
      if silent.isEmpty { violations.append("\(device) was never notified of the zone") }
      let own = fixture.changes.filter { change in
        saves.contains { $0.0 == device && $0.1 == change.name }
      }
      if silent.contains(where: { push in own.contains { $0.nid == push.nid } }) {
        violations.append("\(device) was notified of the zone by its own change")
      }
    }
    return violations
  }
}
