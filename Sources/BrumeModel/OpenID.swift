// What an OpenID Connect provider says: where it is asked, with which keys it signs, who somebody is.
// The JSON of these is BrumeWire/OpenID.swift; the checks are BrumeCore/Auth/OpenID.

/// A provider, as the settings describe it.
package struct ProviderSettings: Equatable, Sendable {
  /// `https://…/.well-known/openid-configuration`.
  package var discoveryURL: String
  package var clientID: String
  /// Nil for a public client.
  package var clientSecret: String?
  /// For the button on the sign-in page.
  package var name: String

  package init(
    discoveryURL: String, clientID: String, clientSecret: String? = nil, name: String
  ) {
    self.discoveryURL = discoveryURL
    self.clientID = clientID
    self.clientSecret = clientSecret
    self.name = name
  }
}

/// The provider's own description of itself (OpenID Connect Discovery 1.0, section 3).
package struct ProviderDocument: Equatable, Sendable {
  package var issuer: String
  package var authorizationEndpoint: String
  package var tokenEndpoint: String
  package var keysURL: String
  /// The provider takes the client's secret in the header; otherwise in the form.
  package var takesBasicAuthentication: Bool

  package init(
    issuer: String, authorizationEndpoint: String, tokenEndpoint: String, keysURL: String,
    takesBasicAuthentication: Bool = true
  ) {
    self.issuer = issuer
    self.authorizationEndpoint = authorizationEndpoint
    self.tokenEndpoint = tokenEndpoint
    self.keysURL = keysURL
    self.takesBasicAuthentication = takesBasicAuthentication
  }
}

/// A public key of the provider, of a kind that we can use.
package struct ProviderKey: Equatable, Sendable {
  /// The key itself.
  package enum Material: Equatable, Sendable {
    /// RS256: modulus and exponent, big-endian.
    case rsa(modulus: [UInt8], exponent: [UInt8])
    /// ES256: a point of P-256, x and y of 32 bytes each.
    case p256(x: [UInt8], y: [UInt8])
  }
  package var id: String?
  package var material: Material

  package init(id: String?, material: Material) {
    self.id = id
    self.material = material
  }
}

/// An ID token taken apart, nothing checked yet.
package struct IDToken: Equatable, Sendable {
  /// `alg` and `kid` of the header.
  package var algorithm: String
  package var keyID: String?
  /// Header and payload as they were signed.
  package var signedText: [UInt8]
  package var signature: [UInt8]
  package var claims: Claims

  /// What the token says of somebody.
  package struct Claims: Equatable, Sendable {
    package var issuer: String
    package var subject: String
    package var audiences: [String]
    package var authorizedParty: String?
    /// In seconds since 1970, as all times here.
    package var expires: Int64
    package var issued: Int64
    package var notBefore: Int64?
    package var nonce: String?
    package var emailAddress: String?
    package var isEmailVerified = false
    package var givenName: String?
    package var familyName: String?
    package var preferredName: String?

    package init(
      issuer: String, subject: String, audiences: [String], expires: Int64, issued: Int64
    ) {
      self.issuer = issuer
      self.subject = subject
      self.audiences = audiences
      self.expires = expires
      self.issued = issued
    }
  }

  package init(
    algorithm: String, keyID: String?, signedText: [UInt8], signature: [UInt8], claims: Claims
  ) {
    self.algorithm = algorithm
    self.keyID = keyID
    self.signedText = signedText
    self.signature = signature
    self.claims = claims
  }
}
