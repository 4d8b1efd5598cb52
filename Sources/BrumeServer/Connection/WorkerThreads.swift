// The threads of `Workers.swift`. Of those that wait, the one that has waited shortest takes the next
// work: what it needs is still in the processor's caches. NIO's own pool, which makes the threads, wakes
// them in turns.

import DequeModule
import Dispatch
import NIOPosix
import Synchronization

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#endif

/// A fixed number of threads that run work and may wait.
package final class WorkerThreads: Sendable {
  /// What a thread runs.
  package typealias Work = @Sendable () -> Void

  /// Where one thread waits for work.
  private final class Seat: Sendable {
    let work = Mutex<Work?>(nil)
    let comes = DispatchSemaphore(value: 0)
  }

  private struct State {
    /// The thread that came last is the last.
    var idle: [Seat] = []
    var waiting: Deque<Work> = []
  }

  private let state = Mutex(State())
  private let pool: NIOThreadPool

  /// - Parameter giveWay: whether the threads run only when nobody else on the machine wants to, or little. On Linux.
  package init(count: Int, giveWay: Bool = false) {
    pool = NIOThreadPool(numberOfThreads: count)
    pool.start()
    for _ in 0..<count {
      pool.submit { _ in
        if giveWay { Self.giveWay() }
        self.serve()
      }
    }
  }

  /// Runs the work on a thread, in the order of asking.
  package func submit(_ work: @escaping Work) {
    let seat = state.withLock { state -> Seat? in
      if let seat = state.idle.popLast() { return seat }
      state.waiting.append(work)
      return nil
    }
    guard let seat else { return }
    seat.work.withLock { $0 = work }
    seat.comes.signal()
  }

  /// Ours: of 20. The system gives such a thread about a tenth of what it gives to one that does not give way.
  private static let niceness: Int32 = 10

  /// Of the calling thread. There is no way back without rights that a server does not need otherwise.
  private static func giveWay() {
    #if canImport(Glibc)
      _ = setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, niceness)
    #elseif canImport(Musl)
      _ = setpriority(PRIO_PROCESS, 0, niceness)
    #endif
  }

  /// A thread's main function, for as long as the process.
  private func serve() {
    let seat = Seat()
    while true {
      let waiting = state.withLock { state -> Work? in
        let next = state.waiting.popFirst()
        if next == nil { state.idle.append(seat) }
        return next
      }
      if let waiting {
        waiting()
      } else {
        seat.comes.wait()
        let work = seat.work.withLock { $0.take() }
        work?()
      }
    }
  }
}
