// What a server shows to those who connect by TLS, and until when it is good. It is taken anew for each
// connection, so that another can take its place while connections are open.

package import BrumeModel
import NIOSSL
import Synchronization

/// A certificate with its key, read and fitting.
struct TLSIdentity: Sendable {
  let context: NIOSSLContext
  /// Seconds since 1970: when the whole chain begins to be good, and when it ceases to.
  let notBefore: Int64
  let notAfter: Int64

  init(context: NIOSSLContext, chain: [NIOSSLCertificate]) {
    self.context = context
    notBefore = chain.map { Int64($0.notValidBefore) }.max() ?? .min
    notAfter = chain.map { Int64($0.notValidAfter) }.min() ?? .max
  }
}

/// The identity that new connections get. One for each server that speaks TLS.
package final class TLSIdentities: Sendable {
  private let identity: Mutex<TLSIdentity>

  /// - Throws: `SettingError` that names the file and what is wrong with it.
  package init(_ files: TLSFiles) throws(SettingError) { identity = Mutex(try files.load()) }

  /// Takes what the files hold now; open connections keep what they have.
  ///
  /// - Throws: `SettingError`; the old identity stays.
  package func read(_ files: TLSFiles) throws(SettingError) {
    let new = try files.load()
    identity.withLock { $0 = new }
  }

  var context: NIOSSLContext { identity.withLock { $0.context } }

  /// When clients cease to accept the certificate, in seconds since 1970.
  package var notAfter: Int64 { identity.withLock { $0.notAfter } }

  /// What an operator must know about the certificate's dates; nil: nothing.
  package func concern(at now: Milliseconds) -> String? {
    let (notBefore, notAfter) = identity.withLock { ($0.notBefore, $0.notAfter) }
    let seconds = now / 1000
    if notAfter <= seconds { return "the TLS certificate has expired; clients refuse it" }
    if notBefore > seconds { return "the TLS certificate is not good yet; clients refuse it" }
    let days = (notAfter - seconds) / 86_400
    return days < Self.daysOfWarning
      ? "the TLS certificate is good for \(days) more days; renew it and send SIGHUP" : nil
  }

  /// Ours: who renews by a program does it long before.
  private static let daysOfWarning = 14
}
