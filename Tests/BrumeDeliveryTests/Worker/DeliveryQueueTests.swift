import BrumeDelivery
import BrumeModel
import Testing

/// Order, back-off, bounds and fairness, without anything being sent.
@Suite struct DeliveryQueueTests {
  typealias Subject = DeliveryQueue<String>

  private func subject(_ adjust: (inout Limits) -> Void = { _ in }) -> Subject {
    var limits = Limits()
    adjust(&limits)
    return Subject(rules: .init(limits))
  }
  private let one = DeliveryPeer(name: "one", limit: 2)
  private let two = DeliveryPeer(name: "two", limit: 2)

  @Test func `a lane is sent for once at a time, and again when a hint came meanwhile`() {
    var queue = subject()
    let offer1 = queue.offer("a", to: one, now: 0)
    #expect(offer1)
    #expect(queue.next(now: 0).start == [.init(lane: "a", attempt: 1)])
    let offer2 = queue.offer("a", to: one, now: 1)
    #expect(offer2)
    #expect(queue.next(now: 1).start == [])
    queue.finished("a", .empty, now: 2, jitter: 0)
    #expect(queue.next(now: 2).start.map(\.lane) == ["a"])
    queue.finished("a", .empty, now: 3, jitter: 0)
    #expect(queue.laneCount == 0)
    #expect(queue.underWay == 0)
  }

  @Test func `a peer gets no more than its share, and another's is untouched`() {
    var queue = subject()
    for lane in ["a", "b", "c", "d"] { _ = queue.offer(lane, to: one, now: 0) }
    for lane in ["x", "y"] { _ = queue.offer(lane, to: two, now: 0) }
    #expect(queue.next(now: 0).start.map(\.lane).sorted() == ["a", "b", "x", "y"])
    // The slow peer answers nothing; the other goes on.
    queue.finished("x", .empty, now: 1, jitter: 0)
    _ = queue.offer("z", to: two, now: 1)
    #expect(queue.next(now: 1).start.map(\.lane) == ["z"])
    queue.finished("b", .empty, now: 2, jitter: 0)
    #expect(queue.next(now: 2).start.map(\.lane) == ["c"])
  }

  @Test func `a lane with a new address does not wait for what its old peer asked for`() {
    var queue = subject()
    for lane in ["a", "b", "c"] { _ = queue.offer(lane, to: one, now: 0) }
    #expect(queue.next(now: 0).start.map(\.lane) == ["a", "b"])
    queue.finished("a", .busy(after: 60_000), now: 1, jitter: 0)
    // While it is being sent to, it stays.
    _ = queue.offer("b", to: two, now: 1)
    #expect(queue.next(now: 1).start == [])
    queue.finished("b", .retry(after: 60_000), now: 1, jitter: 0)
    #expect(queue.next(now: 2).start == [])
    // Then each goes once, to its new peer: the first waited, the second was still in line.
    for lane in ["a", "c"] { _ = queue.offer(lane, to: two, now: 2) }
    #expect(queue.next(now: 2).start == ["a", "c"].map { .init(lane: $0, attempt: 1) })
    _ = queue.offer("b", to: two, now: 3)
    for lane in ["a", "c"] { queue.finished(lane, .empty, now: 3, jitter: 0) }
    #expect(queue.next(now: 3).start == [.init(lane: "b", attempt: 1)])
    queue.finished("b", .empty, now: 4, jitter: 0)
    #expect(queue.laneCount == 0 && queue.underWay == 0)
    // Nobody is left at the old one, whose alarms ring for nothing.
    #expect(queue.next(now: 100_000) == .init())
  }

  @Test func `all sends together are bounded, and peers take turns`() {
    var queue = subject { $0.pushesUnderWay = 3 }
    for lane in ["a", "b"] { _ = queue.offer(lane, to: one, now: 0) }
    for lane in ["x", "y"] { _ = queue.offer(lane, to: two, now: 0) }
    #expect(queue.next(now: 0).start.map(\.lane) == ["a", "x", "b"])
    #expect(queue.next(now: 0).start == [])
    queue.finished("a", .delivered, now: 1, jitter: 0)
    #expect(queue.next(now: 1).start.map(\.lane) == ["y"])
  }

