// What large deletions have read is in memory until their writes have had their turn.

import BrumeModel
import Testing

@testable import BrumeCore

@Suite struct WaitingCascadesTests {
  private static let limits: Limits = {
    var limits = Limits.apple
    limits.cascadeBytes = 50
    return limits
  }()

  @Test func `large deletions that wait have a bound together, and one that is alone has none`()
    throws
  {
    let waiting = WaitingCascades(Self.limits)
    var first: WaitingCascades.Share? = try waiting.share(of: 60)
    let second = try waiting.share(of: 40)
    #expect(throws: BrumeError.self) { _ = try waiting.share(of: 1) }
    withExtendedLifetime(first) {}
    first = nil
    let third = try waiting.share(of: 60)
    #expect(throws: BrumeError.self) { _ = try waiting.share(of: 1) }
    withExtendedLifetime((second, third)) {}
    let alone = try WaitingCascades(Self.limits).share(of: 5000)
    withExtendedLifetime(alone) {}
  }
}
