// Sealing: texts that the server hands out and later believes. A sealed text carries an HMAC over
// its purpose and its bytes, so that nobody can make one, change one, or use one for another purpose.
// Nothing here is secret from the holder; it is only tamper-proof.

import BrumeModel
import Crypto
import FoundationEssentials

struct Seal: Sendable {
  enum Purpose: UInt8, Sendable {
    case changeToken = 1
    case continuationMarker = 2
    case webAuthToken = 3
    case signIn = 16
    case authorizationState = 17
    case providerNonce = 18
    case providerProof = 19
    case assetTicket = 20
    case assetReceipt = 21
    case downloadToken = 22
    case sealedCourierToken = 23
    case exportedAsset = 24
    case operatorForm = 25
    case operatorAuthorization = 26

    // CloudKit: OpenCloudKit decodes sync tokens and markers as padded base64 and drops others. Web
    // auth tokens and what files need travel in URLs.
    var isStandardBase64: Bool { self == .changeToken || self == .continuationMarker }
  }
  private static let codeLength = 32
  private let key: SymmetricKey
  private let mostBytes: Int
  private let opened: OpenedSeals

  init(secret: [UInt8], limits: Limits = .apple) {
    key = SymmetricKey(data: secret)
    mostBytes = limits.sealedBytes
    opened = OpenedSeals(limit: limits.rememberedSeals)
  }

  func text(_ payload: [UInt8], for purpose: Purpose) -> String {
    guard purpose == .webAuthToken else { return sealed(payload, for: purpose) }
    return opened.text(of: payload) { sealed(payload, for: purpose) }
  }

  private func sealed(_ payload: [UInt8], for purpose: Purpose) -> String {
    let code = HMAC<SHA256>.authenticationCode(for: [purpose.rawValue] + payload, using: key)
    let bytes = payload + Array(code)
    return purpose.isStandardBase64 ? Base64.text(bytes) : Base64URL.text(bytes)
  }

  /// A secret that belongs to a text and can be computed again, by nobody else.
  func secret(of text: String, for purpose: Purpose) -> [UInt8] {
    Array(HMAC<SHA256>.authenticationCode(for: [purpose.rawValue] + Array(text.utf8), using: key))
  }

  /// The payload, or nil if this server did not seal the text for this purpose.
  func payload(of text: String, for purpose: Purpose) -> [UInt8]? {
    guard purpose == .webAuthToken else { return verified(text, for: purpose) }
    return opened.payload(of: text) { verified(text, for: purpose) }
  }

  private func verified(_ text: String, for purpose: Purpose) -> [UInt8]? {
    guard text.utf8.count <= mostBytes, let bytes = Self.bytes(of: text, purpose),
      bytes.count >= Self.codeLength
    else { return nil }
    let payload = Array(bytes.dropLast(Self.codeLength))
    let isValid = HMAC<SHA256>.isValidAuthenticationCode(
      Array(bytes.suffix(Self.codeLength)), authenticating: [purpose.rawValue] + payload,
      using: key)
    return isValid ? payload : nil
  }

  /// One text per value: standard base64 has other spellings that decode alike.
  private static func bytes(of text: String, _ purpose: Purpose) -> [UInt8]? {
    guard purpose.isStandardBase64 else { return Base64URL.bytes(text) }
    return Base64.bytes(text).flatMap { Base64.text($0) == text ? $0 : nil }
  }
}
