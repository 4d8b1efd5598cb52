// Time that stands still until a test moves it. A sleep on it ends when its time has come.

import BrumeClient
import BrumeCore
import BrumeModel
import BrumeServer
public import Foundation

/// The clock of a ``LocalServer`` and its devices.
public final class ManualClock: Sendable {
  private let time: ManualTime

  /// Starts on 2026-11-20 at 12:00 UTC.
  init(_ start: Milliseconds = 1_795_176_000_000) { time = ManualTime(start) }

  /// The time.
  public var now: Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }

  var milliseconds: Milliseconds { time.now }

  /// How many tasks sleep on this clock.
  public var sleepers: Int { time.alarmCount }

  /// Moves the time, and ends the sleeps that waited for it.
  public func advance(by duration: Duration) { time.advance(by: duration.milliseconds) }

  /// Returns when so many tasks sleep: the moment to ``advance(by:)``.
  ///
  /// - Throws: `CancellationError` when the test is cancelled, as by its time limit.
  public func someoneSleeps(atLeast tasks: Int = 1) async throws {
    try await time.somethingWaits(atLeast: tasks)
  }

  func sleep(_ duration: Duration) async throws {
    try await time.sleep(until: time.now + duration.milliseconds, for: "a device")
  }
}

extension BrumeCore.Host {
  /// The clock is the test's; identity and chance are the real ones.
  static func manual(_ clock: ManualClock) -> BrumeCore.Host {
    BrumeCore.Host(
      now: { clock.milliseconds }, uuid: BrumeCore.Host.real.uuid,
      randomBytes: BrumeCore.Host.real.randomBytes)
  }
}

extension Session.Host {
  static func manual(_ clock: ManualClock) -> Session.Host {
    Session.Host(
      now: { clock.now }, uuid: BrumeCore.Host.real.uuid, chance: { 0.5 },
      sleep: { try await clock.sleep($0) })
  }
}
