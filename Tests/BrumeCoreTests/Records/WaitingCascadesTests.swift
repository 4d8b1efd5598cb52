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
  private static let alice = UserID("_a")
  private static let bob = UserID("_b")
  private static let carol = UserID("_c")

  @Test func `large deletions of one user that wait have half of the room, and others the rest`()
    throws
  {
    let waiting = WaitingCascades(Self.limits)
    let first = waiting.share(of: Self.alice)
    try first.take(30)
    var second: WaitingCascades.Share? = waiting.share(of: Self.alice)
    try second?.take(20)
    let third = waiting.share(of: Self.alice)
    #expect(throws: BrumeError.self) { try third.take(1) }
    let other = waiting.share(of: Self.bob)
    try other.take(50)
    withExtendedLifetime(second) {}
    second = nil
    #expect(throws: BrumeError.self) { try third.take(21) }
    try third.take(20)
    withExtendedLifetime((first, third, other)) {}
  }

  @Test func `a large deletion that waits is let in however large, if its user has no other`()
    throws
  {
    let waiting = WaitingCascades(Self.limits)
    let large = waiting.share(of: Self.alice)
    try large.take(5000)
    try large.take(5000)
    let second = waiting.share(of: Self.alice)
    #expect(throws: BrumeError.self) { try second.take(1) }
    let other = waiting.share(of: Self.bob)
    try other.take(5000)
    withExtendedLifetime((large, second, other)) {}
  }

  @Test func `large deletions of all users that wait have a bound together`() throws {
    let waiting = WaitingCascades(Self.limits)
    let first = waiting.share(of: Self.alice)
    try first.take(49)
    var second: WaitingCascades.Share? = waiting.share(of: Self.bob)
    try second?.take(50)
    let third = waiting.share(of: Self.carol)
    #expect(throws: BrumeError.self) { try third.take(2) }
    try third.take(1)
    withExtendedLifetime(second) {}
    second = nil
    try third.take(49)
    withExtendedLifetime((first, third)) {}
  }
}
