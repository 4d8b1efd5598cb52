import BrumeModel
import Testing

@testable import BrumeNotifier

struct PaceTests {
  private let limits: Limits = {
    var limits = Limits.apple
    limits.notifierDeliveries = 25
    limits.notifierAwaitedDeliveries = 6
    limits.notifierPause = 30
    limits.notifierMaximumDelay = 1000
    return limits
  }()

  private func pace(
    waiting: Milliseconds, amidFanOut: Bool = true, othersWrite: Bool = true
  ) -> Pace {
    Pace(isAmidFanOut: amidFanOut, othersWrite: othersWrite, waiting: waiting, limits)
  }

  @Test(arguments: [(0, 6), (999, 6), (1000, 25), (-1, 25)] as [(Milliseconds, Int)])
  func `a change that has waited for so long is delivered at full speed`(
    waiting: Milliseconds, deliveries: Int
  ) {
    let pace = pace(waiting: waiting)
    #expect(pace.deliveries == deliveries)
    #expect(pace.pause(unserved: 26, limits) == (deliveries == 6 ? .milliseconds(30) : .zero))
  }

  @Test func `nobody waits for what fits into one transaction, and nobody alone waits`() {
    #expect(pace(waiting: 0).pause(unserved: 25, limits) == .zero)
    #expect(pace(waiting: 0, amidFanOut: false).deliveries == 25)
    #expect(pace(waiting: 0, othersWrite: false).deliveries == 25)
  }
}
