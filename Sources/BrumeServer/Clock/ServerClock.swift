// The clock that everything in the server waits by: the host's, or one that is moved by hand. Limits of connections
// and of calls to the outside are no part of it: the other side's time goes on.

import BrumeCore
import BrumeDelivery
package import BrumeModel

/// The time of one server, and waiting for a later one.
package struct ServerClock: Sendable {
  private let host: Host
  /// Nil: time passes by itself.
  package let manual: ManualTime?

  /// - Parameter host: has the time of `manual`, if there is one.
  init(_ host: Host, _ manual: ManualTime?) {
    self.host = host
    self.manual = manual
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
  func following(_ time: ManualTime) -> Host {
    Host(now: { time.now }, uuid: uuid, randomBytes: randomBytes)
  }
}
