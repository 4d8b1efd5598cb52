// SIGHUP: the settings are read again. What can change while the server runs does, which is how much is logged; the
// rest is named. What cannot be used is refused as a whole, and the old settings stay.

import BrumeServer
import Logging
import UnixSignals

struct Reload: Sendable {
  let level: LogLevel
  let logger: Logger
  /// Reads flags, variables and the file.
  let read: @Sendable () async throws -> SettingSources

  /// Reads once for each signal, until the task is cancelled.
  ///
  /// - Parameter sources: what holds now.
  func run(_ signals: UnixSignalsSequence, from sources: SettingSources) async {
    var sources = sources
    for await _ in signals {
      do {
        let new = try await read()
        try take(Settings(new), named: try Self.changed(sources, new))
        sources = new
      } catch {
        logger.error(
          "the settings were read again and are refused; the old ones stay",
          metadata: ["error": "\(error)"])
      }
    }
  }

  private func take(_ settings: Settings, named changed: [String]) {
    let old = level.current
    // Said at whichever level lets it be seen.
    if settings.logLevel < old { level.current = settings.logLevel }
    logger.notice(
      "the settings were read again", metadata: ["log.level": "\(settings.logLevel.rawValue)"])
    let later = changed.filter { $0 != Setting.logLevel.key }
    if !later.isEmpty {
      logger.warning(
        "some changed settings hold from the next start on",
        metadata: ["settings": "\(later.joined(separator: ", "))"])
    }
    level.current = settings.logLevel
  }

  private static func changed(_ old: SettingSources, _ new: SettingSources) throws -> [String] {
    try Setting.all.filter { try value($0, old) != value($0, new) }.map(\.key)
  }

  /// Secrets are compared too, and not shown.
  private static func value(_ setting: Setting, _ sources: SettingSources) throws -> String? {
    setting.kind == .text ? try sources.text(setting) : try sources.origin(of: setting).value
  }
}
