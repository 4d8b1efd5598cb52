// The settings as the server uses them: typed, checked, complete.

package import BrumeModel
import BrumeOpenID
import BrumePostgres
package import BrumePush
package import BrumeTracing
package import Logging

/// Everything that an operator may choose, with the defaults.
package struct Settings: Sendable {
  /// Where records are kept.
  package enum Engine: Equatable, Sendable {
    case sqlite, memory
    /// With the URL of the database, which may hold a password.
    case postgres(String)

    /// Without the URL.
    package var name: String {
      switch self {
      case .sqlite: "sqlite"
      case .memory: "memory"
      case .postgres: "postgres"
      }
    }
  }
  /// How a line of the log looks.
  package enum LogFormat: String, Sendable { case text, json }

  package var host = "127.0.0.1"
  package var port = 8787
  /// Nil: the server listens on host and port.
  package var unixSocket: UnixSocket?
  /// Nil: it speaks plain HTTP.
  package var tls: TLSFiles?
  package var dataFolder = "./brume-data"
  /// Where it is kept, outside of the data folder, how far the store has come; nil: nowhere.
  package var marksFolder: String?
  package var engine = Engine.sqlite
  package var isDevelopment = false
  /// The server's time stands still until somebody moves it.
  package var isClockManual = false
  package var container = ContainerID("iCloud.org.example.app")
  package var limits = Limits.apple
  package var baseURL: String?
  package var allowedOrigins: [String] = []
  /// Names by which clients call the server, besides those that follow from the other settings.
  package var allowedHosts: [String] = []
  package var logLevel = Logger.Level.info
  package var logFormat = LogFormat.text
  package var timeouts = Timeouts()
  /// Open at once.
  package var connections = 10_000
  /// 0: half of all.
  package var addressConnections = 0
  package var assets = AssetSettings()
  package var rates = Rates()
  /// Opens `/_brume/metrics` to scrapers on other machines.
  package var metricsToken: String?
  /// Those whose `X-Forwarded-For` is believed.
  package var trustedProxies: TrustedProxies = []
  /// Nil: names and passwords of this server only.
  package var provider: ProviderSettings?
  package var outside = Outside()
  /// Nil: nothing is traced.
  package var tracing: TracingSettings?

  /// Requests a second in the long run; 0 is no limit.
  package struct Rates: Equatable, Sendable {
    package var user = 0
    /// Of all users of one address together.
    package var address = 0
    package var anonymous = 0
    package init() {}
  }

  /// Calls to APNs, Web Push services and webhooks.
  package struct Outside: Equatable, Sendable {
    package var apns = APNsChannel.Hosts()
    /// Pushes under way at once for each of Apple's hosts.
    package var apnsConcurrency = 500
    /// Calls under way at once for each other host.
    package var concurrency = 4
    /// Seconds until the status of an answer.
    package var timeout = 10
    /// The operator's address, which Web Push services are given.
    package var contact = "mailto:operator@localhost"
    /// For webhooks, which operators register.
    package var allowed: [String] = []
    /// For Web Push endpoints, which users register.
    package var webPushAllowed: [String] = []
    /// A file of certificates that are trusted besides the system's.
    package var trust: String?
    package init() {}
  }

  /// All in seconds.
  package struct Timeouts: Equatable, Sendable {
    package var header = 10
    package var body = 10
    package var idle = 75
    package var write = 30
    package var request = 60
    package var shutdown = 10
    package var heartbeat = 15
    package var poll = 50
    package init() {}
  }

  package init() {}

  /// - Throws: a `SettingError` that names the setting and what it may be.
  package init(_ sources: SettingSources) throws {
    host = try sources.text(.host) ?? host
    port = try Self.number(.port, from: sources, in: 0...65_535)
    unixSocket = try sources.text(.unixSocket).flatMap { $0.isEmpty ? nil : UnixSocket($0) }
    tls = try TLSFiles(sources)
    dataFolder = try sources.text(.data) ?? dataFolder
    if dataFolder.isEmpty { throw SettingError("\(Setting.data.flag) is empty; name a folder") }
    marksFolder = try sources.text(.marks) ?? sources.stateFolder
    if marksFolder == "none" || marksFolder == "" { marksFolder = nil }
    engine = try Self.engine(sources.text(.store) ?? engine.name, of: Setting.store.flag)
    isDevelopment = try sources.isOn(.dev)
    isClockManual = try Self.choice(.clock, from: sources) {
      ["real": false, "manual": true][$0]
    }
    container = ContainerID(try sources.text(.container) ?? container.name)
    limits = try Self.choice(.limits, from: sources) { Self.profiles[$0] }
    let quota = try Self.number(.userQuota, from: sources, in: 0...Int.max)
    limits.storageBytesPerUser = quota == 0 ? nil : Int64(quota)
    limits.auditLifetime =
      Milliseconds(try Self.number(.auditDays, from: sources, in: 1...36_500)) * 86_400_000
    let days = try Self.number(.deletionDays, from: sources, in: 0...36_500)
    limits.deletionLifetime = days == 0 ? nil : Milliseconds(days) * 86_400_000
    limits.deploysSubscriptionTypes = try sources.isOn(.strictSubscriptions)
    baseURL = try Self.address(.baseURL, from: sources)
    rates.user = try Self.rate(.userRate, from: sources, orElse: isDevelopment ? 0 : 100)
    rates.address = try Self.rate(
      .addressRate, from: sources, orElse: rates.user * AddressShare.usersOfRate)
    rates.anonymous = try Self.rate(.anonymousRate, from: sources, orElse: isDevelopment ? 0 : 20)
    metricsToken = try sources.text(.metricsToken)
    provider = try Self.provider(sources)
    logLevel = try Self.choice(.logLevel, from: sources) { Logger.Level(rawValue: $0) }
    logFormat = try Self.choice(.logFormat, from: sources) { name in
      // As the form for people was called before.
      LogFormat(rawValue: name == "console" ? "text" : name)
    }
    timeouts.header = try Self.number(.headerTimeout, from: sources, in: 1...3600)
    timeouts.body = try Self.number(.bodyTimeout, from: sources, in: 1...3600)
    timeouts.idle = try Self.number(.idleTimeout, from: sources, in: 1...3600)
    timeouts.write = try Self.number(.writeTimeout, from: sources, in: 1...3600)
    timeouts.request = try Self.number(.requestTimeout, from: sources, in: 1...3600)
    timeouts.shutdown = try Self.number(.shutdownTimeout, from: sources, in: 1...3600)
    timeouts.heartbeat = try Self.number(.heartbeat, from: sources, in: 1...300)
    timeouts.poll = try Self.number(.poll, from: sources, in: 1...300)
    connections = try Self.number(.connections, from: sources, in: 1...1_000_000)
    addressConnections = try Self.number(.addressConnections, from: sources, in: 0...1_000_000)
    assets = try AssetSettings(sources)
    try limits.read(sources)
    outside = try Self.outside(from: sources)
    try readLists(from: sources)
    tracing = try TracingSettings(sources)
    limits.pushLogRows = try Self.number(.pushLog, from: sources, in: 1...10_000_000)
    try readHistory(from: sources)
    limits.webhookFailures = try Self.number(.webhookFailures, from: sources, in: 1...1_000_000)
    try check()
  }

  private mutating func readHistory(from sources: SettingSources) throws {
    let hours = try Self.number(.historyHours, from: sources, in: 0...8760)
    let rows = try Self.number(.historyRows, from: sources, in: 1...10_000_000)
    limits.historyAge = Milliseconds(hours) * 3_600_000
    limits.logsEveryImage = isClockManual && hours > 0
    limits.historyRows =
      engine == .memory ? min(rows, limits.historyRowsInMemory) : rows
  }

  private static func outside(from sources: SettingSources) throws -> Outside {
    var outside = Outside()
    outside.apns.production = try url(.apnsURL, from: sources)
    outside.apns.sandbox = try url(.apnsSandboxURL, from: sources)
    outside.apnsConcurrency = try number(.apnsConcurrency, from: sources, in: 1...10_000)
    outside.concurrency = try number(.pushConcurrency, from: sources, in: 1...1000)
    outside.timeout = try number(.pushTimeout, from: sources, in: 1...300)
    outside.contact = try sources.text(.pushContact) ?? ""
    guard ["mailto:", "https://"].contains(where: outside.contact.hasPrefix) else {
      throw SettingError(
        "\(Setting.pushContact.flag) is '\(outside.contact)'; it must be like mailto:ada@example.org or "
          + "https://example.org/contact")
    }
    outside.trust = try sources.text(.pushTrust)
    if let file = outside.trust, DataFolder.read(file) == nil {
      throw SettingError("\(Setting.pushTrust.flag) names '\(file)', which cannot be read")
    }
    return outside
  }

  /// Scheme, host and port of a server that the operator names, without a slash at the end.
  private static func url(_ setting: Setting, from sources: SettingSources) throws -> String {
    let text = try sources.text(setting) ?? ""
    guard let url = try? PushURL(text), url.target == "/" else {
      throw SettingError("\(setting.flag) must be like https://host or https://host:port")
    }
    return url.origin
  }

  /// What clients write in front of paths; nil if there is none.
  static func address(_ setting: Setting, from sources: SettingSources) throws -> String? {
    guard let text = try sources.text(setting), !text.isEmpty else { return nil }
    let schemes = ["http://", "https://"]
    guard schemes.contains(where: { text.lowercased().hasPrefix($0) && text.count > $0.count })
    else {
      throw SettingError("\(setting.flag) is '\(text)'; it must be like https://brume.example.org")
    }
    return text
  }

  /// The limits by the names that the setting `limits` takes.
  package static let profiles: [String: Limits] = [
    "apple": .apple, "relaxed": .relaxed, "tiny": .tiny,
  ]

  var hosts: AllowedHosts {
    AllowedHosts(listener: host, baseURL: baseURL, others: allowedHosts)
  }

  /// Half of all: one address cannot shut the others out, and one machine that is a whole service's
  /// way in, or runs its tests, has enough.
  package var connectionsPerAddress: Int {
    addressConnections > 0 ? addressConnections : max(1, connections / 2)
  }

  /// What clients write in front of a path, once the port is known.
  package func url(port: Int) -> String {
    if let baseURL { return baseURL.hasSuffix("/") ? String(baseURL.dropLast()) : baseURL }
    return ownURL(port: port)
  }

  /// What programs on the server's own machine write in front of a path: the listener, whatever stands
  /// in front of it for others.
  package func ownURL(port: Int) -> String {
    if let unixSocket { return unixSocket.url }
    let name = ["0.0.0.0", "::", ""].contains(host) ? "127.0.0.1" : host
    return "\(tls == nil ? "http" : "https")://\(name.contains(":") ? "[\(name)]" : name):\(port)"
  }

  private func check() throws {
    if isClockManual, !isDevelopment {
      throw SettingError(
        "\(Setting.clock.flag) may be 'manual' in development only: add \(Setting.dev.flag)")
    }
    if tls != nil, unixSocket != nil {
      throw SettingError(
        "\(Setting.tlsCertificate.flag) and \(Setting.unixSocket.flag) are both set; what stands in front of "
          + "a Unix socket speaks TLS itself")
    }
    do {
      try NameRules.container(container.name)
    } catch {
      throw SettingError(error.reason)
    }
  }

  /// - Parameter flag: what the text is the value of.
  static func engine(_ text: String, of flag: String) throws -> Engine {
    switch text {
    case "sqlite": return .sqlite
    case "memory": return .memory
    default:
      if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
        if let fault = DatabaseURL.fault(in: text) { throw SettingError("\(flag): \(fault)") }
        return .postgres(text)
      }
      throw SettingError(
        "\(flag) is '\(text)'; it may be sqlite, memory or postgres://user@host:port/database")
    }
  }

  private static func provider(_ sources: SettingSources) throws -> ProviderSettings? {
    guard let discovery = try sources.text(.oidcDiscovery), !discovery.isEmpty else {
      try checkNoProvider(sources)
      return nil
    }
    guard ProviderAddress.isDiscovery(discovery) else {
      throw SettingError(
        "\(Setting.oidcDiscovery.flag) is '\(discovery.prefix(120))'; it must be like "
          + "https://id.example/.well-known/openid-configuration, or http on this machine")
    }
    guard let client = try sources.text(.oidcClientID), !client.isEmpty else {
      throw SettingError(
        "\(Setting.oidcDiscovery.flag) is set; \(Setting.oidcClientID.flag) is missing")
    }
    return ProviderSettings(
      discoveryURL: discovery, clientID: client,
      clientSecret: try sources.text(.oidcClientSecret),
      name: try sources.text(.oidcName) ?? "your account")
  }

  /// The entries of a list, whatever they are.
  /// - Throws: a `SettingError` if there are too many.
  static func list(
    _ setting: Setting, from sources: SettingSources
  ) throws -> [String] {
    let entries = try (sources.text(setting) ?? "").split(separator: ",")
    let most = Limits.apple.settingEntries
    guard entries.count <= most else {
      throw SettingError(
        "\(setting.flag) has \(entries.count) entries; it may have \(most); leave out those that nobody needs "
          + "any more")
    }
    return entries.map { String($0).trimmed }.filter { !$0.isEmpty }
  }

  private static func rate(
    _ setting: Setting, from sources: SettingSources, orElse fallback: Int
  ) throws -> Int {
    guard let number = try sources.number(setting) else { return fallback }
    guard (0...1_000_000).contains(number) else {
      throw SettingError("\(setting.flag) is \(number); it may be 0 (no limit) to 1000000")
    }
    return number
  }

  private static func choice<Value>(
    _ setting: Setting, from sources: SettingSources, _ convert: (String) -> Value?
  ) throws -> Value {
    let text = try sources.text(setting) ?? ""
    guard let value = convert(text) else {
      throw SettingError("\(setting.flag) is '\(text)'; it may be \(setting.form)")
    }
    return value
  }

  static func number(
    _ setting: Setting, from sources: SettingSources, in range: ClosedRange<Int>
  ) throws -> Int {
    let number = try sources.number(setting) ?? 0
    guard range.contains(number) else {
      throw SettingError(
        "\(setting.flag) is \(number); it may be \(range.lowerBound) to \(range.upperBound)")
    }
    return number
  }
}

extension String {
  fileprivate var trimmed: String {
    var text = self[...]
    while text.first == " " { text.removeFirst() }
    while text.last == " " { text.removeLast() }
    return String(text)
  }
}
