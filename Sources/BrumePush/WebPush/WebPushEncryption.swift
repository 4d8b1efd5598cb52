// Message encryption for Web Push (RFC 8291): content that only the subscriber can read, not the push
// service. One record of aes128gcm (RFC 8188).

package import Crypto

/// Encrypts; nothing here decrypts.
package enum WebPushEncryption {
  private static let recordSize: UInt32 = 4096

  /// The body of a push message.
  ///
  /// - Parameters:
  ///   - key: the subscriber's public key, uncompressed.
  ///   - secret: the subscription's authentication secret.
  ///   - own: a key pair for this message only.
  ///   - salt: 16 bytes for this message only.
  /// - Throws: for a key that is not on the curve.
  package static func encrypt(
    _ plain: [UInt8], for key: [UInt8], secret: [UInt8], own: P256.KeyAgreement.PrivateKey,
    salt: [UInt8]
  ) throws -> [UInt8] {
    precondition(salt.count == 16, "a salt has 16 bytes")
    let theirs = try P256.KeyAgreement.PublicKey(x963Representation: key)
    let ownPublic = Array(own.publicKey.x963Representation)
    let shared = try own.sharedSecretFromKeyAgreement(with: theirs)
    let ikm = shared.hkdfDerivedSymmetricKey(
      using: SHA256.self, salt: secret,
      sharedInfo: Array("WebPush: info\0".utf8) + key + ownPublic, outputByteCount: 32)
    let contentKey = derive(ikm, salt, "Content-Encoding: aes128gcm\0", 16)
    let nonce = derive(ikm, salt, "Content-Encoding: nonce\0", 12)
    let sealed = try AES.GCM.seal(
      // 2 ends the last record's content.
      plain + [2], using: contentKey,
      nonce: AES.GCM.Nonce(data: nonce.withUnsafeBytes { Array($0) }))
    let size = withUnsafeBytes(of: recordSize.bigEndian) { Array($0) }
    return salt + size + [UInt8(ownPublic.count)] + ownPublic + sealed.ciphertext + sealed.tag
  }

  private static func derive(
    _ key: SymmetricKey, _ salt: [UInt8], _ info: String, _ count: Int
  ) -> SymmetricKey {
    HKDF<SHA256>.deriveKey(
      inputKeyMaterial: key, salt: salt, info: Array(info.utf8), outputByteCount: count)
  }
}