  @Test func `a failed send waits longer each time, up to the longest pause`() {
    var queue = subject {
      $0.deliveryBackoff = 1000
      $0.deliveryBackoffMaximum = 8000
    }
    _ = queue.offer("a", to: one, now: 0)
    var now: Milliseconds = 0
    var pauses: [Milliseconds] = []
    for attempt in 1...6 {
      #expect(queue.next(now: now).start == [.init(lane: "a", attempt: attempt)])
      queue.finished("a", .retry(after: nil), now: now, jitter: 1)
      // A hint does not shorten a penalty.
      _ = queue.offer("a", to: one, now: now)
      let action = queue.next(now: now)
      #expect(action.start == [])
      let wake = action.wakeAt ?? -1
      #expect(queue.next(now: wake - 1).start == [])
      pauses.append(wake - now)
      now = wake
    }
    #expect(pauses == [1000, 2000, 4000, 8000, 8000, 8000])
  }

  @Test(arguments: [(0.0, 500), (0.5, 750), (1.0, 1000), (7.0, 1000), (-1.0, 500)])
  func `jitter takes up to half of a pause`(jitter: Double, pause: Milliseconds) {
    var queue = subject()
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    queue.finished("a", .retry(after: nil), now: 0, jitter: jitter)
    #expect(queue.next(now: 0).wakeAt == pause)
  }

  @Test(arguments: [(5000, 5000), (10, 1000), (1 << 60, 3_600_000), (-5, 1000)])
  func `Retry-After is the least pause, within bounds`(asked: Int64, pause: Milliseconds) {
    var queue = subject()
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    queue.finished("a", .retry(after: asked), now: 0, jitter: 1)
    #expect(queue.next(now: 0).wakeAt == pause)
  }

  @Test(arguments: [-1001, -3_600_000, -1 << 40])
  func `a clock that is set back makes no pause longer:`(step: Milliseconds) {
    var queue = subject()
    let (late, early) = (Milliseconds(1 << 41), Milliseconds(1 << 41) + step)
    for lane in ["a", "b", "c"] { _ = queue.offer(lane, to: one, now: late) }
    _ = queue.next(now: late)
    queue.finished("a", .retry(after: 5000), now: late, jitter: 1)
    queue.finished("b", .busy(after: 9000), now: late, jitter: 1)
    #expect(queue.next(now: early) == .init(start: [], wakeAt: early + 5000))
    #expect(queue.next(now: early + 8999) == .init(start: [], wakeAt: early + 9000))
    // Set back once more, and then right again.
    #expect(queue.next(now: early + 7000).wakeAt == early + 7001)
    #expect(Set(queue.next(now: early + 7001).start.map(\.lane)) == ["a", "c"])
    queue.finished("a", .notDue(early + 7501), now: early + 7001, jitter: 1)
    #expect(queue.next(now: early + 7002).start.map(\.lane) == ["b"])
    #expect(queue.next(now: early + 7002).wakeAt == early + 7501)
    for lane in ["b", "c"] { queue.finished(lane, .empty, now: early + 7003, jitter: 1) }
    #expect(queue.next(now: early + 7500).start == [])
    #expect(queue.next(now: late + 9000).start.map(\.lane) == ["a"])
  }

  @Test func `threads that overtake each other end no pause early`() {
    var queue = subject()
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    queue.finished("a", .retry(after: 600_000), now: 0, jitter: 1)
    for now in 1...1000 as ClosedRange<Milliseconds> {
      #expect(queue.next(now: now).wakeAt == 600_000)
      #expect(queue.next(now: now - 1).wakeAt == 600_000)
    }
  }

