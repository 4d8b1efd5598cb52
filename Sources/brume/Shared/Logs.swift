// Log lines on standard error: for people, or one JSON object a line for machines.

import BrumeServer
import BrumeWire
import FoundationEssentials
import Logging

enum Logs {
  static func logger(_ settings: Settings) -> Logger {
    var logger = Logger(label: "brume") { label in
      switch settings.logFormat {
      case .console: StreamLogHandler.standardError(label: label)
      case .json: JSONLogHandler()
      }
    }
    logger.logLevel = settings.logLevel
    return logger
  }
}

struct JSONLogHandler: LogHandler {
  var metadata = Logger.Metadata()
  var logLevel = Logger.Level.info

  subscript(metadataKey key: String) -> Logger.Metadata.Value? {
    get { metadata[key] }
    set { metadata[key] = newValue }
  }

  func log(event: LogEvent) {
    var line = JSONObject()
    let form = Date.ISO8601FormatStyle(includingFractionalSeconds: true)
    line["time"] = .string(Date.now.formatted(form))
    line["level"] = .string(event.level.rawValue)
    line["message"] = .string("\(event.message)")
    let all = metadata.merging(event.metadata ?? [:]) { $1 }
    for (key, value) in all.sorted(by: { $0.key < $1.key }) { line[key] = .string("\(value)") }
    Output.say(String(decoding: JSON.object(line).bytes(), as: UTF8.self))
  }
}
