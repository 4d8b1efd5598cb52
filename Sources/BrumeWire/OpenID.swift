// The JSON of OpenID Connect: the provider's document, its keys, the answer of its token endpoint, and
// the ID token in it. Reading is total; nothing here is checked beyond its form.

package import BrumeModel

extension Wire {
  /// `/.well-known/openid-configuration`.
  package static func providerDocument(_ json: JSON) throws(BrumeError) -> ProviderDocument {
    let object = try json.asObject("the provider's document")
    let methods = try object.strings("token_endpoint_auth_methods_supported")
    return ProviderDocument(
      issuer: try object.requiredString("issuer"),
      authorizationEndpoint: try object.requiredString("authorization_endpoint"),
      tokenEndpoint: try object.requiredString("token_endpoint"),
      keysURL: try object.requiredString("jwks_uri"),
      takesBasicAuthentication: methods.map { $0.contains("client_secret_basic") } ?? true)
  }

  /// A set of keys (RFC 7517). Keys of other kinds, or for encryption, are passed over.
  ///
  /// - Parameter most: keys that are looked at; those behind are passed over.
  package static func providerKeys(
    _ json: JSON, most: Int = Limits.apple.providerKeys
  ) throws(BrumeError) -> [ProviderKey] {
    let object = try json.asObject("the provider's keys")
    let keys = try object.required("keys", try object.array("keys"))
    return keys.prefix(most).compactMap { key in
      guard case .object(let key) = key else { return nil }
      return ProviderKey(key)
    }
  }

  /// The ID token in the token endpoint's answer.
  package static func idToken(_ json: JSON) throws(BrumeError) -> IDToken {
    let object = try json.asObject("the provider's answer")
    return try IDToken(compact: object.requiredString("id_token"))
  }
}

extension ProviderKey {
  fileprivate init?(_ key: JSONObject) {
    if let use = key["use"]?.string, use != "sig" { return nil }
    let algorithm = key["alg"]?.string
    let id = key["kid"]?.string
    switch key["kty"]?.string {
    case "RSA":
      guard algorithm == nil || algorithm == "RS256",
        let modulus = key["n"]?.string.flatMap(Base64URL.bytes),
        let exponent = key["e"]?.string.flatMap(Base64URL.bytes),
        (128...1024).contains(modulus.count), (1...8).contains(exponent.count)
      else { return nil }
      self.init(id: id, material: .rsa(modulus: modulus, exponent: exponent))
    case "EC":
      guard algorithm == nil || algorithm == "ES256", key["crv"]?.string == "P-256",
        let x = key["x"]?.string.flatMap(Base64URL.bytes), x.count == 32,
        let y = key["y"]?.string.flatMap(Base64URL.bytes), y.count == 32
      else { return nil }
      self.init(id: id, material: .p256(x: x, y: y))
    case .some, nil: return nil
    }
  }
}

extension IDToken {
  /// Takes a token in compact form apart (RFC 7515).
  ///
  /// - Throws: `authenticationFailed`, or `badRequest` for claims that are no JSON of the right form.
  package init(compact text: String) throws(BrumeError) {
    let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let header = Base64URL.bytes(String(decoding: parts[0], as: UTF8.self)),
      let payload = Base64URL.bytes(String(decoding: parts[1], as: UTF8.self)),
      let signature = Base64URL.bytes(String(decoding: parts[2], as: UTF8.self))
    else { throw BrumeError(.authenticationFailed, "the provider's ID token is damaged") }
    let head = try JSON(parsing: header).asObject("the ID token's header")
    if head["crit"] != nil {
      throw BrumeError(
        .authenticationFailed, "the provider's ID token needs extensions that are not known here")
    }
    self.init(
      algorithm: try head.requiredString("alg"), keyID: try head.string("kid"),
      signedText: Array(parts[0]) + [UInt8(ascii: ".")] + Array(parts[1]), signature: signature,
      claims: try Claims(JSON(parsing: payload).asObject("the ID token")))
  }
}

extension IDToken.Claims {
  fileprivate init(_ object: JSONObject) throws(BrumeError) {
    self.init(
      issuer: try object.requiredString("iss"), subject: try object.requiredString("sub"),
      audiences: try Self.audiences(object), expires: try Self.time("exp", object),
      issued: try Self.time("iat", object))
    authorizedParty = try object.string("azp")
    if object["nbf"] != nil { notBefore = try Self.time("nbf", object) }
    nonce = try object.string("nonce")
    emailAddress = try object.string("email")
    // Some providers write the flag as a text.
    isEmailVerified =
      object["email_verified"] == .bool(true) || object["email_verified"] == .string("true")
    givenName = try object.string("given_name")
    familyName = try object.string("family_name")
    preferredName = try object.string("preferred_username")
  }

  /// One text, or an array of them.
  private static func audiences(_ object: JSONObject) throws(BrumeError) -> [String] {
    if let one = object["aud"]?.string { return [one] }
    return try object.required("aud", try object.strings("aud"))
  }

  /// Seconds; a fraction is cut off.
  private static func time(_ key: String, _ object: JSONObject) throws(BrumeError) -> Int64 {
    guard let number = object[key]?.double, abs(number) < 1e15 else {
      throw BrumeError(.authenticationFailed, "the provider's ID token has no time '\(key)'")
    }
    return Int64(number)
  }
}
