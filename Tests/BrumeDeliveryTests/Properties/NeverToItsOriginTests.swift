import BrumeModel
import Testing

/// The device that made a change is not told of it, by whatever way it listens; the user's others are.
@Suite(.timeLimit(.minutes(10))) struct NeverToItsOriginTests {
  @Test(arguments: Way.devices)
  func `N3 PSH-01 a device never hears its own change, by`(way: Way) async throws {
    #expect(try await violations(way) == [])
  }

  @Test(arguments: Way.devices)
  func `a save that forgets which device made it is caught, by`(way: Way) async throws {
    #expect(try await !violations(way, .originForgotten).isEmpty)
  }

  @Test(arguments: Way.devices)
  func `N3 a change without a device is heard by all, and a namesake of the device is another, by`(
    way: Way
  ) async throws {
    let lab = try await DeliveryLab()
    for name in ["phone", "tablet"] { try await lab.register(name, way) }
    try await lab.register("bobs", way, of: lab.bob, as: "phone")
    for user in [lab.alice, lab.bob] {
      try await lab.subscribe("s", .created(), in: .public, info: .alert(), by: user)
    }
    try await lab.save("by the phone", in: .public, by: "phone")
    // As a server does with its key, or the console.
    try await lab.save("by a server", in: .public, by: nil)
    try await lab.notify()
    let expected = [
      "phone": ["by a server"], "tablet": ["by the phone", "by a server"],
      "bobs": ["by the phone", "by a server"],
    ]
    for (name, changes) in expected {
      try await lab.receive(name)
      #expect(lab.heard(name).map(\.name) == changes, "\(name)")
    }
  }

  private func violations(_ way: Way, _ fault: DeliveryLab.Fault? = nil) async throws -> [String] {
    let lab = try await DeliveryLab(fault)
    for name in ["phone", "tablet"] { try await lab.register(name, way) }
    try await lab.subscribe("s", .created(), in: .public, info: .alert())
    try await lab.subscribe("z", .zone(DeliveryLab.zone, recordType: nil), info: .silent)
    let saves = [("phone", "one"), ("tablet", "two"), ("phone", "three")]
    for (device, name) in saves {
      try await lab.save(name, in: .public, by: device)
      try await lab.save(name, in: .private, by: device)
      lab.clock.advance(1000)
      try await lab.notify()
    }
    lab.clock.advance(5000)
    var violations: [String] = []
    for device in ["phone", "tablet"] {
      try await lab.receive(device)
      let heard = lab.heard(device).filter { $0.sid == "s" }.map(\.name)
      let expected = saves.filter { $0.0 != device }.map(\.1)
      if heard != expected { violations.append("\(device) heard \(heard), not \(expected)") }
      let silent = lab.heard(device).filter { $0.sid == "z" }
      if silent.isEmpty { violations.append("\(device) never heard of the zone") }
      let own = lab.changes.filter { change in
        saves.contains { $0.0 == device && $0.1 == change.name }
      }
      if silent.contains(where: { push in own.contains { $0.nid == push.nid } }) {
        violations.append("\(device) heard of the zone by its own change")
      }
    }
    return violations
  }
}
