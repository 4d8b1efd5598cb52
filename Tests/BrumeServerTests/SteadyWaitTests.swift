// A wait ends with a signal or with its time, and no signal is lost.

import BrumeStorage
import Dispatch
import Testing

@testable import BrumeServer

@Suite(.timeLimit(.minutes(1))) struct SteadyWaitTests {
  @Test func `a wait says whether a signal came or its time passed, and keeps no signal`() {
    let semaphore = DispatchSemaphore(value: 0)
    semaphore.signal()
    #expect(semaphore.wait(milliseconds: 600_000))
    #expect(!semaphore.wait(milliseconds: 1))
    #expect(semaphore.wait(timeout: .now()) == .timedOut, "nothing of its own is left")
  }

  @Test func `a signal of another thread ends a wait long before its time`() {
    let semaphore = DispatchSemaphore(value: 0)
    #expect(EngineThread.start { semaphore.signal() })
    #expect(semaphore.wait(milliseconds: 600_000))
    #expect(semaphore.wait(timeout: .now()) == .timedOut)
  }
}
