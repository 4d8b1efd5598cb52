import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import Synchronization
import Testing

@Suite struct StreamHubTests {
  private final class Receiver: StreamListener {
    private let caughtUp: Atomic<Bool>
    var hasCaughtUp: Bool { caughtUp.load(ordering: .relaxed) }
    let received = Mutex<[Int64]>([])
    let hasEnded = Mutex(false)
    init(hasCaughtUp: Bool = true) { caughtUp = Atomic(hasCaughtUp) }
    func catchUp(_ hasCaughtUp: Bool) { caughtUp.store(hasCaughtUp, ordering: .relaxed) }
    func take(_ entries: [MailboxEntry]) { received.withLock { $0 += entries.map(\.position) } }
    func look() { received.withLock { $0.append(-1) } }
    func acknowledged(through position: Int64) { received.withLock { $0.append(-position) } }
    func lookForDevice() { received.withLock { $0.append(0) } }
    func end(because error: BrumeError?) { hasEnded.withLock { $0 = true } }
  }
  private func device(_ name: String, of user: String = "_u") -> DeviceKey {
    DeviceKey(
      in: ContainerEnvironment(ContainerID("c"), .development), user: UserID(user),
      device: DeviceID(name))
  }
  private func entry(_ position: Int64) -> MailboxEntry {
    MailboxEntry(
      position: position, notificationID: "n", subscriptionID: "s", collapseID: nil, payload: [],
      time: 0, requestID: "r")
  }

  @Test func `each device gets its own entries, on each of its streams, in order`() {
    let hub = StreamHub()
    let (phone, second, tablet) = (Receiver(), Receiver(), Receiver())
    hub.join(phone, as: device("phone"))
    hub.join(second, as: device("phone"))
    hub.join(tablet, as: device("tablet"))
    hub.deliver([
      (device("phone"), entry(1)), (device("tablet"), entry(2)), (device("phone"), entry(3)),
      (device("nobody"), entry(4)),
    ])
    hub.leave(second, as: device("phone"))
    hub.deliver([(device("phone"), entry(5))])
    hub.acknowledged(through: 5, by: device("tablet"))
    #expect(phone.received.withLock { $0 } == [1, 3, 5])
    #expect(second.received.withLock { $0 } == [1, 3])
    #expect(tablet.received.withLock { $0 } == [2, -5])
    #expect(hub.count == 2)
  }

  @Test func `a user's streams end on all devices, and nobody else's`() {
    let hub = StreamHub()
    let (phone, tablet, other) = (Receiver(), Receiver(), Receiver())
    hub.join(phone, as: device("phone"))
    hub.join(tablet, as: device("tablet"))
    hub.join(other, as: device("phone", of: "_v"))
    hub.end(of: UserID("_u"))
    #expect([phone, tablet, other].map { $0.hasEnded.withLock { $0 } } == [true, true, false])
  }

  @Test func `the streams of a removed device look for it, and who joins later can tell`() {
    let hub = StreamHub()
    let (phone, second, tablet) = (Receiver(), Receiver(), Receiver())
    for (receiver, name) in [(phone, "phone"), (second, "phone"), (tablet, "tablet")] {
      hub.join(receiver, as: device(name))
    }
    let before = hub.removals
    hub.removed([device("phone"), device("nobody")])
    #expect([phone, second, tablet].map { $0.received.withLock { $0 } } == [[0], [0], []])
    #expect(hub.removals != before)
    #expect(hub.oldest(of: device("phone")) === phone)
    #expect(hub.oldest(of: device("nobody")) == nil)
  }

  @Test func `a device is connected only if a stream of it has caught up`() {
    let hub = StreamHub()
    let (user, phone) = (device("phone").user, Receiver(hasCaughtUp: false))
    #expect(hub.connectedDevices(of: [user]).isEmpty)
    hub.join(phone, as: device("phone"))
    #expect(hub.connectedDevices(of: [user]).isEmpty)
    let second = Receiver()
    hub.join(second, as: device("phone"))
    #expect(hub.connectedDevices(of: [user]) == [user: [device("phone")]])
    #expect(hub.connectedDevices(of: [UserID("_other")]).isEmpty)
    hub.leave(second, as: device("phone"))
    #expect(hub.connectedDevices(of: [user]).isEmpty)
  }

  @Test func `a stream that catches up later, or falls behind, says so`() {
    let hub = StreamHub()
    let (user, phone) = (device("phone").user, Receiver(hasCaughtUp: false))
    hub.join(phone, as: device("phone"))
    for hasCaughtUp in [true, false] {
      phone.catchUp(hasCaughtUp)
      hub.caughtUpChanged(of: device("phone"))
      #expect(hub.connectedDevices(of: [user]).isEmpty == !hasCaughtUp)
    }
  }
}