  @Test func `a busy peer is left alone, others are not`() {
    var queue = subject()
    for lane in ["a", "b", "c"] { _ = queue.offer(lane, to: one, now: 0) }
    #expect(queue.next(now: 0).start.count == 2)
    queue.finished("a", .busy(after: 4000), now: 0, jitter: 1)
    queue.finished("b", .delivered, now: 1, jitter: 1)
    _ = queue.offer("x", to: two, now: 1)
    #expect(queue.next(now: 1).start.map(\.lane) == ["x"])
    #expect(queue.next(now: 3999).start == [])
    #expect(Set(queue.next(now: 4000).start.map(\.lane)) == ["c", "b"])
  }

  @Test func `answers of one moment pause a peer once, not longer with each`() {
    var queue = subject()
    let peer = DeliveryPeer(name: "one", limit: 100)
    let lanes = (0..<30).map { "l\($0)" }
    for lane in lanes { _ = queue.offer(lane, to: peer, now: 0) }
    #expect(queue.next(now: 0).start.count == 30)
    for lane in lanes { queue.finished(lane, .busy(after: nil), now: 5, jitter: 1) }
    var other = subject()
    _ = other.offer("a", to: peer, now: 0)
    _ = other.next(now: 0)
    other.finished("a", .busy(after: nil), now: 5, jitter: 1)
    #expect(queue.next(now: 5).wakeAt == other.next(now: 5).wakeAt)
  }

  @Test func `success forgets the failures before it`() {
    var queue = subject()
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    queue.finished("a", .retry(after: nil), now: 0, jitter: 1)
    #expect(queue.next(now: 1000).start == [.init(lane: "a", attempt: 2)])
    queue.finished("a", .delivered, now: 1000, jitter: 1)
    #expect(queue.next(now: 1000).start == [.init(lane: "a", attempt: 1)])
  }

  @Test func `an entry that is not due waits, and a hint ends the wait`() {
    var queue = subject()
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    queue.finished("a", .notDue(700), now: 0, jitter: 0)
    #expect(queue.next(now: 699) == .init(start: [], wakeAt: 700))
    _ = queue.offer("a", to: one, now: 100)
    #expect(queue.next(now: 100).start.map(\.lane) == ["a"])
    // The overtaken alarm rings for nothing.
    queue.finished("a", .empty, now: 101, jitter: 0)
    #expect(queue.next(now: 700) == .init())
  }

  @Test func `a full queue says so and takes lanes again when there is room`() {
    var queue = subject { $0.deliveryLanes = 2 }
    let offer3 = queue.offer("a", to: one, now: 0)
    #expect(offer3)
    let offer4 = queue.offer("b", to: one, now: 0)
    #expect(offer4)
    let offer5 = queue.offer("c", to: one, now: 0)
    #expect(!offer5)
    let offer6 = queue.offer("a", to: one, now: 0)
    #expect(offer6)
    _ = queue.next(now: 0)
    queue.finished("a", .empty, now: 0, jitter: 0)
    let offer7 = queue.offer("c", to: one, now: 0)
    #expect(offer7)
  }

  @Test func `a peer that fails has its share of the lanes, and leaves room for others`() {
    var queue = subject {
      $0.deliveryLanes = 4
      $0.deliveryLanesPerPeer = 2
    }
    for lane in ["a", "b", "c"] {
      let mayGoOn = queue.offer(lane, to: one, now: 0)
      #expect(mayGoOn)
    }
    #expect(queue.laneCount == 2)
    #expect(queue.next(now: 0).start.map(\.lane) == ["a", "b"])
    for lane in ["a", "b"] { queue.finished(lane, .retry(after: 60_000), now: 0, jitter: 0) }
    let other = queue.offer("x", to: two, now: 1)
    #expect(other)
    #expect(queue.next(now: 1).start.map(\.lane) == ["x"])
  }

