// What settings allow and their operator should know: the log says it when the server starts and when it reads them again,
// and `brume doctor` too.

import BrumeStorage

extension Settings {
  /// Sentences, each with what to do.
  package var warnings: [String] {
    [SettingWarnings.heartbeat(timeouts.heartbeat), tls.flatMap { SettingWarnings.key(of: $0) }]
      .compactMap { $0 }
  }
}

private enum SettingWarnings {
  /// Ours: in seconds. Our own clients connect again after a silence of 60 (`brume.js`) or 90 (the module CloudKit).
  private static let longestHeartbeat = 45

  static func heartbeat(_ seconds: Int) -> String? {
    guard seconds > longestHeartbeat else { return nil }
    return "\(Setting.heartbeat.flag) is \(seconds) seconds: clients that hear nothing for 60 "
      + "take the connection for dead and connect again; set \(longestHeartbeat) or less"
  }

  static func key(of files: TLSFiles) -> String? {
    guard OwnerOnly.isOpenToAll(files.key) else { return nil }
    return "the rights of '\(files.key)', the private key of \(Setting.tlsKey.flag), let "
      + "every user of this machine read or write it; take that right away ('chmod o-rw')"
  }
}
