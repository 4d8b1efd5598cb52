// The clock that everything in the server goes and waits by: the machine's, that of the database if others may have it open
// too, or one that is moved by hand. Limits of connections and of calls to the outside are no part of it: the other side's
// time goes on.

import BrumeCore
import BrumeDelivery
package import BrumeModel
import BrumeStorage

/// The time of one server, and waiting for a later one.
package struct ServerClock: Sendable {
  /// With this time.
  let host: Host
  /// Nil: time passes by itself.
  package let manual: ManualTime?
  /// The database's time; nil: it is the machine's, or moved by hand.
  let shared: SharedTime?

  /// - Parameter machine: with its own clock.
  init(_ settings: Settings, _ machine: Host) {
    if settings.isClockManual {
      let time = ManualTime(machine.now())
      (manual, shared, host) = (time, nil, machine.following { time.now })
    } else if case .postgres = settings.engine {
      let time = SharedTime(machine: machine.now, steady: SteadyClock.milliseconds)
      (manual, shared, host) = (nil, time, machine.following { time.now })
    } else {
      (manual, shared, host) = (nil, nil, machine)
    }
  }

  /// The clock of one part of the server.
  ///
  /// - Parameter name: what it waits for, for people who move the clock.
  func waiting(for name: String) -> PushClock {
    manual?.clock(for: name) ?? PushClock(host)
  }

  /// What the clock shows, and the next that wait for it.
  package func shown(most: Int) -> ClockState {
    manual?.shown(most: most) ?? ClockState(now: host.now(), isManual: false)
  }
}

extension Host {
  /// The same host with another clock.
  func following(_ now: @escaping @Sendable () -> Milliseconds) -> Host {
    Host(now: now, uuid: uuid, randomBytes: randomBytes)
  }
}