  @Test(arguments: [true, false])
  func `what is new takes the place of what waits after a failure, of its peer or of another:`(
    sharesPeer: Bool
  ) {
    var queue = subject {
      if sharesPeer { $0.deliveryLanesPerPeer = 4 } else { $0.deliveryLanes = 4 }
    }
    let many = DeliveryPeer(name: "one", limit: 9)
    let other = sharesPeer ? many : two
    for lane in ["a", "b", "c", "d"] { _ = queue.offer(lane, to: many, now: 0) }
    _ = queue.next(now: 0)
    queue.finished("a", .retry(after: 60_000), now: 0, jitter: 0)
    queue.finished("b", .notDue(60_000), now: 0, jitter: 0)
    // What is looked for takes nobody's place.
    _ = queue.offer("x", to: other, now: 1)
    #expect(queue.next(now: 1).start == [])
    let isTaken = queue.offer("x", to: other, takesPlace: true, now: 1)
    #expect(isTaken && queue.laneCount == 4)
    #expect(queue.next(now: 1).start.map(\.lane) == ["x"])
    // Of the others none waits after a failure.
    _ = queue.offer("y", to: other, takesPlace: true, now: 2)
    #expect(queue.laneCount == 4 && queue.next(now: 2).start == [])
    for lane in ["c", "d"] { queue.finished(lane, .empty, now: 3, jitter: 0) }
    #expect(queue.next(now: 3).looksAgain)
    _ = queue.offer("a", to: many, now: 4)
    #expect(queue.next(now: 4).start == [.init(lane: "a", attempt: 1)])
  }

  @Test(arguments: [true, false])
  func `whose wait ends last gives its place, of its peer or of all:`(sharesPeer: Bool) {
    var queue = subject {
      if sharesPeer { $0.deliveryLanesPerPeer = 3 } else { $0.deliveryLanes = 3 }
    }
    let many = DeliveryPeer(name: "one", limit: 9)
    let other = sharesPeer ? many : two
    let pauses: [(lane: String, pause: Milliseconds)] = [("a", 9000), ("b", 60_000), ("c", 30_000)]
    for (lane, _) in pauses { _ = queue.offer(lane, to: many, now: 0) }
    _ = queue.next(now: 0)
    for (lane, pause) in pauses {
      queue.finished(lane, .retry(after: pause), now: 0, jitter: 0)
    }
    // It waits for less long now than it was said at first.
    _ = queue.endPenalties(of: { $0 == "b" }, now: 1)
    _ = queue.next(now: 1)
    queue.finished("b", .retry(after: 8000), now: 1, jitter: 0)
    for lane in ["x", "y"] {
      let mayGoOn = queue.offer(lane, to: other, takesPlace: true, now: 2)
      #expect(mayGoOn && queue.laneCount == 3)
    }
    #expect(queue.next(now: 100_000).start.map(\.lane).sorted() == ["b", "x", "y"])
  }

  @Test func `a look goes on while somebody in a full queue can give its place`() {
    var queue = subject { $0.deliveryLanes = 1 }
    _ = queue.offer("a", to: one, now: 0)
    _ = queue.next(now: 0)
    let whileSending = queue.offer("x", to: two, now: 0)
    #expect(!whileSending)
    queue.finished("a", .retry(after: nil), now: 0, jitter: 0)
    let afterFailure = queue.offer("x", to: two, now: 0)
    #expect(afterFailure && queue.laneCount == 1)
  }

  @Test func `who was turned away is looked for when half of the lanes are free`() {
    var queue = subject { $0.deliveryLanesPerPeer = 2 }
    for lane in ["a", "b", "c"] { _ = queue.offer(lane, to: one, now: 0) }
    #expect(!queue.next(now: 0).looksAgain)
    queue.finished("a", .empty, now: 1, jitter: 0)
    #expect(queue.next(now: 1).looksAgain)
    // Once, and not if nobody was turned away.
    queue.finished("b", .empty, now: 2, jitter: 0)
    #expect(!queue.next(now: 2).looksAgain)
    var small = subject { $0.deliveryLanes = 2 }
    for lane in ["a", "b"] { _ = small.offer(lane, to: one, now: 0) }
    let more = small.offer("x", to: two, now: 0)
    #expect(!more)
    _ = small.next(now: 0)
    small.finished("b", .empty, now: 1, jitter: 0)
    #expect(small.next(now: 1).looksAgain)
  }

