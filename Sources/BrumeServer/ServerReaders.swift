// Readers of this target for texts of requests, and for the small files of a data folder, at once: for those who try whether
// any bytes may come (Tests/Fuzz). None of them may trap, whoever wrote the bytes.

package import BrumeModel
import HTTPTypes
import NIOCore

/// Reads bytes as everything here that they could be.
package enum ServerReaders {
  /// Reads a text as headers of a request that say who calls: Cookie, Host, X-Forwarded-Proto and Origin.
  ///
  /// - Parameter name: of a cookie.
  package static func readHeaders(_ value: String, cookie name: String) {
    let headers: HTTPFields = [.cookie: value, .origin: value]
    _ = headers.cookie(name)
    _ = OperatorCookie(authority: value, isSecure: false).secret(in: headers)
    let peer = try? SocketAddress(ipAddress: "127.0.0.1", port: 1)
    let secure = SecureRequests(trustedProxies: ["127.0.0.1"], baseURL: "https://a.example")
    _ = secure.isSecure(from: peer, forwarded: value)
    _ = OwnPage.isSender(of: headers, authority: name, serverURL: "https://a.example")
  }

  /// Reads bytes as each file that a server keeps beside its store, and as one with the key of a program.
  package static func readFile(_ bytes: [UInt8], now: Milliseconds) {
    if let usage = UsageFile(bytes, now: now) {
      guard UsageFile(usage.bytes, now: now) == usage else {
        preconditionFailure("counts are not what was kept")
      }
      for span in UsageSpan.allCases {
        _ = usage.history.report(span, now: now).total.time(of: 0.5)
        _ = usage.storage.report(span, now: now)
      }
    }
    _ = ServerKeyPair(privateKeyPEM: bytes)
    guard let note = try? RestoreNote(bytes) else { return }
    guard let again = try? RestoreNote(note.bytes), again == note else {
      preconditionFailure("the note of a restore is not what was kept")
    }
  }
}
