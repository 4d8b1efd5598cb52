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

  private struct State {
    /// Where the threads wait that have nothing to do. The one that came last is the last.
    var idle: [DispatchSemaphore] = []
    var waiting: Deque<Work> = []
    /// Whether a thread was woken that runs nothing yet.
    var isWaking = false

    /// The thread to wake: one at a time, so that one which is still at work, and takes the next itself, spares the
    /// others their waking. A thread that begins wakes the next before it does anything that may block it.
    mutating func threadToWake() -> DispatchSemaphore? {
      guard !isWaking, !waiting.isEmpty, let thread = idle.popLast() else { return nil }
      isWaking = true
      return thread
    }
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
    let thread = state.withLock { state in
      state.waiting.append(work)
      return state.threadToWake()
    }
    thread?.signal()
  }

  /// The same, asked by one of these threads at the end of its work: it looks itself for what comes next, so that no other
  /// is woken for that.
  package func submitAtEnd(_ work: @escaping Work) {
    state.withLock { $0.waiting.append(work) }
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
    let comes = DispatchSemaphore(value: 0)
    while true {
      let work = state.withLock { state in
        if state.waiting.isEmpty { state.idle.append(comes) }
        return state.waiting.popFirst()
      }
      if let work { work() } else { wakeUp(comes) }
    }
  }

  /// Waits, and then runs what is there, if the others have left something.
  private func wakeUp(_ comes: DispatchSemaphore) {
    comes.wait()
    let (work, next) = state.withLock { state in
      state.isWaking = false
      return (state.waiting.popFirst(), state.threadToWake())
    }
    next?.signal()
    work?()
  }
}
