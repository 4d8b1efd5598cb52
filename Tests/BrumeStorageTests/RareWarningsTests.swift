// What every save meets is not a line of the log for each.

import BrumeStorage
import BrumeTestKit
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct RareWarningsTests {
  @Test func `a warning comes once for each index and reason, and again after minutes`() {
    let lines = LogLines()
    let time = Mutex<Int64>(0)
    let warnings = RareWarnings(lines.logger, milliseconds: { time.withLock { $0 } })
    for second in 0..<60 {
      time.withLock { $0 = Int64(second) * 1000 }
      for index in ["Hut", "Trail"] {
        warnings.warn("damaged", of: index, StoreError(.corrupt, "SQLite error 11"))
      }
    }
    #expect(lines.all.map { $0.metadata["store.index"] } == ["Hut", "Trail"])
    warnings.warn("damaged", of: "Hut", StoreError(.corrupt, "SQLite error 267"))
    time.withLock { $0 = 60_000 }
    warnings.warn("damaged", of: "Trail", StoreError(.corrupt, "SQLite error 11"))
    #expect(lines.all.map { $0.metadata["store.index"] } == ["Hut", "Trail", "Hut", "Trail"])
  }
}
