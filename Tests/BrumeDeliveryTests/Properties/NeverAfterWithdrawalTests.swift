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

  @Test(arguments: PushChannel.devices, Withdrawal.allCases)
  func `N11 nothing of a record is delivered after its right was withdrawn, by`(
    pushChannel: PushChannel, withdrawal: Withdrawal
  ) async throws {
    let (fixture, received) = try await delivered(pushChannel, withdrawal)
    #expect(received.map(\.name) == ["before"])
    let lines = try await fixture.memory.read {
      try $0.pushLog.entries(PushLogFilter(), after: 0, limit: 99)
    }
    let verdicts = lines.filter { $0.requestID == "save after" }.map(\.verdict)
    #expect(verdicts == [.withdrawn])
  }

  @Test(arguments: PushChannel.devices)
  func `while the right stands, all is delivered, also of a record that is gone, by`(
    pushChannel: PushChannel
  ) async throws {
    #expect(try await delivered(pushChannel, nil).received.map(\.name) == ["before", "after"])
    let fixture = try await prepared(pushChannel, nil)
    try await fixture.delete("after", in: .public, of: fixture.bob)
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map(\.name) == ["before", "after"])
  }

  @Test(arguments: PushChannel.devices)
  func `who made a record is notified of it after it is gone, by`(pushChannel: PushChannel)
    async throws
  {
    let fixture = try await DeliveryFixture()
    try await fixture.register("desk", pushChannel, of: fixture.bob)
    try await fixture.subscribe(
      "s", .created("Report"), in: .public, info: .alert(), by: fixture.bob)
    try await fixture.save("own", type: "Report", in: .public, of: fixture.bob)
    try await fixture.notify()
    try await fixture.delete("own", in: .public, of: fixture.bob)
    try await fixture.receive("desk")
    #expect(fixture.received("desk").map(\.name) == ["own"])
  }

  @Test(arguments: PushChannel.devices)
  func `a way on which nobody asks again is caught, by`(pushChannel: PushChannel) async throws {
    for withdrawal in Withdrawal.allCases {
      let received = try await delivered(pushChannel, withdrawal, .rightsForgotten).received
      #expect(received.map(\.name) == ["before", "after"], "\(withdrawal)")
    }
  }

  @Test(arguments: PushChannel.devices)
  func `N11 a push too large to name its record loses the record's values with the right, by`(
    pushChannel: PushChannel
  ) async throws {
    for fault in [DeliveryFixture.Fault.rightsForgotten, nil] {
      let fixture = try await largePush(pushChannel, fault)
      try await takeRole(fixture)
      try await fixture.receive("phone")
      let push = try #require(fixture.received("phone").first)
      #expect(push.isPruned && push.name == "")
      // The device is still notified, and only the fault sends it the title.
      #expect((push.bytes > 3000) == (fault != nil))
    }
    let fixture = try await largePush(pushChannel, nil)
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map { $0.bytes > 3000 } == [true])
  }

  @Test func `N11 a collapse ID that is a record's value goes with the right to read it`()
    async throws
  {
    let fixture = try await largePush(.apns, nil)
    #expect(try await collapseID(fixture)?.hasPrefix("字") == true)
    try await takeRole(fixture)
    #expect(try await collapseID(fixture) == nil)
  }

  /// Of what may leave to the phone.
  private func collapseID(_ fixture: DeliveryFixture) async throws -> String? {
    let phone = DeviceKey(
      in: DeliveryFixture.containerEnvironment, user: fixture.alice, device: DeviceID("phone"))
    return try await fixture.memory.read { [engine = fixture.engine] store in
      let entry = try #require(try store.mailboxes.entries(of: phone, after: 0, limit: 1).first)
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
    let fixture = try await prepared(.stream, nil)
    #expect(try await fixture.keptNames() == ["before", "after"])
    try await withdraw(withdrawal, fixture)
    #expect(try await fixture.keptNames() == [])
    // The fault: the feed as it is stored, unasked.
    let stored = try await fixture.memory.read { [alice = fixture.alice] store in
      try store.notifications.kept(
        for: alice, in: DeliveryFixture.containerEnvironment, after: 0, limit: 9)
    }
    #expect(stored.count == 2)
  }

  @Test(arguments: PushChannel.devices)
  func `N11 whoever signed out receives nothing, and after signing in again what waited, by`(
    pushChannel: PushChannel
  ) async throws {
    let fixture = try await signedOut(pushChannel)
    #expect(fixture.received("phone") == [])
    #expect(fixture.received("desk").map(\.name) == ["one", "two"])
    // The user signs in on that device again.
    try await fixture.register("phone", pushChannel)
    try await fixture.receive("phone")
    #expect(fixture.received("phone").map(\.name) == ["one", "two"])
  }

  @Test(arguments: PushChannel.devices)
  func `a sign-out that leaves a way open is caught, by`(pushChannel: PushChannel) async throws {
    let received = try await signedOut(pushChannel, .signOutForgotten).received("phone")
    #expect(received.map(\.name) == ["one", "two"])
  }

  /// One change was delivered when the user signed out, another came after it and after a restart.
  private func signedOut(
    _ pushChannel: PushChannel, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> DeliveryFixture {
    let fixture = try await DeliveryFixture(fault)
    try await fixture.register("phone", pushChannel)
    try await fixture.register("desk", pushChannel, of: fixture.bob)
    for user in [fixture.alice, fixture.bob] {
      try await fixture.subscribe("s", .created(), in: .public, info: .alert(), by: user)
    }
    for name in ["one", "two"] {
      try await fixture.save(name, in: .public)
      try await fixture.notify()
      if name == "one" { try await fixture.signOut(fixture.alice) }
      for device in ["phone", "desk"] { try await fixture.receive(device) }
      try await fixture.restart()
    }
    return fixture
  }

  @Test func `a webhook that was removed is not called for what waited`() async throws {
    let fixture = try await DeliveryFixture()
    try await fixture.register("hook", .webhook)
    try await fixture.save("one")
    let webhook = try await fixture.memory.read { try $0.webhooks.all()[0] }
    try await fixture.engine.webhooks.remove(webhook.id, in: webhook.containerEnvironment)
    try await fixture.receive("hook")
    #expect(fixture.received("hook") == [])
  }

  // MARK: What happens

  private func delivered(
    _ pushChannel: PushChannel, _ withdrawal: Withdrawal?, _ fault: DeliveryFixture.Fault? = nil
  ) async throws -> (fixture: DeliveryFixture, received: [ReceivedPush]) {
    let fixture = try await prepared(pushChannel, fault)
    if let withdrawal { try await withdraw(withdrawal, fixture) }
    try await fixture.receive("phone")
    return (fixture, fixture.received("phone"))
  }

  /// Alice may read Bob's reports by a role.
  private func reader(_ pushChannel: PushChannel, _ fault: DeliveryFixture.Fault?) async throws
    -> DeliveryFixture
  {
    let fixture = try await DeliveryFixture(fault)
    try await fixture.register("phone", pushChannel)
    try await fixture.engine.roles.set(
      "reader", of: fixture.alice, to: true, in: DeliveryFixture.containerEnvironment)
    return fixture
  }

  /// One of Bob's reports was delivered, another waits in her phone's mailbox.
  private func prepared(_ pushChannel: PushChannel, _ fault: DeliveryFixture.Fault?) async throws
    -> DeliveryFixture
  {
    let fixture = try await reader(pushChannel, fault)
    try await fixture.subscribe("s", .created("Report"), in: .public, info: .alert())
    for name in ["before", "after"] {
      try await fixture.save(name, type: "Report", in: .public, of: fixture.bob)
      try await fixture.notify()
      if name == "before" { try await fixture.receive("phone") }
    }
    return fixture
  }

  /// A report whose title fills the text of a push so that the report's own name has no room.
  private func largePush(_ pushChannel: PushChannel, _ fault: DeliveryFixture.Fault?) async throws
    -> DeliveryFixture
  {
    let fixture = try await reader(pushChannel, fault)
    var info = NotificationInfo()
    info.alert.localizationKey = "REPORT"
    info.alert.localizationArgs = Array(repeating: "title", count: 12)
    info.category = String(repeating: "c", count: 100)
    info.collapseIDKey = "title"
    try await fixture.subscribe("s", .created("Report"), in: .public, info: info)
    try await fixture.save(
      String(repeating: "r", count: 255), String(repeating: "字", count: 100), type: "Report",
      in: .public, of: fixture.bob)
    try await fixture.notify()
    return fixture
  }

  private func withdraw(_ withdrawal: Withdrawal, _ fixture: DeliveryFixture) async throws {
    switch withdrawal {
    case .`a role is taken away`: try await takeRole(fixture)
    case .`the schema grants less`:
      try await fixture.engine.schemas.replace(
        by: DeliveryFixture.schema(readers: ""), in: DeliveryFixture.containerEnvironment)
    case .`the record is deleted, then the role goes`:
      for name in ["before", "after"] {
        try await fixture.delete(name, in: .public, of: fixture.bob)
      }
      try await takeRole(fixture)
    }
  }

  private func takeRole(_ fixture: DeliveryFixture) async throws {
    try await fixture.engine.roles.set(
      "reader", of: fixture.alice, to: false, in: DeliveryFixture.containerEnvironment)
  }
}
