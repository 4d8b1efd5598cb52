import BrumeModel
import BrumeTestKit
import Testing

@testable import BrumeCore
@testable import BrumeNotifier

struct CoalescerTests {
  private let phone = device("phone", of: alice)
  private let key = Coalescer.Key(
    device: device("phone", of: alice),
    subscription: SubscriptionKey(scope: place(.private, alice), id: "s"), collapseID: nil)
  private let other = Coalescer.Key(
    device: device("phone", of: alice),
    subscription: SubscriptionKey(scope: place(.private, alice), id: "t"), collapseID: nil)

  private func subject(capacity: Int = 100) -> Coalescer {
    var limits = Limits.apple
    limits.coalescedKeysPerUser = capacity
    return Coalescer(window: limits.coalescingWindow, capacity: limits.coalescedKeysPerUser)
  }
  private func put(
    _ subject: inout Coalescer, _ key: Coalescer.Key?, at now: Milliseconds, position: Int64
  ) -> Coalescer.Action {
    let action = subject.changed(phone, key, now: now)
    if let key { subject.enqueued(phone, key, at: position, due: action.due, now: now) }
    return action
  }

  @Test func `the first goes at once, the next waits until the window ends and keeps its time`() {
    var coalescer = subject()
    #expect(put(&coalescer, key, at: 0, position: 1) == .init(due: 0))
    #expect(put(&coalescer, key, at: 100, position: 2) == .init(due: 1000, replaces: 1))
    #expect(
      put(&coalescer, key, at: 900, position: 3)
        == .init(due: 1000, replaces: 2, signalsReader: false))
    #expect(put(&coalescer, key, at: 1000, position: 4) == .init(due: 2000, replaces: 3))
    #expect(put(&coalescer, key, at: 5000, position: 5) == .init(due: 5000, replaces: 4))
  }

  @Test func `what replaces a push that nobody has taken takes its place and does not wait`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 0, position: 1)
    #expect(coalescer.last(key, dueBy: 100) == 1)
    let action = coalescer.changed(phone, key, now: 100, isUndelivered: true)
    #expect(action == .init(due: 0, replaces: 1))
    coalescer.enqueued(phone, key, at: 2, due: 0, now: 100)
    // Taken now: the window counts from when it was due.
    #expect(put(&coalescer, key, at: 500, position: 3) == .init(due: 1000, replaces: 2))
    #expect(coalescer.last(key, dueBy: 500) == nil)
    // What waits for its window goes on waiting, taken or not.
    #expect(coalescer.changed(phone, key, now: 600, isUndelivered: true).due == 1000)
  }

  @Test func `what goes at once moves what waits behind it`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 0, position: 1)
    _ = put(&coalescer, key, at: 100, position: 2)
    #expect(put(&coalescer, nil, at: 200, position: 3) == .init(due: 200, moves: [2]))
    coalescer.moved(phone, from: 2, to: 4)
    #expect(put(&coalescer, other, at: 300, position: 5) == .init(due: 300, moves: [4]))
    coalescer.moved(phone, from: 4, to: nil)
    #expect(put(&coalescer, nil, at: 400, position: 6) == .init(due: 400))
  }

  @Test func `what is due does not move any more`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 0, position: 1)
    _ = put(&coalescer, key, at: 100, position: 2)
    #expect(put(&coalescer, nil, at: 1000, position: 3) == .init(due: 1000))
  }

  @Test func `a clock set back makes nothing wait for longer than the window`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 1_000_000, position: 1)
    let action = put(&coalescer, key, at: 10, position: 2)
    #expect(action.due <= 10 + 1000)
  }

  @Test func `after a clock was set back the reader is signalled once more`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 0, position: 1)
    #expect(put(&coalescer, key, at: 100, position: 2).due == 1000)
    // The reader took it at 1000, and 1500 became 200.
    let action = coalescer.changed(phone, key, now: 200, wasSetBack: true)
    #expect(action == .init(due: 1000, replaces: 2, signalsReader: true))
  }

  @Test func `after a clock was set back nothing moves, as it may have been taken already`() {
    var coalescer = subject()
    _ = put(&coalescer, key, at: 0, position: 1)
    #expect(put(&coalescer, key, at: 100, position: 2).due == 1000)
    // The reader took it at 1000, and has not acknowledged it. 1500 became 200.
    #expect(coalescer.changed(phone, nil, now: 200, wasSetBack: true) == .init(due: 200))
    #expect(coalescer.changed(phone, other, now: 200, wasSetBack: true) == .init(due: 200))
  }

  @Test func `visible pushes collapse without waiting`() {
    var coalescer = subject()
    let collapsing = Coalescer.Key(
      device: phone, subscription: key.subscription, collapseID: "score")
    #expect(put(&coalescer, collapsing, at: 0, position: 1) == .init(due: 0))
    #expect(put(&coalescer, collapsing, at: 1, position: 2) == .init(due: 1, replaces: 1))
  }

  @Test func `PSH-05 only silent zone and database pushes merge, and visible ones that collapse`() {
    func key(_ kind: Subscription.Kind, _ info: NotificationInfo?, collapse: String? = nil)
      -> Coalescer.Key?
    {
      var note = Notification(
        id: "i", container: nil, environment: .development, scope: .private, subscriptionID: "s",
        user: nil, subject: .fetchEverything)
      note.collapseID = collapse
      return Coalescer.key(
        for: note, of: stored("s", kind, in: place(.private, alice), info: info), to: phone)
    }
    #expect(key(.zone(ZoneID(name: "Z"), recordType: nil), silent()) != nil)
    #expect(key(.database(recordType: nil), nil) != nil)
    #expect(key(query("Note"), silent()) == nil)
    #expect(key(.database(recordType: nil), visible()) == nil)
    #expect(key(query("Note"), visible(), collapse: "c")?.collapseID == "c")
  }

  @Test func `what is remembered of all users is bounded, and those of the longest past go first`()
  {
    var limits = Limits.apple
    limits.coalescedKeys = 3
    var all = Coalescers(capacity: limits.coalescedKeys)
    func remember(_ number: Int) {
      var coalescer = subject()
      _ = put(&coalescer, key, at: Milliseconds(number), position: 1)
      all.keep([UserID("_u\(number)"): coalescer])
    }
    for number in 0..<3 { remember(number) }
    #expect(all.rememberedKeys == 3)
    remember(3)
    #expect(all.rememberedKeys == 2)
    let users = Set((0..<4).map { UserID("_u\($0)") })
    #expect(Set(all.part(of: users).keys.map(\.name)) == ["_u2", "_u3"])
  }

  @Test func `who has most is forgotten first, however new its pushes are`() {
    var all = Coalescers(capacity: 5)
    func remember(_ name: String, _ count: Int, at now: Milliseconds) {
      var coalescer = subject()
      for number in 0..<count {
        let key = Coalescer.Key(
          device: phone, subscription: key.subscription, collapseID: "c\(number)")
        _ = put(&coalescer, key, at: now, position: Int64(number))
      }
      all.keep([UserID(name): coalescer])
    }
    remember("_few", 1, at: 0)
    remember("_much", 4, at: 10)
    remember("_new", 1, at: 5)
    #expect(all.rememberedKeys == 2)
    let users = all.part(of: [UserID("_few"), UserID("_much"), UserID("_new")]).keys
    #expect(users.map(\.name).sorted() == ["_few", "_new"])
  }

  @Test func `what is remembered of a user is bounded`() {
    var coalescer = subject(capacity: 10)
    var most = 0
    for number in 0..<1000 {
      let key = Coalescer.Key(
        device: phone,
        subscription: SubscriptionKey(scope: place(.private, alice), id: "s\(number)"),
        collapseID: nil)
      _ = put(&coalescer, key, at: Milliseconds(number / 3), position: Int64(number))
      most = max(most, coalescer.rememberedKeys)
    }
    #expect(most == 10)
  }

  /// N5: at most one per window and one more, and the last change is delivered within a window.
  @Test func `N5 random bursts stay within the bounds`() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<500 {
      var coalescer = subject()
      let times = (0..<Int.random(in: 1...60, using: &random))
        .map { _ in Milliseconds.random(in: 0...5000, using: &random) }.sorted()
      var dues: Set<Milliseconds> = []
      for (position, time) in times.enumerated() {
        let action = put(&coalescer, key, at: time, position: Int64(position + 1))
        #expect(action.due >= time && action.due <= time + 1000)
        dues.insert(action.due)
      }
      let span = times[times.count - 1] - times[0]
      #expect(dues.count <= Int((span + 999) / 1000) + 1)
      for (due, next) in zip(dues.sorted(), dues.sorted().dropFirst()) {
        #expect(next - due >= 1000)
      }
    }
  }
}
