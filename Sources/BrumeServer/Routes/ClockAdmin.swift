// /_brume/admin/clock: the time of a development server, which may be moved by hand.

import BrumeCore
import BrumeModel
import BrumeWire

struct ClockAdmin: Sendable {
  let clock: ServerClock
  let limits: Limits

  func show(_ call: Call) async throws -> Reply {
    .json(Wire.clock(clock.shown(most: limits.shownTimers)))
  }

  /// By `{"milliseconds": 60000}`, or to the next that waits: `{"toNext": true}`.
  func move(_ call: Call) async throws -> Reply {
    guard let manual = clock.manual else {
      throw BrumeError(
        .badRequest,
        "this server's time passes by itself; start a development server with 'brume serve --dev --clock manual'"
      )
    }
    var reached: ClockState.Timer?
    switch try Wire.clockMove(try call.json()) {
    case .by(let step):
      guard (0...limits.clockStep).contains(step) else {
        throw BrumeError(
          .badRequest,
          "'milliseconds' must be from 0 to \(limits.clockStep): a clock that went back would make what was saved "
            + "later older")
      }
      manual.advance(by: step)
    case .toNext: reached = manual.advanceToNext()
    }
    var shown = clock.shown(most: limits.shownTimers)
    shown.reached = reached
    return .json(Wire.clock(shown))
  }
}
