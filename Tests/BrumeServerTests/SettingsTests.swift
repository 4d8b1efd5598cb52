// Settings: where values come from, in which order, and what refuses them.

import BrumeModel
import BrumeServer
import BrumeTracing
import Foundation
import Logging
import Testing

@Suite struct SettingsTests {
  static func settings(
    _ flags: [String] = [], environment: [String: String] = [:]
  ) async throws -> Settings {
    try Settings(
      try await SettingSources(flags: SettingFlags.parse(flags), environment: environment))
  }

  static func withFile<Value>(
    _ text: String, _ body: (String) async throws -> Value
  ) async throws -> Value {
    let path = NSTemporaryDirectory() + "/brume-settings-\(UUID().uuidString).json"
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    defer { try? FileManager.default.removeItem(atPath: path) }
    return try await body(path)
  }

  @Test func `nothing given is the documented default`() async throws {
    let settings = try await Self.settings()
    #expect(settings.host == "127.0.0.1")
    #expect(settings.port == 8787)
    #expect(settings.dataFolder == "./brume-data")
    #expect(settings.engine == .sqlite)
    #expect(!settings.isDevelopment)
    #expect(settings.limits == .apple)
  }

  @Test func `a default that only its help names is the one that holds`() async throws {
    let settings = try await Self.settings()
    #expect(settings.rates.user == 100)
    #expect(settings.rates.anonymous == 20)
    #expect(settings.rates.address == 2000)
    #expect(try await Self.settings(["--rate-user", "7"]).rates.address == 140)
    #expect(try await Self.settings(["--rate-address", "0"]).rates.address == 0)
    #expect(settings.limits.assetBytes == 50 << 20)
    #expect(try await Self.settings(["--limits", "relaxed"]).limits.assetBytes == 4 << 30)
    #expect(settings.limits.assetUploadLifetime == 15 * 60_000)
    #expect(settings.limits.assetReceiptLifetime == 60 * 60_000)
    #expect(settings.limits.assetAddressLifetime == 4 * 60 * 60_000)
    #expect(settings.limits.historyAge == 24 * 60 * 60_000)
    #expect(settings.limits.historyRows == 20_000)
  }

