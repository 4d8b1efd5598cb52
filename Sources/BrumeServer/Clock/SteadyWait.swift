// Waiting for a semaphore by a clock that nobody sets. On Linux, Dispatch's own wait ends at a time of the system's clock:
// while that is set back by an hour, it lasts an hour longer.

import Dispatch
import Synchronization

extension DispatchSemaphore {
  private final class Alarm: Sendable {
    /// Whether the wait has ended, one way or the other.
    let isOver = Atomic<Bool>(false)

    /// Answers whether it is the first to end it.
    func end() -> Bool { !isOver.exchange(true, ordering: .acquiringAndReleasing) }
  }

  /// Waits on the calling thread until the semaphore is signalled, or for so many milliseconds; false if they passed.
  func wait(milliseconds: Int) -> Bool {
    let alarm = Alarm()
    let timer = DispatchSource.makeTimerSource()
    timer.setEventHandler { if alarm.end() { self.signal() } }
    timer.schedule(deadline: .now() + .milliseconds(milliseconds))
    timer.activate()
    defer { timer.cancel() }
    wait()
    // A signal that came with the alarm stays for the next wait.
    return alarm.end()
  }
}
