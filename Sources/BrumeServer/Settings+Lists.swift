// Settings that are lists, and those that mean nothing alone. Each entry is read as what is compared with it later: one
// that could never match is refused at the start, not passed over for ever.

import BrumePush

extension Settings {
  /// Reads the lists.
  /// - Throws: a `SettingError` that names the entry, and what one is like.
  mutating func readLists(from sources: SettingSources) throws {
    allowedOrigins = try Self.list(
      .origins, from: sources, like: "https://app.example or http://localhost:3000, without a path",
      Self.origin)
    allowedHosts = try Self.list(
      .allowedHosts, from: sources, like: "brume.example.org, a name without a scheme or a path"
    ) { Self.host($0) == nil ? nil : $0 }
    trustedProxies = TrustedProxies(
      try Self.list(
        .trustedProxies, from: sources,
        like: "10.0.0.1, ::1, a network such as 10.0.0.0/8, or 'unix' for the Unix socket"
      ) { TrustedProxies.Entry($0) })
    let form = "push.lan or push.lan:8443, a host without a scheme or a path"
    outside.allowed = try Self.list(.pushAllow, from: sources, like: form, Self.host)
    outside.webPushAllowed = try Self.list(.webPushAllow, from: sources, like: form, Self.host)
  }

  /// Checks that nothing says more of a provider whose address is not set.
  /// - Throws: a `SettingError` that names what does.
  static func checkNoProvider(_ sources: SettingSources) throws {
    for setting in [Setting.oidcClientID, .oidcClientSecret, .oidcName] {
      guard let text = try sources.text(setting), !text.isEmpty else { continue }
      throw SettingError(
        "\(setting.flag) is set; \(Setting.oidcDiscovery.flag) is missing, without which there is no provider"
      )
    }
  }

  private static func list<Entry>(
    _ setting: Setting, from sources: SettingSources, like form: String,
    _ read: (String) -> Entry?
  ) throws -> [Entry] {
    try list(setting, from: sources).map { text in
      guard let entry = read(text) else {
        throw SettingError("\(setting.flag) names '\(text)'; each entry must be like \(form)")
      }
      return entry
    }
  }

  /// A host, or host and port, as URLs are compared by it; nil for what is none.
  private static func host(_ text: String) -> String? {
    if let address = IPAddress(text), case .v6 = address { return "[\(address)]" }
    // The dot of a complete name.
    let name = text.hasSuffix(".") ? String(text.dropLast()) : text
    guard !name.contains(where: { "/?#".contains($0) }), let url = try? PushURL("http://" + name)
    else { return nil }
    let hasPort = name.hasPrefix("[") ? !name.hasSuffix("]") : name.contains(":")
    return hasPort ? "\(url.hostText):\(url.port)" : url.hostText
  }

  /// What browsers send as a page's origin, in lower case; nil for what is none. Pages from files and frames in a sandbox
  /// have no host.
  private static func origin(_ text: String) -> String? {
    if text == "null" || text == "file://" { return text }
    guard let parts = text.wholeMatch(of: #/[a-z][a-z0-9+.\-]*://(.+)/#)?.output,
      parts.1 == parts.1.lowercased(), host(String(parts.1)) != nil
    else { return nil }
    return text
  }
}
