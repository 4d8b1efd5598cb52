// The clock of a server, as operators see it and move it.

/// The time, and what waits for a later one.
package struct ClockState: Equatable, Sendable {
  /// Something that waits for a time.
  package struct Timer: Equatable, Sendable {
    package let name: String
    package let time: Milliseconds
    package init(name: String, time: Milliseconds) {
      self.name = name
      self.time = time
    }
  }
  package var now: Milliseconds
  /// It stands still until somebody moves it.
  package var isManual: Bool
  /// What waits, the next first; of a clock that passes by itself nobody knows.
  package var timers: [Timer]
  /// What the clock was moved to.
  package var reached: Timer?

  package init(now: Milliseconds, isManual: Bool, timers: [Timer] = [], reached: Timer? = nil) {
    self.now = now
    self.isManual = isManual
    self.timers = timers
    self.reached = reached
  }
}

/// How an operator moves a clock.
package enum ClockMove: Equatable, Sendable {
  case by(Milliseconds)
  /// To the next that waits.
  case toNext
}
