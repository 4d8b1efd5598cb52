// Log lines on standard error: for people, or one JSON object a line for machines.

import BrumeModel
import BrumeServer
import BrumeWire
import FoundationEssentials
import Logging
import Synchronization

enum Logs {
  static func logger(_ settings: Settings) -> Logger {
    logger(settings, following: LogLevel(settings.logLevel))
  }

  /// - Parameter level: what counts for all copies of the logger that set none of their own.
  static func logger(_ settings: Settings, following level: LogLevel) -> Logger {
    Logger(label: "brume") { label in
      FollowingLogHandler(handler(settings.logFormat, label, to: Talk()), level)
    }
  }

  /// The line that stands where others were lost, at whichever level.
  static func line(about lost: LostLines, _ format: Settings.LogFormat) -> [UInt8] {
    let line = CollectedLine()
    handler(format, "brume", to: line).log(
      event: LogEvent(
        level: .warning,
        message: "lines are missing here: nobody read the log, or it could not be written",
        metadata: ["log.lost": "\(lost.count)", "log.since": "\(ISODate.preciseText(lost.since))"],
        source: "brume", file: #fileID, function: #function, line: #line))
    return line.bytes
  }

  private static func handler(
    _ format: Settings.LogFormat, _ label: String, to stream: any TextOutputStream & Sendable
  ) -> any LogHandler {
    switch format {
    case .text: StreamLogHandler(label: label, stream: stream)
    case .json: JSONLogHandler(stream: stream)
    }
  }
}

/// Standard error.
private struct Talk: TextOutputStream, Sendable {
  func write(_ text: String) { Output.talk(Array(text.utf8)) }
}

private final class CollectedLine: TextOutputStream, Sendable {
  private let text = Mutex("")
  var bytes: [UInt8] { Array(text.withLock { $0 }.utf8) }
  func write(_ more: String) { text.withLock { $0 += more } }
}

/// How much is logged: one value for a process, which may change while it runs.
final class LogLevel: Sendable {
  private let index: Atomic<Int>

  init(_ level: Logger.Level) { index = Atomic(Self.index(of: level)) }

  var current: Logger.Level {
    get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
    set { index.store(Self.index(of: newValue), ordering: .relaxed) }
  }

  private static func index(of level: Logger.Level) -> Int {
    Logger.Level.allCases.firstIndex(of: level) ?? 0
  }
}

/// Another handler, at the process's level.
private struct FollowingLogHandler: LogHandler {
  private var inner: any LogHandler
  private let shared: LogLevel
  private var own: Logger.Level?

  init(_ inner: any LogHandler, _ shared: LogLevel) { (self.inner, self.shared) = (inner, shared) }

  var logLevel: Logger.Level {
    get { own ?? shared.current }
    set { own = newValue }
  }
  var metadata: Logger.Metadata {
    get { inner.metadata }
    set { inner.metadata = newValue }
  }
  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { inner[metadataKey: key] }
    set { inner[metadataKey: key] = newValue }
  }

  func log(event: LogEvent) { inner.log(event: event) }
}

private struct JSONLogHandler: LogHandler {
  let stream: any TextOutputStream & Sendable
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = JSONObject()
    let now = Milliseconds((Date.now.timeIntervalSince1970 * 1000).rounded(.down))
    line["time"] = .string(ISODate.preciseText(now))
    line["level"] = .string(event.level.rawValue)
    line["message"] = .string("\(event.message)")
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line[key] = .string("\(value)") }
    var stream = stream
    stream.write(String(decoding: JSON.object(line).bytes(), as: UTF8.self) + "\n")
  }
}
