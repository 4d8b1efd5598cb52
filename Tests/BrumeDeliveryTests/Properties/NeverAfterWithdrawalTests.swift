import BrumeModel
import BrumeStorage
import BrumeWire
import Testing

@testable import BrumeCore
@testable import BrumeDelivery

/// Whatever was in a mailbox when a right was withdrawn does not leave it any more, by no way, and the
/// kept notifications do not show it; also when the record is gone by then.
@Suite(.timeLimit(.minutes(10))) struct NeverAfterWithdrawalTests {
  enum Withdrawal: String, CaseIterable, Sendable {
    case `a role is taken away`, `the schema grants less`
    case `the record is deleted, then the role goes`
  }

  @Test(arguments: Way.devices, Withdrawal.allCases)
  func `N11 nothing of a record is told after its right was withdrawn, by`(
    way: Way, withdrawal: Withdrawal
  ) async throws {
    let (lab, heard) = try await told(way, withdrawal)
    #expect(heard.map(\.name) == ["before"])
    let lines = try await lab.memory.read { try $0.pushLog(PushLogFilter(), after: 0, limit: 99) }
    let verdicts = lines.filter { $0.requestID == "save after" }.map(\.verdict)
    #expect(verdicts == [.withdrawn])
  }

  @Test(arguments: Way.devices)
  func `while the right stands, all is told, also of a record that is gone, by`(
    way: Way
  ) async throws {
    #expect(try await told(way, nil).heard.map(\.name) == ["before", "after"])
    let lab = try await prepared(way, nil)
    try await lab.delete("after", in: .public, of: lab.bob)
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.name) == ["before", "after"])
  }

  @Test(arguments: Way.devices)
  func `who made a record is told of it after it is gone, by`(way: Way) async throws {
    let lab = try await DeliveryLab()
    try await lab.register("desk", way, of: lab.bob)
    try await lab.subscribe("s", .created("Report"), in: .public, info: .alert(), by: lab.bob)
    try await lab.save("own", type: "Report", in: .public, of: lab.bob)
    try await lab.notify()
    try await lab.delete("own", in: .public, of: lab.bob)
    try await lab.receive("desk")
    #expect(lab.heard("desk").map(\.name) == ["own"])
  }

  @Test(arguments: Way.devices)
  func `a way on which nobody asks again is caught, by`(way: Way) async throws {
    for withdrawal in Withdrawal.allCases {
      let heard = try await told(way, withdrawal, .rightsForgotten).heard
      #expect(heard.map(\.name) == ["before", "after"], "\(withdrawal)")
    }
  }

  @Test(arguments: Way.devices)
  func `N11 a push too large to name its record loses the record's values with the right, by`(
    way: Way
  ) async throws {
    for fault in [DeliveryLab.Fault.rightsForgotten, nil] {
      let lab = try await largePush(way, fault)
      try await takeRole(lab)
      try await lab.receive("phone")
      let push = try #require(lab.heard("phone").first)
      #expect(push.isPruned && push.name == "")
      // The device is still told, and only the fault tells it the title.
      #expect((push.bytes > 3000) == (fault != nil))
    }
    let lab = try await largePush(way, nil)
    try await lab.receive("phone")
    #expect(lab.heard("phone").map { $0.bytes > 3000 } == [true])
  }

  @Test func `N11 a collapse ID that is a record's value goes with the right to read it`()
    async throws
  {
    let lab = try await largePush(.apns, nil)
    #expect(try await collapseID(lab)?.hasPrefix("字") == true)
    try await takeRole(lab)
    #expect(try await collapseID(lab) == nil)
  }

  /// Of what may leave to the phone.
  private func collapseID(_ lab: DeliveryLab) async throws -> String? {
    let phone = DeviceKey(
      container: DeliveryLab.container, environment: .development, user: lab.alice,
      device: DeviceID("phone"))
    return try await lab.memory.read { [engine = lab.engine] store in
      let entry = try #require(try store.mailbox(phone, after: 0, limit: 1).first)
      let notification = try PushPayload.decode(entry.payload)
      return switch try engine.permission.maySend(notification, in: entry, of: phone, in: store) {
      case .all: entry.collapseID
      case .rest(let rest): rest.collapseID
      case .nothing: "nothing"
      }
    }
  }

  @Test(arguments: Withdrawal.allCases)
  func `N11 kept notifications show what may still be read`(withdrawal: Withdrawal) async throws {
    let lab = try await prepared(.stream, nil)
    #expect(try await lab.keptNames() == ["before", "after"])
    try await withdraw(withdrawal, lab)
    #expect(try await lab.keptNames() == [])
    // The fault: the feed as it is stored, unasked.
    let stored = try await lab.memory.read { [alice = lab.alice] store in
      try store.keptNotifications(
        of: alice, container: DeliveryLab.container, environment: .development, after: 0, limit: 9)
    }
    #expect(stored.count == 2)
  }

  @Test(arguments: Way.devices)
  func `N11 whoever signed out hears nothing, and after signing in again what waited, by`(
    way: Way
  ) async throws {
    let lab = try await signedOut(way)
    #expect(lab.heard("phone") == [])
    #expect(lab.heard("desk").map(\.name) == ["one", "two"])
    // The user signs in on that device again.
    try await lab.register("phone", way)
    try await lab.receive("phone")
    #expect(lab.heard("phone").map(\.name) == ["one", "two"])
  }

  @Test(arguments: Way.devices)
  func `a sign-out that leaves a way open is caught, by`(way: Way) async throws {
    let heard = try await signedOut(way, .signOutForgotten).heard("phone")
    #expect(heard.map(\.name) == ["one", "two"])
  }

  /// One change was told when the user signed out, another came after it and after a restart.
  private func signedOut(
    _ way: Way, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> DeliveryLab {
    let lab = try await DeliveryLab(fault)
    try await lab.register("phone", way)
    try await lab.register("desk", way, of: lab.bob)
    for user in [lab.alice, lab.bob] {
      try await lab.subscribe("s", .created(), in: .public, info: .alert(), by: user)
    }
    for name in ["one", "two"] {
      try await lab.save(name, in: .public)
      try await lab.notify()
      if name == "one" { try await lab.signOut(lab.alice) }
      for device in ["phone", "desk"] { try await lab.receive(device) }
      try await lab.restart()
    }
    return lab
  }

  @Test func `a webhook that was removed is not called for what waited`() async throws {
    let lab = try await DeliveryLab()
    try await lab.register("hook", .webhook)
    try await lab.save("one")
    let webhook = try await lab.memory.read { try $0.webhooks()[0] }
    try await lab.engine.removeWebhook(
      webhook.id, container: webhook.container, environment: webhook.environment)
    try await lab.receive("hook")
    #expect(lab.heard("hook") == [])
  }

  // MARK: What happens

  private func told(
    _ way: Way, _ withdrawal: Withdrawal?, _ fault: DeliveryLab.Fault? = nil
  ) async throws -> (lab: DeliveryLab, heard: [Heard]) {
    let lab = try await prepared(way, fault)
    if let withdrawal { try await withdraw(withdrawal, lab) }
    try await lab.receive("phone")
    return (lab, lab.heard("phone"))
  }

  /// Alice may read Bob's reports by a role.
  private func reader(_ way: Way, _ fault: DeliveryLab.Fault?) async throws -> DeliveryLab {
    let lab = try await DeliveryLab(fault)
    try await lab.register("phone", way)
    try await lab.engine.setRole(
      "reader", of: lab.alice, to: true, container: DeliveryLab.container,
      environment: .development)
    return lab
  }

  /// One of Bob's reports was told, another waits in her phone's mailbox.
  private func prepared(_ way: Way, _ fault: DeliveryLab.Fault?) async throws -> DeliveryLab {
    let lab = try await reader(way, fault)
    try await lab.subscribe("s", .created("Report"), in: .public, info: .alert())
    for name in ["before", "after"] {
      try await lab.save(name, type: "Report", in: .public, of: lab.bob)
      try await lab.notify()
      if name == "before" { try await lab.receive("phone") }
    }
    return lab
  }

  /// A report whose title fills the text of a push so that the report's own name has no room.
  private func largePush(_ way: Way, _ fault: DeliveryLab.Fault?) async throws -> DeliveryLab {
    let lab = try await reader(way, fault)
    var info = NotificationInfo()
    info.alert.localizationKey = "REPORT"
    info.alert.localizationArgs = Array(repeating: "title", count: 12)
    info.category = String(repeating: "c", count: 100)
    info.collapseIDKey = "title"
    try await lab.subscribe("s", .created("Report"), in: .public, info: info)
    try await lab.save(
      String(repeating: "r", count: 255), String(repeating: "字", count: 100), type: "Report",
      in: .public, of: lab.bob)
    try await lab.notify()
    return lab
  }

  private func withdraw(_ withdrawal: Withdrawal, _ lab: DeliveryLab) async throws {
    switch withdrawal {
    case .`a role is taken away`: try await takeRole(lab)
    case .`the schema grants less`:
      try await lab.engine.importSchema(
        text: DeliveryLab.schema(readers: ""), container: DeliveryLab.container,
        environment: .development)
    case .`the record is deleted, then the role goes`:
      for name in ["before", "after"] { try await lab.delete(name, in: .public, of: lab.bob) }
      try await takeRole(lab)
    }
  }

  private func takeRole(_ lab: DeliveryLab) async throws {
    try await lab.engine.setRole(
      "reader", of: lab.alice, to: false, container: DeliveryLab.container,
      environment: .development)
  }
}
