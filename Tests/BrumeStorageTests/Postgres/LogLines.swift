// What a store has logged, for tests.

import Logging
import Synchronization

final class LogLines: Sendable {
  struct Line: Sendable {
    let level: Logger.Level
    let text: String
    let metadata: [String: String]
  }
  private let kept = Mutex<[Line]>([])

  var all: [Line] { kept.withLock { $0 } }
  var texts: [String] { all.map(\.text) }

  var logger: Logger { Logger(label: "test") { _ in Handler(lines: self) } }

  private struct Handler: LogHandler {
    let lines: LogLines
    var metadata = Logger.Metadata()
    var logLevel = Logger.Level.notice

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
      get { metadata[key] }
      set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
      let line = Line(
        level: event.level, text: "\(event.message)",
        metadata: (event.metadata ?? [:]).mapValues { "\($0)" })
      lines.kept.withLock { $0.append(line) }
    }
  }
}
