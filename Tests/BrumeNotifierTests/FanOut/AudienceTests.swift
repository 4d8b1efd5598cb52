import BrumeModel
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct AudienceTests {
  private let notes = zone("Notes", of: alice)

  private func devices(_ keys: [DeviceKey]) -> [Device] {
    keys.map { Device(key: $0, channel: .stream, registered: 0) }
  }
  private func membership(_ user: UserID, _ share: String) -> Membership {
    Membership(user: user, share: RecordKey(zone: notes, name: share))
  }

  @Test func `PSH-01 a device is never notified of its own change, the user's others are`() {
    let all = devices([device("phone", of: alice), device("tablet", of: alice)])
    let recipients = Audience.devices(all, except: origin(alice, "phone"))
    #expect(recipients.map(\.key.device.name) == ["tablet"])
  }

  @Test func `another user's device with the same name is notified`() {
    let all = devices([device("phone", of: bob)])
    #expect(Audience.devices(all, except: origin(alice, "phone")).count == 1)
  }

  @Test func `N3 a change without a device is delivered to all`() {
    let all = devices([device("phone", of: alice), device("tablet", of: alice)])
    #expect(Audience.devices(all, except: origin(alice)).count == 2)
    #expect(Audience.devices(all, except: origin()).count == 2)
  }

  @Test func `device names differ by their bytes`() {
    let all = devices([device("caf\u{e9}", of: alice), device("cafe\u{301}", of: alice)])
    let recipients = Audience.devices(all, except: origin(alice, "caf\u{e9}"))
    #expect(recipients.map { Array($0.key.device.name.utf8) } == [Array("cafe\u{301}".utf8)])
  }

  @Test func `a shared change concerns those whose share covers it, never the owner`() {
    let members = [
      membership(bob, "share-a"), membership(UserID("_carol"), "share-b"),
      membership(alice, "share-a"),
    ]
    let entry = change(.updated, record("n", "Note", in: notes), in: notes, shares: ["share-a"])
    #expect(Audience.readers(of: entry, among: members) == [bob])
    let uncovered = change(.updated, record("n", "Note", in: notes), in: notes)
    #expect(Audience.readers(of: uncovered, among: members) == [])
  }

  @Test func `PSH-11 joining a share notifies the user who joined`() {
    let entry = LogEntry(
      position: 1, database: notes.database, event: .membership(bob, notes), origin: origin())
    #expect(Audience.readers(of: entry, among: [membership(UserID("_carol"), "s")]) == [bob])
  }
}
