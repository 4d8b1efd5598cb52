// What a process learns of API tokens and devices that others remove.

import BrumeModel
import BrumeStorage
import BrumeTestKit
import Testing

@testable import BrumePostgres

@Suite(.timeLimit(.minutes(1))) struct AccountChangesTests {
  @Test func `a process learns where another one removed an API token, not what it removed`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let here = try PostgresStore.forTest(url: url)
    let there = try PostgresStore.forTest(url: url)
    let place = ContainerEnvironment(.sample, .production)
    for (store, token) in [(here, "t1"), (there, "t2")] {
      try await store.write(in: .server) {
        try $0.credentials.put(APIToken(token: token, name: token, in: place))
      }
    }
    let before = try await here.changedAccounts(after: 0)
    try await here.write(in: .server) { try $0.credentials.removeAPIToken("t1") }
    let own = try await here.changedAccounts(after: before.last)
    try await there.write(in: .server) { try $0.credentials.removeAPIToken("t2") }
    let others = try await here.changedAccounts(after: own.last)
    #expect(own.tokensRemovedIn == [])
    #expect(before.concernsCredentials && own.concernsCredentials && others.concernsCredentials)
    #expect(others.tokensRemovedIn == [place])
    #expect(others.users == [])
    try await here.close()
    try await there.close()
  }

  @Test func `a process learns which devices another one removed, whatever they are called`()
    async throws
  {
    let url = try PostgresServer.shared.get().emptySchema()
    let here = try PostgresStore.forTest(url: url)
    let there = try PostgresStore.forTest(url: url)
    let place = ContainerEnvironment(.sample, .development)
    let devices = ["mine", "phone", "a phone  of two names "].map {
      DeviceKey(in: place, user: UserID("_u"), device: DeviceID($0))
    }
    for device in devices {
      try await here.write(in: .account(device)) {
        try $0.devices.put(Device(key: device, channel: .stream, registered: 1))
      }
    }
    let before = try await here.changedAccounts(after: 0)
    let never = DeviceKey(in: place, user: UserID("_u"), device: DeviceID("never there"))
    for (store, device) in [
      (here, devices[0]), (there, devices[1]), (there, devices[2]), (there, never),
    ] {
      try await store.write(in: .account(device).and(.server)) { try $0.devices.remove(device) }
    }
    let changes = try await here.changedAccounts(after: before.last)
    #expect(changes.devicesRemoved == Set(devices.dropFirst()))
    #expect(changes.users == [] && changes.tokensRemovedIn == [])
    #expect(here.lastChange <= changes.last)
    // Who asks for the first time knows nothing.
    #expect(changes.concernsCredentials)
    try await there.write(in: .account(devices[1]).and(.server)) {
      try $0.devices.put(Device(key: devices[1], channel: .stream, registered: 2))
      try $0.devices.remove(devices[1])
    }
    let later = try await here.changedAccounts(after: changes.last)
    #expect(later.devicesRemoved == [devices[1]] && !later.concernsCredentials)
    let nothing = try await here.changedAccounts(after: later.last)
    #expect(!nothing.concernsCredentials)
    try await here.close()
    try await there.close()
  }

  @Test func `beside removed devices, what is noted without a name may be of credentials`()
    async throws
  {
    let store = try PostgresStore.forTest(url: PostgresServer.shared.get().emptySchema())
    let place = ContainerEnvironment(.sample, .development)
    let phone = DeviceKey(in: place, user: UserID("_u"), device: DeviceID("phone"))
    try await store.write(in: .account(phone)) {
      try $0.devices.put(Device(key: phone, channel: .stream, registered: 1))
    }
    let before = try await store.changedAccounts(after: 0)
    try await store.write(in: .account(phone).and(.server)) {
      try $0.devices.remove(phone)
      try $0.credentials.put(APIToken(token: "t", name: "t", in: place))
    }
    let changes = try await store.changedAccounts(after: before.last)
    #expect(changes.last > before.last && changes.concernsCredentials)
    try await store.close()
  }

  @Test func `a change is read back from its text as what it was`() {
    let changes: [AccountChange] = [
      .account(UserID("_a1")), .account(UserID("development")),
      .removedToken(ContainerEnvironment(ContainerID("iCloud.a-b"), .development)),
      .removedToken(ContainerEnvironment(.sample, .production)),
      .removedDevice(
        DeviceKey(
          in: ContainerEnvironment(.sample, .production), user: UserID("_a1"),
          device: DeviceID("a phone  of two names "))),
    ]
    #expect(changes.map { AccountChange($0.text) } == changes)
    // As earlier versions wrote it.
    #expect(changes[3].text == "production \(ContainerID.sample.name)")
  }
}
