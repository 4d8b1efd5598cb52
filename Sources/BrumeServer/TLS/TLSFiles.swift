// The two files of a server that speaks TLS: which they are, and what is wrong with them in words that an
// operator can act on.

import NIOHTTP2
import NIOSSL

/// Where the server's certificate and its private key are.
package struct TLSFiles: Equatable, Sendable {
  package var certificate: String
  package var key: String

  /// Reads both.
  ///
  /// - Throws: `SettingError` that names the file and what is wrong with it.
  func load() throws(SettingError) -> TLSIdentity {
    let chain = try certificates()
    var configuration = TLSConfiguration.makeServerConfiguration(
      certificateChain: chain.map { .certificate($0) }, privateKey: .privateKey(try privateKey()))
    configuration.minimumTLSVersion = .tlsv12
    configuration.applicationProtocols = NIOHTTP2SupportedALPNProtocols
    do {
      return TLSIdentity(context: try NIOSSLContext(configuration: configuration), chain: chain)
    } catch {
      throw SettingError(
        "the key in '\(key)' is not that of the first certificate in '\(certificate)'; the server's own "
          + "certificate must stand first in its file")
    }
  }

  private func certificates() throws(SettingError) -> [NIOSSLCertificate] {
    let bytes = try Self.bytes(certificate, Setting.tlsCertificate)
    guard let chain = try? NIOSSLCertificate.fromPEMBytes(bytes), !chain.isEmpty else {
      throw SettingError(
        "\(Setting.tlsCertificate.flag) names '\(certificate)', which holds no certificate in PEM form "
          + "(-----BEGIN CERTIFICATE-----)")
    }
    return chain
  }

  private func privateKey() throws(SettingError) -> NIOSSLPrivateKey {
    let bytes = try Self.bytes(key, Setting.tlsKey)
    // Without it, the library would ask for a password on the terminal.
    let password: NIOSSLPassphraseCallback<[UInt8]> = { $0([]) }
    guard let key = try? NIOSSLPrivateKey(bytes: bytes, format: .pem, passphraseCallback: password)
    else {
      throw SettingError(
        "\(Setting.tlsKey.flag) names '\(key)', which holds no private key in PEM form, or one with a "
          + "password; 'openssl pkey -in OLD -out NEW' takes the password away")
    }
    return key
  }

  private static func bytes(_ path: String, _ setting: Setting) throws(SettingError) -> [UInt8] {
    guard let bytes = DataFolder.read(path) else {
      throw SettingError(
        "\(setting.flag) names '\(path)', which cannot be read; check the path, and that the server's user "
          + "may read it")
    }
    return bytes
  }
}

extension TLSFiles {
  /// - Returns: nil if neither is set: the server speaks plain HTTP.
  /// - Throws: `SettingError` if only one of them is.
  init?(_ sources: SettingSources) throws {
    let certificate = try sources.text(.tlsCertificate) ?? ""
    let key = try sources.text(.tlsKey) ?? ""
    if certificate.isEmpty, key.isEmpty { return nil }
    for (setting, value, other) in [
      (Setting.tlsCertificate, certificate, Setting.tlsKey),
      (.tlsKey, key, .tlsCertificate),
    ] where value.isEmpty {
      throw SettingError("\(other.flag) is set; \(setting.flag) is missing")
    }
    self.init(certificate: certificate, key: key)
  }
}