  @Test(arguments: [
    "--push-allow", "--webpush-allow", "--allowed-origins", "--allowed-hosts", "--trusted-proxies",
  ])
  func `a setting that is a list has so many entries`(flag: String) async throws {
    func list(_ count: Int) -> String {
      let scheme = flag == "--allowed-origins" ? "http://" : ""
      return (0..<count).map { "\(scheme)10.0.\($0 / 250).\($0 % 250)" }.joined(separator: ",")
    }
    let most = 1000
    _ = try await Self.settings([flag, list(most)])
    let error = await #expect(throws: SettingError.self) {
      try await Self.settings([flag, list(most + 1)])
    }
    #expect(error?.description.contains("\(flag) has 1001 entries; it may have 1000") == true)
  }

  @Test(arguments: [
    ("--trusted-proxies", "10.0.0.0/33", "10.0.0.0/8"),
    ("--trusted-proxies", "garbage/x", "'unix'"),
    ("--allowed-hosts", "https://foo/bar", "without a scheme"), ("--allowed-hosts", "a/b", "a/b"),
    ("--allowed-hosts", "*.example.org", "brume.example.org"),
    ("--allowed-origins", "example.org", "https://app.example"),
    ("--allowed-origins", "https://App.example", "https://app.example"),
    ("--allowed-origins", "https://a.example/", "without a path"),
    ("--push-allow", "http://x/y", "push.lan:8443"), ("--push-allow", "x:y", "push.lan:8443"),
    ("--webpush-allow", "https://x", "without a scheme"),
    ("--oidc-discovery", "http://id.example/.well-known/openid-configuration", "like https://"),
    ("--oidc-discovery", "https://id.example/", "id.example/.well-known/openid-configuration"),
    ("--oidc-client-id", "x", "--oidc-discovery is missing"),
    ("--oidc-client-secret", "x", "--oidc-discovery is missing"),
    ("--oidc-name", "x", "--oidc-discovery is missing"),
  ])
  func `what could never match is refused, with what is possible`(
    flag: String, value: String, words: String
  ) async throws {
    let error = await #expect(throws: SettingError.self) { try await Self.settings([flag, value]) }
    #expect(error?.description.contains(flag) == true)
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test func `lists are read as what they are compared with`() async throws {
    let settings = try await Self.settings([
      "--trusted-proxies", "127.0.0.1, 10.0.0.0/8,,::1,unix", "--allowed-hosts",
      "brume,Box.lan,a.example.,[::1]:8787,::1", "--allowed-origins",
      "https://app.example,http://localhost:3000,capacitor://localhost", "--push-allow",
      "Push.LAN:8443,::1,[::1]:80", "--webpush-allow", "push.lan",
    ])
    #expect(settings.trustedProxies == ["127.0.0.1", "10.0.0.0/8", "::1", "unix"])
    #expect(settings.allowedHosts.count == 5 && settings.allowedOrigins.count == 3)
    let whole = "[0:0:0:0:0:0:0:1]"
    #expect(settings.outside.allowed == ["push.lan:8443", whole, "\(whole):80"])
    #expect(settings.outside.webPushAllowed == ["push.lan"])
  }

  @Test func `a history is bounded, can be switched off, and is short in memory`() async throws {
    let off = try await Self.settings(["--history-hours", "0", "--history-rows", "5"])
    #expect(off.limits.historyAge == 0 && off.limits.historyRows == 5)
    #expect(try await Self.settings(["--store", "memory"]).limits.historyRows == 1000)
    for wrong in [
      ["--history-hours", "9000"], ["--history-hours", "x"], ["--history-rows", "0"],
    ] {
      await #expect(throws: SettingError.self) { try await Self.settings(wrong) }
    }
  }

  @Test func `a flag beats a variable, which beats the file, which beats the default`() async throws
  {
    try await Self.withFile(#"{"port": 1, "host": "file", "log": {"level": "debug"}}"#) { path in
      let settings = try await Self.settings(
        ["--port", "3", "--config", path], environment: ["BRUME_PORT": "2", "BRUME_HOST": "env"])
      #expect(settings.port == 3)
      #expect(settings.host == "env")
      #expect(settings.logLevel == .debug)
      #expect(settings.timeouts.header == 10)
    }
  }

  @Test(arguments: [
    ("BRUME_PROT", "did you mean BRUME_PORT?"), ("BRUME_LOGLEVEL", "did you mean BRUME_LOG_LEVEL?"),
    ("BRUME_NONSENSE_OF_MINE", "is no setting; 'brume serve --help' lists all"),
  ])
  func `a variable that is no setting is refused, with the one that was meant`(
    name: String, advice: String
  ) async throws {
    let error = await #expect(throws: SettingError.self) {
      try await Self.settings(environment: [name: "1", "HOME": "/"])
    }
    #expect(error?.description.contains(name) == true)
    #expect(error?.description.contains(advice) == true, "\(error?.description ?? "")")
  }

  @Test func `a flag that is no setting is refused, with the one that was meant`() {
    let error = #expect(throws: SettingError.self) { try SettingFlags.parse(["--prot", "80"]) }
    #expect(error?.description.contains("'--prot' is not an option of serve") == true)
    #expect(error?.description.contains("did you mean --port?") == true)
  }

  @Test func `a configuration file that is not there is not said to be wrong JSON`() async throws {
    let error = await #expect(throws: SettingError.self) {
      try await Self.settings(["--config", "/nowhere/brume.json"])
    }
    #expect(error?.description.contains("cannot be read; check its path") == true)
  }

  @Test(arguments: [
    (["--clock", "fast"], "real|manual"), (["--clock", "manual"], "add --dev"),
    (["--deletion-days", "40000"], "0 to 36500"),
    (["--base-url", "brume.example"], "like https://"),
    (["--asset-base-url", "files.example"], "like https://"),
    (["--asset-bytes", "0"], "1 to"), (["--asset-upload-life", "0"], "1 to"),
    (["--rate-user", "-1"], "0 (no limit) to 1000000"),
    (["--push-contact", "ada@example.org"], "like mailto:ada@example.org or https://"),
  ])
  func `a clock, an age and an address that cannot be are refused`(
    flags: [String], reason: String
  ) async throws {
    let error = await #expect(throws: SettingError.self) { try await Self.settings(flags) }
    #expect(error?.description.contains(reason) == true, "\(error?.description ?? "")")
  }

  @Test func `deletions are remembered for ever, unless an age is given`() async throws {
    #expect(try await Self.settings([]).limits.deletionLifetime == nil)
    let days = try await Self.settings(["--deletion-days", "30"]).limits.deletionLifetime
    let thirty: Milliseconds = 30 * 86_400_000
    #expect(days == thirty)
    #expect(try await Self.settings(["--dev", "--clock", "manual"]).limits.logsEveryImage)
  }

  @Test func `variables for clients of a server are no settings and no mistakes`() async throws {
    let client = [
      "BRUME_URL", "BRUME_USER_TOKEN_ALICE", "BRUME_SECOND_USER_TOKEN", "BRUME_KEY_FILE",
      "BRUME_DEVICE_ID", "BRUME_FROM_KEY_ID", "BRUME_FROM_KEY_FILE", "BRUME_FROM_API_TOKEN",
      "BRUME_FROM_WEB_AUTH_TOKEN",
    ]
    let environment = Dictionary(uniqueKeysWithValues: client.map { ($0, "x") })
    #expect(try await Self.settings(environment: environment).port == 8787)
  }

  @Test func `a key of the file that is no setting is refused, with its place`() async throws {
    try await Self.withFile(#"{"port": 1, "log": {"levle": "debug"}}"#) { path in
      let error = await #expect(throws: SettingError.self) {
        try await Self.settings(["--config", path])
      }
      #expect(error?.description.contains("'log.levle' in \(path)") == true)
      #expect(error?.description.contains("did you mean log.level?") == true)
    }
  }

  @Test func `each setting says where its value comes from, and no secret`() async throws {
    try await Self.withFile(#"{"courier": {"poll": 20}, "dev": true}"#) { path in
      let sources = try await SettingSources(
        flags: SettingFlags.parse(["--port", "3", "--config", path]),
        environment: [
          "BRUME_STORE": "postgres://brume:hidden@db/brume", "BRUME_METRICS_TOKEN": "hidden",
        ])
      func origin(_ setting: Setting) throws -> [String?] {
        let (value, source) = try sources.origin(of: setting)
        return [value, source]
      }
      #expect(try origin(.port) == ["3", "--port"])
      #expect(try origin(.poll) == ["20", "'courier.poll' in \(path)"])
      #expect(try origin(.dev) == ["true", "'dev' in \(path)"])
      #expect(try origin(.host) == ["127.0.0.1", "default"])
      #expect(try origin(.baseURL) == [nil, "default"])
      #expect(try origin(.store) == ["postgres://brume@db/brume", "BRUME_STORE"])
      #expect(try origin(.metricsToken) == ["(secret)", "BRUME_METRICS_TOKEN"])
    }
  }

  @Test(arguments: [
    (["--tls-certificate", "c.pem"], "--tls-key is missing"),
    (["--tls-key", "k.pem"], "--tls-certificate is missing"),
    (["--tls-certificate", "c", "--tls-key", "k", "--unix-socket", "/s"], "are both set"),
    (["--otlp-endpoint", "collector"], "must be like http://host:4318"),
    (["--otlp-endpoint", "http://c:1", "--otlp-headers", "key"], "must be like name=value"),
    (["--otlp-endpoint", "http://c:1", "--otlp-percent", "101"], "it may be 0 to 100"),
  ])
  func `how the server is reached and traced is checked together`(
    flags: [String], words: String
  ) async throws {
    let error = await #expect(throws: SettingError.self) { try await Self.settings(flags) }
    #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [("15", 0), ("45", 0), ("46", 1), ("300", 1)])
  func `a heartbeat that clients take for silence is warned of`(
    seconds: String, count: Int
  ) async throws {
    let warnings = try await Self.settings(["--stream-heartbeat", seconds]).warnings
    #expect(warnings.count == count)
    #expect(warnings.allSatisfy { $0.hasPrefix("--stream-heartbeat is \(seconds) seconds") })
  }

  @Test(arguments: [(0o600, false), (0o640, false), (0o644, true), (0o602, true)])
  func `a TLS key that every user can reach is warned of`(
    mode: Int, isOpen: Bool
  ) async throws {
    try await Self.withFile("key") { path in
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
      let flags = ["--tls-certificate", "c.pem", "--tls-key", path]
      let warnings = try await Self.settings(flags).warnings
      #expect(warnings.count == (isOpen ? 1 : 0))
      #expect(warnings.allSatisfy { $0.contains("'\(path)'") && $0.contains("chmod") })
    }
  }

  @Test func `where traces go is read with its headers, and shown without them`() async throws {
    let flags = [
      "--otlp-endpoint", "http://c:4318/", "--otlp-headers",
      "authorization=Bearer a=b, x-team = us",
    ]
    let tracing = try #require(try await Self.settings(flags).tracing)
    #expect(tracing.endpoint == "http://c:4318" && tracing.percent == 100)
    #expect(tracing.headers.map(\.name) == ["authorization", "x-team"])
    #expect(tracing.headers.first?.value == "Bearer a=b")
    let sources = try await SettingSources(flags: SettingFlags.parse(flags), environment: [:])
    #expect(try sources.origin(of: .otlpHeaders).value == "(secret)")
  }

  @Test func `every setting has its own key, flag and variable`() {
    let all = Setting.all
    #expect(Set(all.map(\.flag)).count == all.count)
    #expect(Set(all.map(\.variable)).count == all.count)
    #expect(all.allSatisfy { $0.flag.hasPrefix("--") && $0.variable.hasPrefix("BRUME_") })
    #expect(all.allSatisfy { SettingFlags.help().contains($0.flag) })
  }

  @Test func `a switch may stand alone or have a value`() async throws {
    #expect(try await Self.settings(["--dev"]).isDevelopment)
    #expect(try await Self.settings(["--dev=true", "--port=0"]).isDevelopment)
    #expect(
      try await !Self.settings(["--dev=false"], environment: ["BRUME_DEV": "true"]).isDevelopment)
  }

  @Test(arguments: [
    (["--port", "x"], "--port"), (["--port", "70000"], "65535"), (["--limits", "huge"], "tiny"),
    (["--store", "oracle"], "sqlite"), (["--store", "postgres:db"], "postgres://"),
    (["--log-level", "loud"], "debug"), (["--container", "nope"], "iCloud."),
    (["--nonsense"], "--nonsense"), (["--port"], "--port"), (["--config", "/nowhere"], "/nowhere"),
  ])
  func `a value that cannot be used is refused by name`(
    flags: [String], mentions: String
  ) async throws {
    let error = await #expect(throws: SettingError.self) { _ = try await Self.settings(flags) }
    #expect(error?.description.contains(mentions) == true, "\(error?.description ?? "")")
  }

  @Test(arguments: [
    ("{", "a member must start with a key"), ("[1]", "one JSON object"),
    (#"{"port": 1,}"#, "at byte 11"),
    (#"{"port": 1, "port": 2}"#, "a key occurs twice: 'port'"),
    (#"{"allowed": {"hosts": ["a.lan"]}}"#, "with commas between"),
    (#"{"port": "1x"}"#, "is '1x', and must be a number"),
    (#"{"rate": {"user": 1.5}}"#, "must be a number"),
  ])
  func `a broken file is refused by name, with what is wrong`(
    text: String, words: String
  ) async throws {
    try await Self.withFile(text) { path in
      let error = await #expect(throws: SettingError.self) {
        _ = try await Self.settings(["--config", path])
      }
      #expect(error?.description.contains(path) == true)
      #expect(error?.description.contains(words) == true, "\(error?.description ?? "")")
    }
  }

  @Test func `a number and a switch of the file may stand in quotation marks, as in a variable`()
    async throws
  {
    let text = #"{"rate": {"user": 5, "anonymous": "6"}, "port": "80", "dev": "true"}"#
    try await Self.withFile(text) { path in
      let settings = try await Self.settings(["--config", path])
      #expect(settings.rates.user == 5 && settings.rates.anonymous == 6)
      #expect(settings.port == 80 && settings.isDevelopment)
    }
  }

  @Test(arguments: [
    ("127.0.0.1", "http://127.0.0.1:9"), ("0.0.0.0", "http://127.0.0.1:9"),
    ("::1", "http://[::1]:9"),
  ])
  func `the address for clients follows from the listener's`(host: String, url: String) {
    var settings = Settings()
    settings.host = host
    #expect(settings.url(port: 9) == url)
    settings.baseURL = "https://brume.example/"
    #expect(settings.url(port: 9) == "https://brume.example")
  }
}
