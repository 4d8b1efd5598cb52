import BrumeModel
import BrumeStorage
import Testing

@testable import BrumeCore
@testable import BrumeDelivery
@testable import BrumePush

/// A device that takes nothing costs the others nothing: neither those behind other hosts, nor those
/// behind its own as far as the host's share goes, nor those at streams.
@Suite struct SlowDeviceTests {
  private typealias Queue = DeliveryQueue<String>

  @Test func `N8 devices at hosts that answer are served as if the silent ones were not there`() {
    let alone = served(silent: [])
    let beside = served(silent: (0..<500).map { "silent\($0)" })
    #expect(alone == 40)
    #expect(beside == alone)
  }

  @Test func `one share for all hosts is caught`() {
    #expect(served(silent: (0..<500).map { "silent\($0)" }, oneShare: true) == 0)
  }

  @Test(arguments: [1, 20, 2000])
  func `N8 hosts that users name, each another one, leave room for those of everybody's`(
    users: Int
  ) {
    var queue = Queue(rules: .init(Limits()))
    let quick = DeliveryPeer(name: "quick", limit: 4)
    for number in 0..<4000 {
      let silent = DeliveryPeer(
        name: "silent\(number)", limit: 4, owner: "user\(number % users)")
      _ = queue.offer("silent\(number)", to: silent, now: 0)
    }
    var started = queue.next(now: 0).start.count
    _ = queue.offer("a", to: quick, now: 1)
    for round in 1...10 {
      let lanes = queue.next(now: Milliseconds(round)).start.map(\.lane)
      #expect(lanes == ["a"])
      queue.finished("a", .delivered, now: Milliseconds(round), jitter: 0)
      started += 1
    }
    // Of one user 8 of 1,024 sends, of all users three quarters.
    #expect(started == min(users * 8, 768) + 10)
  }

  @Test func `of a user's hosts the next begins when one has answered`() {
    var queue = Queue(rules: .init(Limits()))
    for number in 0..<20 {
      let peer = DeliveryPeer(name: "host\(number)", limit: 4, owner: "alice")
      _ = queue.offer("lane\(number)", to: peer, now: 0)
    }
    var order: [String] = []
    for _ in 0..<20 {
      for start in queue.next(now: 1).start { order.append(start.lane) }
      queue.finished(order[order.count - min(order.count, 8)], .empty, now: 1, jitter: 0)
    }
    #expect(Set(order).count == order.count && order.count == 20)
  }

  /// Pushes that four quick devices got in ten rounds, beside devices whose host never answers.
  private func served(silent: [String], oneShare: Bool = false) -> Int {
    var queue = Queue(rules: .init(Limits()))
    func peer(_ lane: String) -> DeliveryPeer {
      DeliveryPeer(name: oneShare || lane.hasPrefix("silent") ? "silent" : "quick", limit: 4)
    }
    let quick = ["a", "b", "c", "d"]
    for lane in silent + quick { _ = queue.offer(lane, to: peer(lane), now: 0) }
    var served = 0
    for round in 0..<10 {
      let started = queue.next(now: Milliseconds(round)).start.map(\.lane)
      for lane in started where quick.contains(lane) {
        served += 1
        queue.finished(lane, .delivered, now: Milliseconds(round), jitter: 0)
      }
    }
    return served
  }

  // MARK: Streams

  @Test func `N8 a stream whose socket is full reads later and keeps nobody waiting`() {
    #expect(deliveredPositions(isPiledUp: false) == [1, 2, 3])
  }

  @Test func `a hub that waits for the slow one is caught`() {
    #expect(deliveredPositions(isPiledUp: true) != [1, 2, 3])
  }

  /// What the quick one of two streams was given, when the slow one has no room.
  private func deliveredPositions(isPiledUp: Bool) -> [Int64] {
    var slow = StreamProgress(after: 0, limits: Limits())
    var quick = StreamProgress(after: 0, limits: Limits())
    _ = slow.found([], nextDue: nil, isAll: true)
    _ = quick.found([], nextDue: nil, isAll: true)
    var given: [Int64] = []
    for position in [1, 2, 3] as [Int64] {
      let entry = MailboxEntry(
        position: position, notificationID: "n\(position)", subscriptionID: "s", collapseID: nil,
        payload: [], time: 0, requestID: "r")
      let actions = slow.committed([entry], now: 0, hasRoom: false)
      let isStuck = actions == [.readWhenDrained(after: 0)]
      // The fault: nobody is served before the slow one has drained.
      if isPiledUp, isStuck || !slow.hasCaughtUp { continue }
      for case .send(let entries) in quick.committed([entry], now: 0, hasRoom: true) {
        given += entries.map(\.position)
      }
    }
    return given
  }
}
