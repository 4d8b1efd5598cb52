// Every setting of the server, once: its key, default and one sentence of help. Flag, variable and
// place in the configuration file follow from the key. Where values come from, and in which order,
// is `SettingSources.swift`; what they mean together, and what the defaults are, is `Settings.swift`.

import BrumeModel
import Logging

/// One setting. The key `log.level` is the flag `--log-level`, the variable `BRUME_LOG_LEVEL` and,
/// in the configuration file, `{"log": {"level": …}}`.
package struct Setting: Sendable {
  /// What the setting's value is.
  package enum Kind: Sendable {
    case text, number, `switch`
  }
  package let key: String
  package let kind: Kind
  /// Nil: has no value unless somebody gives one.
  package let fallback: String?
  /// What the value may look like, for the help text.
  package let form: String
  package let help: String

  package var flag: String { "--" + key.replacing(".", with: "-") }
  package var variable: String { "BRUME_" + key.replacing(".", with: "_").uppercased() }

  /// A value for eyes that may not see secrets: of a URL the password is left out.
  func shown(_ value: String) -> String {
    if Self.secrets.contains(key) { return "(secret)" }
    return value.replacing(#/://([^:/@]*):[^@/]*@/#) { "://\($0.output.1)@" }
      .replacing(#/([?&](?:ssl)?password=)[^&]*/#) { "\($0.output.1)(secret)" }
  }
}

extension Setting {
  /// What holds unless somebody says otherwise.
  static let defaults = Settings()

  package static let host = Setting(
    key: "host", kind: .text, fallback: defaults.host, form: "ADDRESS",
    help: "The address to listen on.")
  package static let port = Setting(
    key: "port", kind: .number, fallback: "\(defaults.port)", form: "NUMBER",
    help: "The port to listen on; 0 takes any free one and prints it.")
  package static let data = Setting(
    key: "data", kind: .text, fallback: defaults.dataFolder, form: "FOLDER",
    help: "The data folder. One server at a time may use it.")
  package static let marks = Setting(
    key: "marks", kind: .text, fallback: nil, form: "FOLDER|none",
    help:
      "Where it is kept how far the data has come, so that a data folder that was copied back is "
      + "noticed; $XDG_STATE_HOME/brume or ~/.local/state/brume unless set.")
  package static let store = Setting(
    key: "store", kind: .text, fallback: defaults.engine.name, form: "sqlite|memory|postgres://…",
    help:
      "The storage engine. 'memory' forgets everything when the server ends; a URL is that of a "
      + "PostgreSQL database.")
  package static let dev = Setting(
    key: "dev", kind: .switch, fallback: "false", form: "",
    help: "Development: a ready container, API token, the users alice and bob and a server key.")
  package static let clock = Setting(
    key: "clock", kind: .text, fallback: "real", form: "real|manual",
    help:
      "With --dev: 'manual' lets the server's time stand still until 'brume clock advance' or the console moves it."
  )
  package static let container = Setting(
    key: "container", kind: .text, fallback: defaults.container.name, form: "NAME",
    help: "The container that development mode prepares.")
  package static let limits = Setting(
    key: "limits", kind: .text, fallback: "apple", form: "apple|relaxed|tiny",
    help: "Which limits apply: Apple's, larger ones, or very small ones for tests.")
  package static let userQuota = Setting(
    key: "user.quota", kind: .number, fallback: "0", form: "BYTES",
    help: "What each user's private database may hold, with files; 0 sets no limit.")
  package static let strictSubscriptions = Setting(
    key: "strict.subscriptions", kind: .switch, fallback: "false", form: "",
    help: "Production refuses kinds of subscriptions that development never had, as CloudKit does.")
  package static let baseURL = Setting(
    key: "base.url", kind: .text, fallback: nil, form: "URL",
    help: "The address that clients use, when a proxy stands in front of the server.")
  package static let origins = Setting(
    key: "allowed.origins", kind: .text, fallback: "", form: "LIST",
    help: "Web origins that may call with any API token, separated by commas.")
  package static let allowedHosts = Setting(
    key: "allowed.hosts", kind: .text, fallback: "", form: "LIST",
    help:
      "Names by which clients call this server, besides localhost, addresses and the base URL's, "
      + "separated by commas.")
  package static let logLevel = Setting(
    key: "log.level", kind: .text, fallback: defaults.logLevel.rawValue,
    form: "trace|debug|info|warning|error",
    help:
      "How much to log. 'info' writes one line for each request; 'debug' also those of health checks "
      + "and of the console's files.")
  package static let logFormat = Setting(
    key: "log.format", kind: .text, fallback: defaults.logFormat.rawValue, form: "text|json",
    help: "How log lines look: for people, or one JSON object a line.")
  package static let headerTimeout = Setting(
    key: "timeout.header", kind: .number, fallback: "\(defaults.timeouts.header)", form: "SECONDS",
    help: "How long a new connection may take to send its first request's header.")
  package static let bodyTimeout = Setting(
    key: "timeout.body", kind: .number, fallback: "\(defaults.timeouts.body)", form: "SECONDS",
    help: "A request's body must bring 1 KB a second, measured over this time.")
  package static let idleTimeout = Setting(
    key: "timeout.idle", kind: .number, fallback: "\(defaults.timeouts.idle)", form: "SECONDS",
    help: "How long a connection may stay open between requests.")
  package static let writeTimeout = Setting(
    key: "timeout.write", kind: .number, fallback: "\(defaults.timeouts.write)", form: "SECONDS",
    help: "How long a client may read nothing of an answer that waits for it.")
  package static let requestTimeout = Setting(
    key: "timeout.request", kind: .number, fallback: "\(defaults.timeouts.request)",
    form: "SECONDS",
    help: "How long a request may take, from its header to its answer; not streams, polls, files.")
  package static let shutdownTimeout = Setting(
    key: "timeout.shutdown", kind: .number, fallback: "\(defaults.timeouts.shutdown)",
    form: "SECONDS",
    help: "How long open requests may take when the server is asked to end.")
  package static let heartbeat = Setting(
    key: "stream.heartbeat", kind: .number, fallback: "\(defaults.timeouts.heartbeat)",
    form: "SECONDS",
    help: "How often an event stream says that it is alive.")
  package static let poll = Setting(
    key: "courier.poll", kind: .number, fallback: "\(defaults.timeouts.poll)", form: "SECONDS",
    help: "How long the courier holds a poll when nothing has happened.")
  package static let connections = Setting(
    key: "connections", kind: .number, fallback: "\(defaults.connections)", form: "NUMBER",
    help: "How many connections may be open at once.")
  package static let addressConnections = Setting(
    key: "address.connections", kind: .number, fallback: "\(defaults.addressConnections)",
    form: "NUMBER",
    help: "How many of them from one address, trusted proxies aside; 0 is half of all.")
  package static let userRate = Setting(
    key: "rate.user", kind: .number, fallback: nil, form: "NUMBER",
    help: "Requests a second of one user in the long run, ten times as many at once; 0 is no "
      + "limit. 100 unless --dev.")
  package static let addressRate = Setting(
    key: "rate.address", kind: .number, fallback: nil, form: "NUMBER",
    help:
      "The same for all users of one address together; 0 is no limit. 20 times --rate-user unless "
      + "set.")
  package static let anonymousRate = Setting(
    key: "rate.anonymous", kind: .number, fallback: nil, form: "NUMBER",
    help: "The same for requests without a user, by address. 20 unless --dev.")
  package static let metricsToken = Setting(
    key: "metrics.token", kind: .text, fallback: nil, form: "TEXT",
    help: "Opens the metrics to other machines that send 'Authorization: Bearer TEXT'.")
  package static let auditDays = Setting(
    key: "audit.days", kind: .number, fallback: "\(defaults.limits.auditLifetime / 86_400_000)",
    form: "DAYS",
    help:
      "How long the audit log keeps what operators did; never more than its 100,000 newest lines.")
  package static let deletionDays = Setting(
    key: "deletion.days", kind: .number, fallback: "0", form: "DAYS",
    help:
      "How long zones remember deleted records at least; change tokens from before one that was forgotten are "
      + "expired. 0: for as long as the zone lives, so that tokens do not grow old.")
  package static let trustedProxies = Setting(
    key: "trusted.proxies", kind: .text, fallback: "", form: "LIST",
    help:
      "Addresses and networks (10.0.0.0/8) of proxies whose X-Forwarded-For and X-Forwarded-Proto are "
      + "believed, separated by commas; 'unix' is the Unix socket.")
  package static let oidcDiscovery = Setting(
    key: "oidc.discovery", kind: .text, fallback: nil, form: "URL",
    help: "Sign-in by an OpenID Connect provider: its .well-known/openid-configuration.")
  package static let oidcClientID = Setting(
    key: "oidc.client.id", kind: .text, fallback: nil, form: "TEXT",
    help: "The client ID that the provider gave this server.")
  package static let oidcClientSecret = Setting(
    key: "oidc.client.secret", kind: .text, fallback: nil, form: "TEXT",
    help: "Its secret, if it has one. A variable or the file keeps it out of process lists.")
  package static let oidcName = Setting(
    key: "oidc.name", kind: .text, fallback: nil, form: "TEXT",
    help: "What the sign-in page calls the provider.")
  package static let config = Setting(
    key: "config", kind: .text, fallback: nil, form: "FILE",
    help: "A JSON file with settings. Flags come first, then variables, then the file.")

  private static let secrets = Set(
    [metricsToken, oidcClientSecret, assetKeySecret, otlpHeaders].map(\.key))

  package static let all: [Setting] =
    [
      host, port, data, marks, store, dev, clock, container, limits, userQuota, strictSubscriptions,
      baseURL, origins, allowedHosts, logLevel, logFormat, headerTimeout, bodyTimeout, idleTimeout,
      writeTimeout, requestTimeout, shutdownTimeout, heartbeat, poll, connections,
      addressConnections, userRate, addressRate, anonymousRate, metricsToken, auditDays,
      deletionDays,
      trustedProxies, oidcDiscovery,
      oidcClientID, oidcClientSecret, oidcName,
    ] + ofListening + ofTracing + ofAssets + ofDelivery + [config]
}

/// A setting with a value that cannot be used. The text says which, and what it may be.
package struct SettingError: Error, Equatable, Sendable, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}
