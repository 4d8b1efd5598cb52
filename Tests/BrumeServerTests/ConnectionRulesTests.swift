// How long a connection may keep the server waiting, event by event.

import BrumeServer
import Testing

/// The rules in a box: `#expect` cannot call what changes a value.
final class Subject {
  private var rules: ConnectionRules
  init(_ rules: ConnectionRules) { self.rules = rules }

  var wakeAt: ConnectionRules.Instant? { rules.wakeAt }
  func headReceived(hostCount: Int, targetBytes: Int, at now: Int64) -> ConnectionRules.Verdict {
    rules.headReceived(hostCount: hostCount, targetBytes: targetBytes, at: now)
  }
  func headReceived(expects: ConnectionRules.Expectation, at now: Int64) -> ConnectionRules.Verdict
  {
    rules.headReceived(hostCount: 1, targetBytes: 20, expects: expects, at: now)
  }
  var mayRefuse: Bool { rules.mayRefuse }
  func malformed() -> ConnectionRules.Malformed { rules.malformed() }
  func takeGoAhead() -> Bool { rules.takeGoAhead() }
  func bodyReceived(bytes: Int) { rules.bodyReceived(bytes: bytes) }
  func endReceived() { rules.endReceived() }
  func answerBegan(closes: Bool) { rules.answerBegan(closes: closes) }
  func answerEnded(at now: Int64) { rules.answerEnded(at: now) }
  func writabilityChanged(isWritable: Bool, at now: Int64) {
    rules.writabilityChanged(isWritable: isWritable, at: now)
  }
  func lastHeadReceived(at now: Int64) {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, isLast: true, at: now)
  }
  var takesNoMore: Bool { rules.takesNoMore }
  var answersLast: Bool { rules.answersLast }
  var isOver: Bool { rules.isOver }
  var answersNoMore: Bool { rules.answersNoMore }
  func endAsked() -> Bool { rules.endAsked() }
  func sendingBegan(at now: Int64) { rules.sendingBegan(at: now) }
  func sendingEnded(at now: Int64) { rules.sendingEnded(at: now) }
  func readBegan(at now: Int64) { rules.readBegan(at: now) }
  func readEnded(at now: Int64) { rules.readEnded(at: now) }
  func requestIsOverdue(at now: Int64) -> Bool { rules.requestIsOverdue(at: now) }
  func timeReached(_ now: Int64) -> ConnectionRules.Passed { rules.timeReached(now) }
}

@Suite struct ConnectionRulesTests {
  static let limits = ConnectionRules.Limits()
  let rules = Subject(ConnectionRules(limits: limits, openedAt: 0))

