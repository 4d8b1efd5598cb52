// What was logged, for tests.

package import Logging
import Synchronization

/// A log that keeps its lines.
package final class LogLines: Sendable {
  /// One line, with its details and those of its logger.
  package struct Line: Sendable {
    package let level: Logger.Level
    package let text: String
    package let metadata: [String: String]
  }
  private let level: Logger.Level
  private let kept = Mutex<[Line]>([])

  /// - Parameter level: what is below is not kept.
  package init(from level: Logger.Level = .notice) { self.level = level }

  package var all: [Line] { kept.withLock { $0 } }
  package var texts: [String] { all.map(\.text) }

  package var logger: Logger {
    Logger(label: "test") { [level] _ in Handler(lines: self, logLevel: level) }
  }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata = Logger.Metadata()
    var logLevel: Logger.Level

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(
        level: event.level, text: "\(event.message)",
        metadata: metadata.merging(event.metadata ?? [:]) { $1 }.mapValues { "\($0)" })
      lines.kept.withLock { $0.append(line) }
    }
  }
}
