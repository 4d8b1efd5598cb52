// When each device fetched last, for traces: a push that arrived is of no use to an app that does not fetch.
//
// It is in memory and of this process alone, because a fetch must not become a write. What was before it began
// is not known, and neither is what other servers of a store answered.

package import BrumeModel
import Synchronization

/// The last fetch of each device. One for each server.
package final class LastFetches: Sendable {
  private struct Table {
    var times: [DeviceKey: Milliseconds] = [:]
    /// What happened before is not known, or not of all devices.
    var since: Milliseconds
  }

  /// What is known of a device and a time.
  package enum Answer: Equatable, Sendable {
    case fetched
    case nothing
    case unknown
  }

  private let table: Mutex<Table>
  private let capacity: Int

  /// - Parameters:
  ///   - capacity: devices that are remembered; beyond it all are forgotten.
  ///   - since: now.
  package init(capacity: Int, since: Milliseconds) {
    self.capacity = max(1, capacity)
    table = Mutex(Table(since: since))
  }

  /// A device was answered what it asked for: records, or what changed.
  package func note(_ device: DeviceKey, at now: Milliseconds) {
    table.withLock { table in
      if table.times[device] == nil, table.times.count >= capacity {
        table = Table(since: now)
      }
      table.times[device] = now
    }
  }

  /// Whether a device fetched at this time or later.
  package func fetch(by device: DeviceKey, since time: Milliseconds) -> Answer {
    table.withLock { table in
      if let last = table.times[device], last >= time { return .fetched }
      return table.since <= time ? .nothing : .unknown
    }
  }
}
