import BrumeDelivery
import BrumeModel
import BrumePush
import BrumeStorage
import BrumeTestKit
import Testing

@Suite struct StreamProgressTests {
  private func entry(_ position: Int64, due: Milliseconds = 0) -> MailboxEntry {
    MailboxEntry(
      position: position, notificationID: "n\(position)", subscriptionID: "s", collapseID: nil,
      payload: [], time: due, requestID: "r")
  }
  /// A stream that has read an empty mailbox.
  private func live(_ limits: Limits = Limits()) -> StreamProgress {
    var progress = StreamProgress(after: 0, limits: limits)
    _ = progress.started()
    _ = progress.found([], nextDue: nil, isAll: true)
    return progress
  }

  @Test func `a stream begins by reading, and then gets entries as they are committed`() {
    var progress = StreamProgress(after: 7, limits: Limits())
    #expect(progress.started() == [.read(after: 7)])
    #expect(!progress.hasCaughtUp)
    #expect(progress.found([entry(8)], nextDue: nil, isAll: true) == [.send([entry(8)])])
    #expect(progress.hasCaughtUp)
    #expect(progress.committed([entry(9)], now: 1, hasRoom: true) == [.send([entry(9)])])
  }

  @Test func `what was read already is not sent again`() {
    var progress = live()
    _ = progress.committed([entry(5)], now: 1, hasRoom: true)
    #expect(progress.committed([entry(4), entry(5)], now: 1, hasRoom: true) == [])
  }

  @Test func `a commit during a reading leads to another reading`() {
    var progress = StreamProgress(after: 0, limits: Limits())
    _ = progress.started()
    #expect(progress.committed([entry(2)], now: 1, hasRoom: true) == [])
    #expect(
      progress.found([entry(1)], nextDue: nil, isAll: true)
        == [.send([entry(1)]), .readWhenDrained(after: 1)])
    #expect(progress.found([entry(2)], nextDue: nil, isAll: true) == [.send([entry(2)])])
  }

  @Test func `a slow connection reads again when it has drained`() {
    var progress = live()
    #expect(
      progress.committed([entry(1)], now: 1, hasRoom: false) == [.readWhenDrained(after: 0)])
    #expect(!progress.hasCaughtUp)
    #expect(progress.found([entry(1)], nextDue: nil, isAll: true) == [.send([entry(1)])])
  }

  @Test func `an entry that is not due yet is sent when it is`() {
    var progress = live()
    #expect(
      progress.committed([entry(1, due: 900)], now: 100, hasRoom: true) == [.wake(at: 900)])
    #expect(progress.mayHaveMore() == [.read(after: 0)])
    #expect(progress.found([entry(1)], nextDue: 1500, isAll: true).last == .wake(at: 1500))
  }

  /// As after a restart: the notifier has forgotten the one that waits, and puts the next behind it.
  @Test func `N1 what waits to be merged is not jumped over by what is committed behind it`() {
    for isRead in [true, false] {
      var progress = StreamProgress(after: 0, limits: Limits())
      _ = progress.started()
      if isRead {
        #expect(progress.found([], nextDue: 900, isAll: true) == [.wake(at: 900)])
      } else {
        _ = progress.found([], nextDue: nil, isAll: true)
        #expect(
          progress.committed([entry(1, due: 900)], now: 100, hasRoom: true) == [.wake(at: 900)])
      }
      #expect(progress.committed([entry(2)], now: 200, hasRoom: true) == [.read(after: 0)])
      // The one before is not due yet, and nothing behind it goes out.
      #expect(progress.found([], nextDue: 900, isAll: true) == [.wake(at: 900)])
      #expect(progress.mayHaveMore() == [.read(after: 0)])
      #expect(
        progress.found([entry(1), entry(2)], nextDue: nil, isAll: true)
          == [.send([entry(1), entry(2)])])
      #expect(progress.committed([entry(3)], now: 901, hasRoom: true) == [.send([entry(3)])])
    }
  }

  @Test func `a client that never acknowledges is sent back when half its mailbox is out`() {
    var limits = Limits()
    limits.mailboxRows = 6
    var progress = live(limits)
    #expect(progress.committed([entry(1), entry(2)], now: 1, hasRoom: true).count == 1)
    #expect(progress.committed([entry(3)], now: 1, hasRoom: true) == [.send([entry(3)]), .end])
    #expect(progress.committed([entry(4)], now: 1, hasRoom: true) == [])
    #expect(!progress.hasCaughtUp)
  }

  @Test func `a client that acknowledges beside the stream stays`() {
    var limits = Limits()
    limits.mailboxRows = 6
    var progress = live(limits)
    for position in 1...Int64(100) {
      let actions = progress.committed([entry(position)], now: 1, hasRoom: true)
      #expect(actions == [.send([entry(position)])])
      progress.acknowledged(through: position - 1)
    }
  }

  /// Whatever the order of commits, readings, slow sockets and time: each entry once, in order.
  @Test(arguments: 1...20 as ClosedRange<UInt64>)
  func `nothing is lost, doubled or out of order, seed`(_ seed: UInt64) {
    #expect(lostOrDoubled(seed: seed, forgets: false) == nil)
  }

  @Test func `the same trial notices a stream that forgets a commit during a reading`() {
    #expect((1...20).contains { lostOrDoubled(seed: $0, forgets: true) != nil })
  }

  /// - Parameter forgets: the planted fault: commits are not noticed while the stream reads.
  private func lostOrDoubled(seed: UInt64, forgets: Bool) -> String? {
    var random = SeededRandom(seed: seed)
    var limits = Limits()
    limits.mailboxRows = .max
    var progress = StreamProgress(after: 0, limits: limits)
    var (mailbox, sent, snapshot): ([MailboxEntry], [Int64], [MailboxEntry]?) = ([], [], nil)
    var now: Milliseconds = 0
    var wakes: [Milliseconds] = []
    func carryOut(_ actions: [StreamProgress.Action]) {
      for action in actions {
        switch action {
        case .send(let entries): sent += entries.map(\.position)
        // A reading sees the mailbox as it is now and answers later.
        case .read(let position), .readWhenDrained(let position):
          snapshot = mailbox.filter { $0.position > position }
        case .wake(let time): wakes.append(time)
        case .end: Issue.record("nothing ends here")
        }
      }
    }
    carryOut(progress.started())
    for step in 1...400 {
      now += Milliseconds(random.next(below: 50))
      if wakes.contains(where: { $0 <= now }) {
        wakes.removeAll { $0 <= now }
        carryOut(progress.mayHaveMore())
      }
      if random.one(in: 2), step < 350, mailbox.allSatisfy({ $0.time <= now }) {
        let new = entry(Int64(step), due: random.one(in: 4) ? now + 300 : now)
        mailbox.append(new)
        if forgets, snapshot != nil { continue }
        carryOut(progress.committed([new], now: now, hasRoom: !random.one(in: 5)))
      } else if let seen = snapshot {
        snapshot = nil
        let front = Array(seen.prefix { $0.time <= now }.prefix(3))
        carryOut(
          progress.found(
            front, nextDue: front.count < seen.count ? seen[front.count].time : nil,
            isAll: front.count < 3))
      }
    }
    let expected = mailbox.map(\.position)
    return sent == expected ? nil : "seed \(seed): sent \(sent), committed \(expected)"
  }
}
