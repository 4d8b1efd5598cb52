import Testing

@testable import BrumeKit

@Suite struct SyncSchedulerTests {
  private var scheduler = SyncScheduler()

  /// Reports an event; chance is 1, so that pauses are as long as they get.
  private mutating func on(
    _ event: SyncScheduler.Event, at now: Double = 0
  ) -> SyncScheduler.Action {
    scheduler.event(event, now: now, chance: 1)
  }

  @Test mutating func `a start fetches, and then sends what is pending`() {
    #expect(on(.started(hasPendingChanges: true)) == .run(.fetch))
    #expect(on(.finished(.fetch, .done())) == .run(.send))
    #expect(on(.finished(.send, .done())) == .nothing)
  }

  @Test mutating func `a start without pending changes only fetches`() {
    #expect(on(.started(hasPendingChanges: false)) == .run(.fetch))
    #expect(on(.finished(.fetch, .done())) == .nothing)
  }

  @Test mutating func `PSH-10 on a day without pushes nothing is fetched that nobody asks for`() {
    #expect(on(.started(hasPendingChanges: false)) == .run(.fetch))
    #expect(on(.finished(.fetch, .done())) == .nothing)
    #expect(on(.timePassed, at: 86_401) == .nothing)
    #expect(on(.pushed, at: 86_402) == .run(.fetch))
  }

  @Test mutating func `one job at a time: what comes meanwhile waits, and is done once`() {
    #expect(on(.changesAdded) == .run(.send))
    #expect(on(.changesAdded) == .nothing)
    #expect(on(.changesAdded) == .nothing)
    #expect(on(.pushed) == .nothing)
    #expect(on(.finished(.send, .done())) == .run(.fetch))
    #expect(on(.finished(.fetch, .done())) == .run(.send))
    #expect(on(.finished(.send, .done())) == .nothing)
  }

  @Test mutating func `a clock that is set back does not make a pause longer`() {
    #expect(on(.changesAdded, at: 5000) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil)), at: 5000) == .wait(seconds: 1))
    #expect(on(.timePassed, at: 1400) == .run(.send))
  }

  @Test mutating func `a failure that passes is repeated after growing pauses`() {
    #expect(on(.changesAdded) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.timePassed, at: 1) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil)), at: 1) == .wait(seconds: 2))
    #expect(on(.timePassed, at: 3) == .run(.send))
    #expect(on(.finished(.send, .done()), at: 3) == .nothing)
  }

  @Test mutating func `the server's wait is kept, even when there is something new to do`() {
    #expect(on(.pushed) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: 30))) == .wait(seconds: 30))
    #expect(on(.changesAdded, at: 10) == .wait(seconds: 20))
    #expect(on(.timePassed, at: 30) == .run(.send))
    #expect(on(.finished(.send, .done()), at: 31) == .run(.fetch))
  }

  @Test mutating func `a fetch that keeps failing stops no send`() {
    #expect(on(.started(hasPendingChanges: true)) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.timePassed, at: 1) == .run(.send))
    // A send that fails too gives way to the fetch.
    #expect(on(.finished(.send, .retry(afterSeconds: nil)), at: 1) == .wait(seconds: 2))
    #expect(on(.timePassed, at: 3) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 3) == .wait(seconds: 4))
    #expect(on(.timePassed, at: 7) == .run(.send))
    #expect(on(.finished(.send, .done()), at: 7) == .run(.fetch))
  }

  @Test mutating func `a fetch that keeps failing pauses longer, whatever is sent between`() {
    #expect(on(.started(hasPendingChanges: false)) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.timePassed, at: 1) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 1) == .wait(seconds: 2))
    #expect(on(.changesAdded, at: 3) == .run(.send))
    #expect(on(.finished(.send, .done()), at: 3) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 3) == .wait(seconds: 1))
    #expect(on(.changesAdded, at: 4) == .run(.send))
    #expect(on(.finished(.send, .done()), at: 4) == .wait(seconds: 3))
    #expect(on(.connected, at: 5) == .run(.fetch), "the server can be reached")
    #expect(on(.finished(.fetch, .done()), at: 5) == .nothing)
  }

  @Test mutating func `an app's own fetch that failed is repeated when the pause is over`() {
    #expect(on(.pushed) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.fetchWanted, at: 0.5) == .wait(seconds: 0.5), "it reached no server")
    #expect(on(.timePassed, at: 1) == .run(.fetch))
  }

