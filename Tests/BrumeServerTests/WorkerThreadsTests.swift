// Which thread takes which work.

import BrumeServer
import Dispatch
import Foundation
import Testing

@Suite struct WorkerThreadsTests {
  @Test func `work that finds no free thread runs in the order of asking`() async {
    let threads = WorkerThreads(count: 1)
    let (done, end) = AsyncStream<Int>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    threads.submit { gate.wait() }
    for number in 0..<5 { threads.submit { end.yield(number) } }
    gate.signal()
    var order: [Int] = []
    for await number in done {
      order.append(number)
      if order.count == 5 { break }
    }
    #expect(order == [0, 1, 2, 3, 4])
  }

  @Test func `as much runs at once as there are threads`() async {
    let threads = WorkerThreads(count: 3)
    let (started, start) = AsyncStream<Void>.makeStream()
    let gate = DispatchSemaphore(value: 0)
    for _ in 0..<3 {
      threads.submit {
        start.yield()
        gate.wait()
      }
    }
    var starts = started.makeAsyncIterator()
    for _ in 0..<3 { _ = await starts.next() }
    for _ in 0..<3 { gate.signal() }
  }
}
