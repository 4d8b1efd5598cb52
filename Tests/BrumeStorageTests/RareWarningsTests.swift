// What every save meets is not a line of the log for each.

import BrumeStorage
import Logging
import Synchronization
import Testing

@testable import BrumeSQLite

@Suite struct RareWarningsTests {
  private final class Lines: Sendable {
    let all = Mutex<[String]>([])
  }
  private struct Handler: LogHandler {
    let lines: Lines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.info
    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }
    func log(event: LogEvent) {
      let index = event.metadata?["store.index"].map { "\($0)" } ?? ""
      lines.all.withLock { $0.append(index) }
    }
  }

  @Test func `a warning comes once for each index and reason, and again after minutes`() {
    let lines = Lines()
    let time = Mutex<Int64>(0)
    let warnings = RareWarnings(
      Logger(label: "test") { _ in Handler(lines: lines) },
      milliseconds: { time.withLock { $0 } })
    for second in 0..<60 {
      time.withLock { $0 = Int64(second) * 1000 }
      for index in ["Hut", "Trail"] {
        warnings.warn("damaged", of: index, StoreError(.corrupt, "SQLite error 11"))
      }
    }
    #expect(lines.all.withLock { $0 } == ["Hut", "Trail"])
    warnings.warn("damaged", of: "Hut", StoreError(.corrupt, "SQLite error 267"))
    time.withLock { $0 = 60_000 }
    warnings.warn("damaged", of: "Trail", StoreError(.corrupt, "SQLite error 11"))
    #expect(lines.all.withLock { $0 } == ["Hut", "Trail", "Hut", "Trail"])
  }
}