  @Test func `penalties and pauses can be ended at once`() {
    var queue = subject()
    for lane in ["a", "b"] { _ = queue.offer(lane, to: one, now: 0) }
    _ = queue.next(now: 0)
    queue.finished("a", .busy(after: 60_000), now: 0, jitter: 1)
    queue.finished("b", .retry(after: nil), now: 0, jitter: 1)
    #expect(queue.next(now: 1).start == [])
    queue.endPauses(now: 1)
    #expect(Set(queue.next(now: 1).start.map(\.lane)) == ["a", "b"])
  }

  @Test func `of what failed, what is meant goes at once, with the pause of its peer`() {
    var queue = subject()
    for lane in ["a", "b"] { _ = queue.offer(lane, to: one, now: 0) }
    for lane in ["x", "y"] { _ = queue.offer(lane, to: two, now: 0) }
    _ = queue.next(now: 0)
    queue.finished("a", .busy(after: 60_000), now: 0, jitter: 1)
    queue.finished("b", .retry(after: nil), now: 0, jitter: 1)
    queue.finished("x", .retry(after: 60_000), now: 0, jitter: 1)
    queue.finished("y", .notDue(60_000), now: 0, jitter: 1)
    #expect(queue.endPenalties(of: { $0 == "a" }, now: 1) == 1)
    #expect(queue.next(now: 1).start == [.init(lane: "a", attempt: 2)])
    // What is under way, or waits for its time, waited after no failure.
    #expect(queue.endPenalties(of: { ["a", "x", "y"].contains($0) }, now: 1) == 1)
    #expect(queue.next(now: 1).start == [.init(lane: "x", attempt: 2)])
  }

  @Test(arguments: 1...20) func `no lane is lost or doubled, whatever happens`(seed: UInt64) {
    var random = TestRandom(seed: seed)
    var queue = subject {
      $0.pushesUnderWay = 5
      $0.deliveryLanes = 15
    }
    var sending: Set<String> = []
    var owed: Set<String> = []
    var now: Milliseconds = 0
    for _ in 0..<3000 {
      now += Int64(random.below(300))
      if random.below(2) == 0 {
        let lane = "l\(random.below(15))"
        let peer = DeliveryPeer(
          name: "p\(lane.utf8.count + Int(lane.utf8.last ?? 0) % 3)", limit: 2,
          owner: lane.utf8.count == 3 ? "u\(Int(lane.utf8.last ?? 0) % 2)" : nil)
        if queue.offer(lane, to: peer, now: now) { owed.insert(lane) }
      }
      for start in queue.next(now: now).start {
        #expect(sending.insert(start.lane).inserted, "\(start.lane) is sent for twice at once")
        owed.remove(start.lane)
      }
      #expect(sending.count <= 5 && queue.underWay == sending.count)
      if let lane = sending.sorted().first, random.below(2) == 0 {
        sending.remove(lane)
        let outcomes: [Subject.Outcome] = [
          .empty, .delivered, .notDue(now + 50), .retry(after: nil), .busy(after: 20),
        ]
        let outcome = outcomes[random.below(outcomes.count)]
        if outcome != .empty { owed.insert(lane) }
        queue.finished(lane, outcome, now: now, jitter: 0.3)
      }
    }
    // Left alone, everything that is owed gets its turn.
    for _ in 0..<2000 where !(owed.isEmpty && sending.isEmpty) {
      for start in queue.next(now: now).start {
        owed.remove(start.lane)
        sending.insert(start.lane)
      }
      for lane in sending { queue.finished(lane, .empty, now: now, jitter: 0) }
      sending = []
      now += 60_000
    }
    #expect(owed == [])
    #expect(queue.underWay == 0)
  }
}

/// A small seeded source.
private struct TestRandom {
  private var state: UInt64
  init(seed: UInt64) { state = seed &* 0x9e37_79b9_7f4a_7c15 }
  mutating func below(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int((state >> 33) % UInt64(bound))
  }
}
