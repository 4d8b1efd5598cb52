// A descriptor that is closed twice closes a file of somebody else, who has opened it in between.

import BrumeStorage
import BrumeTestKit
import Foundation
import Synchronization
import Testing

@testable import BrumeSQLite

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

@Suite struct MarkFileTests {
  /// What the two threads share.
  private final class Trial: Sendable {
    let path: String
    let hasEnded = Atomic<Bool>(false)
    let opened = Atomic<Int>(0)
    init(_ path: String) { self.path = path }
  }

  @Test func `a mark that is in use closes nothing but its own descriptor`() throws {
    let folder = try TemporaryFolder()
    let trial = Trial(folder.path + "/mark")
    let holder = try MarkFile(trial.path)
    let hasStarted = EngineThread.start {
      for _ in 0..<20_000 where (try? MarkFile(trial.path)) != nil {
        trial.opened.add(1, ordering: .relaxed)
      }
      trial.hasEnded.store(true, ordering: .releasing)
    }
    try #require(hasStarted)
    var lost = 0
    while !trial.hasEnded.load(ordering: .acquiring) {
      let descriptor = open("/dev/null", O_RDONLY | O_CLOEXEC)
      if (0..<20).allSatisfy({ _ in fcntl(descriptor, F_GETFD) >= 0 }) {
        close(descriptor)
      } else {
        lost += 1
      }
    }
    #expect(lost == 0)
    #expect(trial.opened.load(ordering: .relaxed) == 0)
    withExtendedLifetime(holder) {}
  }
}