  @Test func `a silent connection gets an answer and is closed when the header's time has passed`()
  {
    #expect(rules.wakeAt == 10_000)
    #expect(rules.timeReached(9_999) == .wait)
    #expect(rules.timeReached(10_000) == .refuse(status: 408))
    #expect(rules.mayRefuse)
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 10_000)
    #expect(rules.timeReached(10_499) == .wait)
    #expect(rules.timeReached(10_500) == .close)
  }

  @Test func `time that the server lost is given back, so that it reads first what has come`() {
    #expect(rules.timeReached(14_000) == .wait)
    #expect(rules.wakeAt == 18_000)
    #expect(rules.headReceived(hostCount: 1, targetBytes: 20, at: 14_001) == .accept)
    rules.endReceived()
    rules.answerEnded(at: 14_002)
    #expect(rules.wakeAt == nil)
  }

  @Test func `a minute of lost time is given back and no more`() {
    #expect(rules.timeReached(80_000) == .wait)
    #expect(rules.wakeAt == 140_000)
  }

  @Test func `a server that is always late still ends a silent connection`() {
    var now = Self.limits.headerMilliseconds
    var turns = 0
    while turns < 100 {
      now += 20_000
      turns += 1
      if rules.timeReached(now) != .wait { break }
      now = rules.wakeAt ?? now
    }
    #expect(turns == 4, "60 s in all")
  }

  @Test func `a body that a busy server did not read is not too slow`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    #expect(rules.timeReached(12_000) == .wait)
    rules.bodyReceived(bytes: Self.limits.bodyBytes)
    #expect(rules.timeReached(14_000) == .wait)
    #expect(rules.timeReached(24_000) == .close)
  }

  @Test func `a header in time lifts the deadline`() {
    #expect(rules.headReceived(hostCount: 1, targetBytes: 20, at: 100) == .accept)
    rules.endReceived()
    rules.answerEnded(at: 200)
    #expect(rules.wakeAt == nil)
  }

  @Test func `a request has its time from its header on, and is overdue once`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 100)
    rules.endReceived()
    #expect(rules.wakeAt == 60_100)
    #expect(!rules.requestIsOverdue(at: 60_099))
    #expect(rules.requestIsOverdue(at: 60_100))
    #expect(!rules.requestIsOverdue(at: 60_101))
    #expect(rules.timeReached(60_101) == .wait, "the answer says so first")
  }

  @Test func `the time of a request begins when the one before it is answered`() {
    for _ in 0..<2 {
      _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
      rules.endReceived()
    }
    rules.answerEnded(at: 50_000)
    #expect(!rules.requestIsOverdue(at: 109_999))
    #expect(rules.requestIsOverdue(at: 110_000))
  }

  @Test(arguments: [0, 2, 3])
  func `a request must have exactly one Host`(count: Int) {
    #expect(
      rules.headReceived(hostCount: count, targetBytes: 20, at: 0) == .refuse(status: 400))
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 5)
    #expect(rules.timeReached(5 + Self.limits.lingerMilliseconds) == .close)
  }

  @Test func `an overlong target is refused`() {
    #expect(rules.headReceived(hostCount: 1, targetBytes: 16_384, at: 0) == .accept)
    #expect(rules.headReceived(hostCount: 1, targetBytes: 16_385, at: 0) == .refuse(status: 414))
  }

  @Test func `a body that drips is closed after one window`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    for _ in 0..<10 { rules.bodyReceived(bytes: 10) }
    #expect(rules.timeReached(10_000) == .close)
  }

  @Test func `a body that flows may take its time`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    for window in Int64(1)...20 {
      rules.bodyReceived(bytes: Self.limits.bodyBytes)
      #expect(rules.timeReached(window * 10_000) == .wait)
    }
    rules.endReceived()
    rules.answerEnded(at: 200_000)
    #expect(rules.wakeAt == nil)
  }

  @Test func `a body that waits for an earlier answer is not the client's fault`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 1)
    #expect(rules.timeReached(10_001) == .wait)
    rules.answerEnded(at: 15_000)
    #expect(rules.timeReached(15_001) == .wait)
    #expect(rules.timeReached(25_000) == .close)
  }

  @Test func `after an answer that ends the connection the client may linger briefly`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.bodyReceived(bytes: 1 << 20)
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 700)
    #expect(rules.timeReached(1199) == .wait)
    #expect(rules.timeReached(1200) == .close)
  }

  @Test func `after it the rest of a body is read while it flows, and so much of it`() {
    var limits = Self.limits
    limits.lingerBytes = 3000
    let rules = Subject(ConnectionRules(limits: limits, openedAt: 0))
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 0)
    for now in [Int64(500), 1000] {
      rules.bodyReceived(bytes: 1000)
      #expect(rules.timeReached(now) == .wait && rules.wakeAt == now + 500)
    }
    rules.bodyReceived(bytes: 1000)
    #expect(rules.timeReached(1500) == .close, "3,000 bytes are enough")
  }

  @Test func `after it a client that sends no more is not waited for`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 0)
    rules.bodyReceived(bytes: 1000)
    #expect(rules.timeReached(500) == .wait)
    #expect(rules.timeReached(1000) == .close)
  }

  @Test func `a connection is over when its last request has come and its answer has left`() {
    rules.lastHeadReceived(at: 0)
    #expect(rules.answersLast && !rules.takesNoMore)
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 1)
    rules.sendingBegan(at: 1)
    #expect(!rules.isOver)
    rules.sendingEnded(at: 2)
    #expect(!rules.isOver, "the rest of its body is still to come")
    rules.endReceived()
    #expect(rules.isOver && rules.takesNoMore)
  }

  @Test func `the end of a connection waits until the answer before it has left`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 0)
    rules.sendingBegan(at: 0)
    #expect(rules.timeReached(500) == .wait && rules.wakeAt == 30_000)
    rules.sendingEnded(at: 20_000)
    #expect(rules.wakeAt == 20_500 && rules.timeReached(20_500) == .close)
  }

  @Test func `the end that somebody asks for waits for what was written, and not for ever`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    #expect(!rules.endAsked())
    rules.answerBegan(closes: false)
    rules.answerEnded(at: 0)
    rules.sendingBegan(at: 0)
    #expect(rules.endAsked() && rules.takesNoMore && !rules.isOver)
    #expect(rules.wakeAt == 30_000 && rules.timeReached(30_000) == .close)
    rules.sendingEnded(at: 20_000)
    #expect(rules.isOver)
  }

  @Test func `behind a request whose answer ends the connection nothing is taken or answered`() {
    for _ in 1...2 { _ = rules.headReceived(expects: .nothing, at: 0) }
    rules.endReceived()
    rules.answerBegan(closes: true)
    #expect(rules.takesNoMore && !rules.answersNoMore)
    rules.answerEnded(at: 0)
    #expect(rules.answersNoMore && !rules.isOver)
    rules.answerEnded(at: 300)
    #expect(rules.timeReached(500) == .close, "an answer that is not sent gives no time")
  }

  @Test func `a request before the last one does not end the connection`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.lastHeadReceived(at: 0)
    rules.endReceived()
    #expect(!rules.answersLast && rules.takesNoMore)
    rules.answerBegan(closes: false)
    rules.answerEnded(at: 1)
    #expect(!rules.isOver && rules.answersLast)
  }

  @Test func `an answer that was handed on and does not leave is given up`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.answerEnded(at: 1_000)
    rules.sendingBegan(at: 1_000)
    #expect(rules.wakeAt == 31_000)
    #expect(rules.timeReached(30_999) == .wait)
    #expect(rules.timeReached(31_000) == .close)
  }

  @Test func `an answer that has left leaves no deadline`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.answerEnded(at: 0)
    rules.sendingBegan(at: 0)
    rules.sendingBegan(at: 5_000)
    rules.sendingEnded(at: 6_000)
    #expect(rules.timeReached(30_000) == .wait, "the other one has its time from now on")
    rules.sendingEnded(at: 31_000)
    #expect(rules.wakeAt == nil)
  }

  @Test func `a body that nobody asks for is not too slow, however long that takes`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.readEnded(at: 1_000)
    for now in stride(from: Int64(10_000), through: 60_000, by: 10_000) {
      #expect(rules.timeReached(now) == .wait)
    }
    rules.readBegan(at: 65_000)
    #expect(rules.timeReached(74_999) == .wait)
    #expect(rules.timeReached(75_000) == .close)
  }

  @Test func `an answer that nobody reads is given up`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.writabilityChanged(isWritable: false, at: 1_000)
    rules.writabilityChanged(isWritable: false, at: 9_000)
    #expect(rules.timeReached(30_999) == .wait)
    #expect(rules.timeReached(31_000) == .close)
  }

  @Test func `a reader that catches up is left alone`() {
    _ = rules.headReceived(hostCount: 1, targetBytes: 20, at: 0)
    rules.endReceived()
    rules.writabilityChanged(isWritable: false, at: 1_000)
    rules.writabilityChanged(isWritable: true, at: 2_000)
    rules.answerEnded(at: 2_000)
    #expect(rules.wakeAt == nil)
  }

  // MARK: Whose turn it is

  @Test func `a client that waits with its body gets the word once`() {
    #expect(rules.headReceived(expects: .goAhead, at: 0) == .accept)
    #expect(rules.takeGoAhead())
    #expect(!rules.takeGoAhead())
  }

  @Test func `a client that does not ask gets no word`() {
    _ = rules.headReceived(expects: .nothing, at: 0)
    #expect(!rules.takeGoAhead())
  }

  @Test func `a body that comes by itself needs no word`() {
    _ = rules.headReceived(expects: .goAhead, at: 0)
    rules.bodyReceived(bytes: 1)
    #expect(!rules.takeGoAhead())
  }

  @Test func `a request without a body needs no word`() {
    _ = rules.headReceived(expects: .goAhead, at: 0)
    rules.endReceived()
    #expect(!rules.takeGoAhead())
  }

  @Test func `an answer that is there without the body stands for the word`() {
    _ = rules.headReceived(expects: .goAhead, at: 0)
    rules.answerBegan(closes: false)
    #expect(!rules.takeGoAhead())
  }

  @Test func `the word waits until the answer to an earlier request has been written`() {
    _ = rules.headReceived(expects: .nothing, at: 0)
    rules.endReceived()
    _ = rules.headReceived(expects: .goAhead, at: 1)
    #expect(!rules.takeGoAhead())
    rules.answerBegan(closes: false)
    #expect(!rules.takeGoAhead())
    rules.answerEnded(at: 2)
    #expect(rules.takeGoAhead())
  }

  @Test func `what else a client expects is refused`() {
    #expect(rules.headReceived(expects: .another, at: 0) == .refuse(status: 417))
  }

  @Test func `an expectation is read without regard to case`() {
    #expect(ConnectionRules.Expectation("100-Continue") == .goAhead)
    #expect(ConnectionRules.Expectation("200-maybe") == .another)
    #expect(ConnectionRules.Expectation(nil) == .nothing)
  }

  @Test func `a refusal waits until earlier requests have their answers`() {
    _ = rules.headReceived(expects: .nothing, at: 0)
    rules.endReceived()
    #expect(rules.headReceived(hostCount: 2, targetBytes: 20, at: 1) == .refuse(status: 400))
    #expect(!rules.mayRefuse)
    rules.answerBegan(closes: false)
    rules.answerEnded(at: 2)
    #expect(rules.mayRefuse)
    #expect(rules.timeReached(2 + Self.limits.lingerMilliseconds) == .wait, "not written yet")
  }

  @Test func `no refusal follows an answer that ends the connection`() {
    _ = rules.headReceived(expects: .nothing, at: 0)
    rules.endReceived()
    #expect(rules.headReceived(hostCount: 2, targetBytes: 20, at: 1) == .refuse(status: 400))
    rules.answerBegan(closes: true)
    rules.answerEnded(at: 2)
    #expect(!rules.mayRefuse)
  }

  @Test func `whoever reads a body gets the error of its rest, and others a refusal`() {
    _ = rules.headReceived(expects: .nothing, at: 0)
    #expect(rules.malformed() == .handOn)
    rules.endReceived()
    #expect(rules.malformed() == .refuse)
  }
}