  @Test func `what the app cancelled or must not call is not repeated for it`() {
    typealias Event = SyncScheduler.Event
    let (network, cancelled) = (CKError(.networkFailure), CKError(.operationCancelled))
    #expect(Event.after(network, of: .fetch, isFromDelegate: false) == .fetchWanted)
    #expect(Event.after(network, of: .send, isFromDelegate: false) == .changesAdded)
    for job in [SyncScheduler.Job.fetch, .send] {
      #expect(Event.after(cancelled, of: job, isFromDelegate: false) == nil)
      #expect(Event.after(CKError(.invalidArguments), of: job, isFromDelegate: true) == nil)
    }
  }

  @Test mutating func `a pause that guesses ends when the server can be reached again`() {
    #expect(on(.changesAdded) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.timePassed, at: 1) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil)), at: 1) == .wait(seconds: 2))
    #expect(on(.connected, at: 1.5) == .run(.fetch))
    // The stream may stand while all else fails: pauses grow on, but not by one that was cut short.
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 2) == .wait(seconds: 2))
    #expect(on(.timePassed, at: 4) == .run(.send))
    #expect(on(.finished(.send, .retry(afterSeconds: nil)), at: 4) == .wait(seconds: 4))
  }

  @Test mutating func `a push ends a pause that guesses, as it comes from the server`() {
    #expect(on(.pushed) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil))) == .wait(seconds: 1))
    #expect(on(.pushed, at: 0.5) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 1) == .wait(seconds: 1))
    // A push while the repetition is under way cuts nothing short.
    #expect(on(.timePassed, at: 2) == .run(.fetch))
    #expect(on(.pushed, at: 2) == .nothing)
    #expect(on(.finished(.fetch, .retry(afterSeconds: nil)), at: 2) == .wait(seconds: 2))
  }

  @Test mutating func `a wait that the server asked for is kept though it can be reached`() {
    #expect(on(.pushed) == .run(.fetch))
    #expect(on(.finished(.fetch, .retry(afterSeconds: 30))) == .wait(seconds: 30))
    #expect(on(.connected, at: 10) == .wait(seconds: 20))
    #expect(on(.pushed, at: 11) == .wait(seconds: 19))
  }

  @Test mutating func `changes that fail again and again stay slowed down once connected`() {
    #expect(on(.changesAdded) == .run(.send))
    for _ in 1...SyncScheduler.fruitlessLimit {
      _ = on(.changesAdded)
      _ = on(.finished(.send, .done(isFruitless: true)))
    }
    #expect(on(.connected, at: 0.5) == .wait(seconds: 0.5))
  }

  @Test mutating func `pauses have an end`() {
    var action = on(.changesAdded)
    var now = 0.0
    for _ in 0..<40 {
      #expect(action == .run(.send))
      guard case .wait(let seconds) = on(.finished(.send, .retry(afterSeconds: nil)), at: now)
      else {
        Issue.record("no pause")
        return
      }
      #expect(seconds <= SyncScheduler.longestPauseSeconds)
      now += seconds
      action = on(.timePassed, at: now)
    }
  }

  @Test mutating func `a failure that does not pass waits for the next reason`() {
    #expect(on(.pushed) == .run(.fetch))
    #expect(on(.finished(.fetch, .failed)) == .nothing)
    #expect(on(.timePassed, at: 100) == .nothing)
    #expect(on(.pushed, at: 100) == .run(.fetch))
  }

  @Test mutating func `nothing happens without an account, and everything when there is one`() {
    #expect(on(.changesAdded) == .run(.send))
    #expect(on(.finished(.send, .noAccount)) == .nothing)
    #expect(on(.pushed) == .nothing)
    #expect(on(.accountArrived) == .run(.fetch))
    #expect(on(.finished(.fetch, .done())) == .run(.send))
  }

  @Test mutating func `an account that arrives while a job finds none is not missed`() {
    #expect(on(.started(hasPendingChanges: false)) == .run(.fetch))
    #expect(on(.accountArrived) == .nothing)
    #expect(on(.finished(.fetch, .noAccount)) == .run(.fetch))
    // The second one asked after the account had arrived: there is none.
    #expect(on(.finished(.fetch, .noAccount)) == .nothing)
  }

  @Test mutating func `changes that fail and are added again and again are slowed down`() {
    #expect(on(.changesAdded) == .run(.send))
    for _ in 1..<SyncScheduler.fruitlessLimit {
      #expect(on(.changesAdded) == .nothing)
      #expect(on(.finished(.send, .done(isFruitless: true))) == .run(.send))
    }
    #expect(on(.changesAdded) == .nothing)
    #expect(on(.finished(.send, .done(isFruitless: true))) == .wait(seconds: 1))
  }

  @Test mutating func `cancelling forgets what was to be done`() {
    #expect(on(.changesAdded) == .run(.send))
    #expect(on(.pushed) == .nothing)
    #expect(on(.cancelled) == .nothing)
    #expect(on(.finished(.send, .failed)) == .nothing)
  }
}
