// A trip to the provider and back. Its state is a sealed text again; the proof key (PKCE, RFC 7636)
// and the nonce are computed from it with the server's secret, so that nothing has to be kept. The
// trip is bound to one browser: whoever comes back must bring what was given to the one who left.

package import BrumeModel
import BrumeStorage
import Crypto
import FoundationEssentials

/// The way to the provider.
package struct ProviderDeparture: Equatable, Sendable {
  /// `state` of the authorization request.
  package let state: String
  /// `nonce`.
  package let nonce: String
  /// `code_challenge`, by the method S256.
  package let challenge: String
}

/// The way back.
package struct ProviderReturn: Equatable, Sendable {
  package let signIn: SignIn
  package let keep: Bool
  package let discoverable: Bool
  package let nonce: String
  /// `code_verifier`.
  package let verifier: String
}

struct TripState {
  let visit: String
  let browser: String
  let keep: Bool
  let discoverable: Bool
  let chance: String

  init(visit: String, browser: String, keep: Bool, discoverable: Bool, chance: String) {
    self.visit = visit
    self.browser = browser
    self.keep = keep
    self.discoverable = discoverable
    self.chance = chance
  }

  init?(_ bytes: [UInt8]) {
    var unpacker = Unpacker(bytes)
    guard let visit = unpacker.text(), let browser = unpacker.text(),
      let keep = unpacker.number(), let discoverable = unpacker.number(),
      let chance = unpacker.text(), unpacker.isAtEnd
    else { return nil }
    self.init(
      visit: visit, browser: browser, keep: keep != 0, discoverable: discoverable != 0,
      chance: chance)
  }

  var bytes: [UInt8] {
    var packer = Packer()
    packer.add(visit)
    packer.add(browser)
    packer.add(keep ? 1 : 0)
    packer.add(discoverable ? 1 : 0)
    packer.add(chance)
    return packer.bytes
  }
}

/// Trips of somebody who signs in, to an OpenID provider and back.
package struct ProviderVisits: Sendable {
  private let store: any Store
  private let limits: Limits
  private let host: Host
  private let seal: Seal
  private let signIns: SignIns

  init(_ parts: EngineParts) {
    store = parts.store
    limits = parts.limits
    host = parts.host
    seal = parts.seal
    signIns = SignIns(parts)
  }

  /// Sends a visit to the provider.
  ///
  /// - Parameter browser: a secret that only this visitor's browser gets.
  package func depart(
    _ signIn: SignIn, browser: String, keep: Bool, discoverable: Bool
  ) -> ProviderDeparture {
    let trip = TripState(
      visit: signIn.state, browser: Self.digest(browser), keep: keep, discoverable: discoverable,
      chance: Hex.text(host.randomBytes(16)))
    let state = seal.text(trip.bytes, for: .providerTrip)
    return seal.departure(state)
  }

  /// Takes a visit back.
  package func comeBack(_ state: String, browser: String?) async throws -> ProviderReturn {
    guard let bytes = seal.payload(of: state, for: .providerTrip), let trip = TripState(bytes)
    else {
      throw BrumeError(
        .badRequest,
        "the provider sent back a state that is not of this server; go back and sign in again")
    }
    guard let browser, trip.browser == Self.digest(browser) else {
      throw BrumeError(
        .badRequest, "this sign-in was begun in another browser; go back and sign in again")
    }
    return ProviderReturn(
      signIn: try await signIns.open(trip.visit), keep: trip.keep, discoverable: trip.discoverable,
      nonce: seal.nonce(of: state), verifier: seal.verifier(of: state))
  }

  /// The account of somebody whom the provider named; made at the first visit. An address never
  /// links to an account that exists: only issuer and subject do.
  package func account(of claims: IDToken.Claims) async throws -> User {
    let identity = ProviderIdentity(issuer: claims.issuer, subject: claims.subject)
    let id = UserID("_" + Hex.text(host.randomBytes(16)))
    let suffix = Hex.text(host.randomBytes(4))
    let maximum = limits.nameLength
    let user = try await store.write(in: .server) { transaction -> User in
      if let known = try transaction.users.linked(to: identity).flatMap({
        try transaction.users.find($0)
      }) {
        return known
      }
      let user = try transaction.users.newUser(id, claims, suffix: suffix, maximum: maximum)
      try transaction.users.put(user)
      try transaction.users.link(identity, to: id)
      return user
    }
    return user
  }

  static func digest(_ text: String) -> String {
    Base64URL.text(Array(SHA256.hash(data: Array(text.utf8))))
  }
}

extension UserReading {
  /// Named as the provider says if nobody is named so yet. Nobody finds a new account by its address
  /// until its owner agrees.
  fileprivate func newUser(
    _ id: UserID, _ claims: IDToken.Claims, suffix: String, maximum: Int
  ) throws -> User {
    let wanted = [claims.preferredName, claims.emailAddress].compactMap { $0 }.first { name in
      !name.isEmpty && name.utf8.count < maximum - suffix.utf8.count
        && name.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7f }
    }
    let name = wanted ?? "user-\(suffix)"
    let isTaken = try find(named: name) != nil
    var address = claims.isEmailVerified ? claims.emailAddress : nil
    if let wanted = address, try find(emailAddress: wanted) != nil { address = nil }
    return User(
      id: id, name: isTaken ? "\(name)-\(suffix)" : name, emailAddress: address,
      givenName: claims.givenName, familyName: claims.familyName, isDiscoverable: false)
  }
}
