// Threads that give way to all others, for what comes in the name of whoever has lately brought much work, and that is
// counted here. A name has fewer of them at a time than the machine has processors: the system looks only every few
// milliseconds at whose turn it is, and for so long a small request waited when they kept all processors busy.

import BrumeDelivery
import BrumeStorage
import FoundationEssentials
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// A pool of threads that give way, with the processor time that was spent in each name.
package final class GivingWay: Sendable {
  /// Ours: threads that one name has at once. One processor is left to all others, if there are two.
  package static let threadsPerLane = min(
    Workers.threadsPerLane, max(1, ProcessInfo.processInfo.activeProcessorCount - 1))

  private let threads: WorkerThreads
  private let clocks: Clocks
  private let work = Mutex(RecentWork())
  private let shares: Mutex<LaneShares<WorkerThreads.Work>>

  /// In nanoseconds.
  package struct Clocks: Sendable {
    /// What the calling thread has had of a processor.
    package let processorTime: @Sendable () -> Int64
    /// Only rises.
    let now: @Sendable () -> Int64

    package init(
      processorTime: @escaping @Sendable () -> Int64, now: @escaping @Sendable () -> Int64
    ) {
      self.processorTime = processorTime
      self.now = now
    }

    /// The system's.
    package static let system = Clocks {
      var time = timespec()
      clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
      return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
    } now: {
      SteadyClock.nanoseconds()
    }
  }

  /// - Parameters:
  ///   - threads: how many there are.
  ///   - perLane: how many of them the work of one name has at once.
  ///   - clocks: by which some have brought much.
  package init(threads: Int, perLane: Int, clocks: Clocks) {
    self.threads = WorkerThreads(count: threads, giveWay: true)
    self.clocks = clocks
    shares = Mutex(LaneShares(perLane: perLane))
  }

  /// Whether so much came in that name lately that its work belongs here.
  package func isMuch(for name: String) -> Bool {
    let now = clocks.now()
    return work.withLock { $0.isMuch(for: name, now: now) }
  }

  /// What the calling thread has had of a processor until now.
  func begin() -> Int64 { clocks.processorTime() }

  /// Counts what the calling thread has had since `began`.
  func count(since began: Int64, for name: String) {
    let took = clocks.processorTime() - began
    work.withLock { $0.add(took, for: name, now: clocks.now()) }
  }

  /// Runs the work, in the order of asking within the name.
  func submit(for name: String, _ work: @escaping WorkerThreads.Work) {
    guard shares.withLock({ $0.add(work, to: name) }) else { return }
    threads.submit { [self] in carryOut(work, for: name) }
  }

  /// What waits in the same name comes after other names' work that waits.
  private func carryOut(_ work: WorkerThreads.Work, for name: String) {
    work()
    guard let next = shares.withLock({ $0.ended(in: name) }) else { return }
    threads.submitAtEnd { [self] in carryOut(next, for: name) }
  }
}
