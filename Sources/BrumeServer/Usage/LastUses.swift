// When users, API tokens and keys were used last, as this server saw it. In memory, because a request that
// reads must not become a write; kept in the data folder with the counts.

import BrumeModel

/// Who or what was used.
enum UsedName {
  static func user(_ user: UserID) -> String { "user/\(user.name)" }
  /// Not the token itself: this is written into a file of its own.
  static func apiToken(_ token: String) -> String {
    var hash = StableHash()
    hash.add(token)
    // Without leading zeros, as it stands in files that are there.
    return "token/\(hash.hexDigits.drop { $0 == "0" })"
  }
}

extension StableHash {
  /// The digits of the value: 16.
  var hexDigits: String { withUnsafeBytes(of: value.bigEndian) { Hex.text($0) } }
}

struct LastUses: Equatable, Sendable {
  private let capacity: Int
  private(set) var times: [String: Milliseconds]

  /// - Parameter capacity: beyond it all are forgotten.
  init(capacity: Int, times: [String: Milliseconds] = [:]) {
    self.capacity = max(1, capacity)
    self.times = times.count <= self.capacity ? times : [:]
  }

  mutating func note(_ name: String, at now: Milliseconds) {
    if times[name] == nil, times.count >= capacity { times = [:] }
    times[name] = now
  }
}
