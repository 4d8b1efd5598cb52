// SIGHUP: the settings are read again. What can change while the server runs does: how much is logged, and the TLS
// certificate with its key, also when only the files changed. The rest is named. What cannot be used is refused as a
// whole, and the old settings stay. What was taken holds as well for a server that starts anew in this process.

import BrumeModel
import BrumeServer
import Logging
import Synchronization
import UnixSignals

/// What the last signal has changed, for the servers of one process.
final class TakenSettings: Sendable {
  private let last = Mutex(Settings?.none)

  /// The settings of a server that starts anew: `settings`, with what was taken since.
  func applied(to settings: Settings) -> Settings {
    guard let taken = last.withLock({ $0 }) else { return settings }
    var settings = settings
    settings.logLevel = taken.logLevel
    if settings.tls != nil, let files = taken.tls { settings.tls = files }
    return settings
  }

  fileprivate func note(_ settings: Settings) { last.withLock { $0 = settings } }
}

struct Reload: Sendable {
  let level: LogLevel
  let logger: Logger
  /// Nil: the server speaks plain HTTP.
  let identities: TLSIdentities?
  let now: @Sendable () -> Milliseconds
  let taken: TakenSettings
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
        let settings = try Settings(new)
        if let identities, let files = settings.tls { try identities.read(files) }
        take(settings, named: try Self.changed(sources, new))
        taken.note(settings)
        warnOfCertificate()
        for warning in settings.warnings { logger.warning("\(warning)") }
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
    let later = changed.filter { key in
      key != Setting.logLevel.key && !(Self.ofTLS.contains(key) && takesTLS(settings))
    }
    if !later.isEmpty {
      logger.warning(
        "some changed settings hold from the next start on",
        metadata: ["settings": "\(later.joined(separator: ", "))"])
    }
    level.current = settings.logLevel
  }

  /// Warns of what is wrong with the certificate's dates, if something is.
  func warnOfCertificate() {
    guard let identities, let concern = identities.concern(at: now()) else { return }
    logger.warning(
      "\(concern)", metadata: ["certificate.end": "\(ISODate.text(second: identities.notAfter))"])
  }

  private static let ofTLS = [Setting.tlsCertificate.key, Setting.tlsKey.key]

  /// Whether TLS was and stays on: it is switched at a start only.
  private func takesTLS(_ settings: Settings) -> Bool { identities != nil && settings.tls != nil }

  private static func changed(_ old: SettingSources, _ new: SettingSources) throws -> [String] {
    try Setting.all.filter { try value($0, old) != value($0, new) }.map(\.key)
  }

  /// Secrets are compared too, and not shown.
  private static func value(_ setting: Setting, _ sources: SettingSources) throws -> String? {
    setting.kind == .text ? try sources.text(setting) : try sources.origin(of: setting).value
  }
}
