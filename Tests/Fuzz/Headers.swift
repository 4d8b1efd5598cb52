// What comes before a body: targets with parameters, headers, ranges, the forms of uploads, and settings.

import BrumeModel
import BrumeServer
import BrumeTracing
import BrumeWire
import Foundation
import HTTPTypes
import NIOCore

extension Target {
  static let headers = [
    Target("target", longest: 512) { bytes in
      _ = try? QueryString(target: text(bytes), limits: .apple)
    },
    Target("header", longest: 512) { bytes in
      let parts = parts(bytes, 2).map { text($0) }
      guard let name = HTTPField.Name(parts[0]), let value = parts.last else { return }
      try? HeaderRules.check(HTTPFields([HTTPField(name: name, value: value)]), limits: .apple)
      _ = ByteRange(value, size: 100)
      let hosts = AllowedHosts(listener: "::", baseURL: "https://a.example", others: [parts[0]])
      _ = hosts.allows(value)
      let peer = try? SocketAddress(ipAddress: "127.0.0.1", port: 1)
      _ = ClientAddress(peer: peer, forwarded: value, trustedProxies: ["127.0.0.1", "10.0.0.1"])
      _ = (TrustedProxies.Entry(value), AddressNetwork(value))
      ServerReaders.readHeaders(value, cookie: parts[0])
      if let place = TraceParent(value), TraceParent(place.text) != place {
        wrong("the place in a trace is not what was written")
      }
    },
    Target("form", longest: 512) { bytes in readForm(parts(bytes, 8)) },
    Target("settings", longest: 512) { bytes in readSettings(text(bytes)) },
  ]

  /// A content type, and the pieces in which a body comes.
  private static func readForm(_ parts: [[UInt8]]) {
    guard let reader = try? MultipartReader(contentType: text(parts[0])) else { return }
    func content(_ pieces: [ArraySlice<UInt8>]) -> [UInt8]? {
      var reader = reader
      do {
        let content = try pieces.flatMap { try reader.take($0) }
        try reader.finish()
        return content
      } catch { return nil }
    }
    let pieces = parts.dropFirst().map { $0[...] }
    let whole = pieces.flatMap { $0 }
    guard let one = content([whole[...]]), let other = content(pieces) else { return }
    guard one == other else { wrong("a form depends on how its bytes arrive") }
  }

  /// A setting a line, as flags or, in a text that begins with a brace, as a file.
  private static func readSettings(_ text: String) {
    var flags: [String: String] = [:]
    if text.hasPrefix("{") {
      let path = NSTemporaryDirectory() + "brume-fuzz-\(ProcessInfo.processInfo.processIdentifier)"
      guard FileManager.default.createFile(atPath: path, contents: Data(text.utf8)) else { return }
      flags[Setting.config.variable] = path
    } else {
      let lines = text.split(separator: "\n").map(String.init)
      flags = (try? SettingFlags.parse(lines)) ?? [:]
    }
    let sources = Waiting.value { [flags] in
      try await SettingSources(flags: flags, environment: [:])
    }
    guard let sources else { return }
    _ = try? Settings(sources)
    for setting in Setting.all { _ = try? sources.origin(of: setting) }
  }
}
