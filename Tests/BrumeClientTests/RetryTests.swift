import Testing

@testable import BrumeClient

struct RetryTests {
  @Test func `a lost answer is asked for once more where that is safe`() {
    var retry = Retry(isRepeatable: true)
    let answers = [retry.failed(.responseLost("gone")), retry.failed(.responseLost("gone"))]
    #expect(answers == [true, false])
  }

  @Test func `a lost answer of a write without a name is reported`() {
    var retry = Retry(isRepeatable: false)
    let again = retry.failed(.responseLost("gone"))
    #expect(!again)
  }

  @Test(arguments: [true, false])
  func `what the server did not take in is sent again, three times in all`(isRepeatable: Bool) {
    var retry = Retry(isRepeatable: isRepeatable)
    let answers = (0..<3).map { _ in retry.failed(.notTaken("408")) }
    #expect(answers == [true, true, false])
    #expect(Retry.reported(.notTaken("408"), isRead: isRepeatable) == .connectionFailed("408"))
  }

  @Test func `an answer may be lost after a request that was not taken in`() {
    var retry = Retry(isRepeatable: true)
    let failures: [CallFailure] = [.notTaken("408"), .responseLost("gone"), .responseLost("gone")]
    let answers = failures.map { retry.failed($0) }
    #expect(answers == [true, true, false])
  }

  @Test(arguments: [
    CallFailure.unreachable("x"), .connectionFailed("x"), .notConfigured("x"),
    .malformedAnswer("x"), .timedOut("x"),
  ])
  func `what was never sent, was answered or had its time is not repeated`(
    _ failure: CallFailure
  ) {
    var retry = Retry(isRepeatable: true)
    let again = retry.failed(failure)
    #expect(!again)
  }

  @Test func `a read whose answer is lost is only a failed connection`() {
    #expect(
      Retry.reported(.responseLost("gone"), isRead: true) == .connectionFailed("gone"))
    #expect(Retry.reported(.responseLost("gone"), isRead: false) == .responseLost("gone"))
    #expect(Retry.reported(.timedOut("late"), isRead: true) == .connectionFailed("late"))
    #expect(Retry.reported(.timedOut("late"), isRead: false) == .responseLost("late"))
  }

  @Test func `pauses double, and stop at the longest`() {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
    let pauses = (0..<6).map { _ in backoff.next(chance: 1) }
    #expect(
      pauses == [.seconds(1), .seconds(2), .seconds(4), .seconds(8), .seconds(10), .seconds(10)])
  }

  @Test func `chance shortens a pause by at most a half`() {
    var backoff = Backoff(first: .seconds(2), longest: .seconds(10))
    let pauses = [backoff.next(chance: 0), backoff.next(chance: 0.5)]
    #expect(pauses == [.seconds(1), .seconds(3)])
  }

  @Test func `a pause is as long as the server asks at least`() {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
    let pause = backoff.next(chance: 1, atLeast: 30)
    #expect(pause == .seconds(30))
  }

  @Test func `after a success the first pause is short again`() {
    var backoff = Backoff(first: .seconds(1), longest: .seconds(10))
    _ = backoff.next(chance: 1)
    _ = backoff.next(chance: 1)
    backoff.reset()
    let pause = backoff.next(chance: 1)
    #expect(pause == .seconds(1))
  }

  @Test func `many attempts do not overflow`() {
    var backoff = Backoff()
    let longest = (0..<1000).map { _ in backoff.next(chance: 1) }.max()
    #expect(longest == .seconds(30))
  }
}
