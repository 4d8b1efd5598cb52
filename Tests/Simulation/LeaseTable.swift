// Who notifies for which bucket, as the disk has it: renewed, given away and taken as on PostgreSQL, ten times as fast.

import BrumeModel
import BrumeStorage

struct LeaseTable {
  /// Ours: a tenth of the real times, so that several leases fit into a run.
  static let length: Milliseconds = 1000
  static let interval: Milliseconds = 250
  static let shortestPause: Milliseconds = 20
  private static let presence: Milliseconds = 600

  private struct Lease {
    var owner = ""
    var epoch: Int64 = 0
    var until: Milliseconds = -1
  }
  private var leases: [Lease]
  /// When a process was there last.
  private var present: [String: Milliseconds] = [:]

  init(buckets: Int) { leases = Array(repeating: Lease(), count: buckets) }

  func isOwned(_ bucket: Bucket, by process: String, under epoch: Int64) -> Bool {
    leases[bucket.number].owner == process && leases[bucket.number].epoch == epoch
  }

  /// One round of a process: it renews its leases, gives away what is more than its share, and takes what nobody has
  /// renewed. Answers the epochs of those that are its own now.
  mutating func round(of process: String, now: Milliseconds) -> [Bucket: Int64] {
    present[process] = now
    let processes = present.values.count { $0 > now - Self.presence }
    let share = (leases.count + processes - 1) / processes
    var owned = 0
    for index in leases.indices where leases[index].owner == process {
      owned += 1
      if owned <= share {
        leases[index].until = now + Self.length
      } else {
        (leases[index].owner, leases[index].until) = ("", -1)
      }
    }
    for index in leases.indices where owned < share && leases[index].until < now {
      owned += 1
      leases[index] = Lease(
        owner: process, epoch: leases[index].epoch + 1, until: now + Self.length)
    }
    return epochs(of: process)
  }

  private func epochs(of process: String) -> [Bucket: Int64] {
    let own = leases.enumerated().filter { $1.owner == process }.map { (Bucket($0), $1.epoch) }
    return Dictionary(uniqueKeysWithValues: own)
  }

  /// Milliseconds until the next round of a process: what lapses is taken as soon as it may be.
  func pause(of process: String, now: Milliseconds) -> Milliseconds {
    let lapse = leases.filter { $0.owner != process && $0.until > now }.map { $0.until - now + 1 }
    return min(Self.interval, max(Self.shortestPause, lapse.min() ?? .max))
  }
}

/// What a process knows of its leases: what the disk said last.
/// Sendable because a simulation has one thread.
final class KnownLease: Leases, @unchecked Sendable {
  var epochs: [Bucket: Int64] = [:]
  let processes: Int

  init(processes: Int) { self.processes = processes }

  func epoch(of bucket: Bucket) -> Int64? { epochs[bucket] }
}
