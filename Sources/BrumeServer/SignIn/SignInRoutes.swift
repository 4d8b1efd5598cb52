// The sign-in page and what it asks (docs/sign-in.md): the ways to sign in, and a name and password.
// Each step carries the sealed state of the sign-in. By a provider: `ProviderRoutes.swift`.

import BrumeCore
import BrumeModel
import BrumeWire

struct SignInRoutes: Sendable {
  static let path = "/_brume/signin"
  let signIns: SignIns
  let accounts: Accounts
  let passwords: PasswordVerifier
  let signOut: SignOut
  let server: ServerAddress
  /// What the page calls the provider; nil: nobody signs in by one.
  let providerName: String?
  /// Users who need no password on this machine: the ready-made ones, in development.
  let readyMade: [String]

  func page(_ call: Call) async throws -> Reply { SignInPage.empty }

  func file(_ call: Call) async throws -> Reply { try SignInPage.file(call.path) }

  /// What the page shows.
  func options(_ call: Call) async throws -> Reply {
    let signIn = try await signIns.open(call.query["state"] ?? "")
    var options = JSONObject()
    options["app"] = .string(signIn.token.name)
    options["container"] = .string(signIn.token.container.name)
    options["password"] = .bool(true)
    options["provider"] = providerName.map { .string($0) }
    options["origins"] = .array(SignInOutcome.origins(of: signIn).map { .string($0) })
    return SignInPage.json(.object(options))
  }

  func password(_ call: Call) async throws -> Reply {
    try requireOwnPage(call)
    let json = try call.json()
    let signIn = try await signIns.open(json.text("state"))
    let user = try await user(call, name: json.text("name"), password: json["password"]?.string)
    let token = try await signIns.complete(
      signIn, as: user, keep: json["keep"]?.bool ?? false,
      // An unticked box on the password page changes nothing: the operator may have decided.
      discoverable: json["discoverable"]?.bool == true ? true : nil)
    return SignInPage.json(SignInOutcome.json(token, for: signIn))
  }

  /// In development, and on this machine only, the ready-made users need no password.
  private func user(
    _ call: Call, name: String, password: String?
  ) async throws -> User {
    if password ?? "" == "", call.address.isLocal, readyMade.contains(name),
      let user = try await accounts.user(named: name), user.passwordHash == nil
    {
      return user
    }
    return try await passwords.account(name: name, password: password ?? "", at: call.address)
  }

  private func requireOwnPage(_ call: Call) throws(BrumeError) {
    guard call.isFromPage(of: server) else {
      throw BrumeError(.accessDenied, "only the sign-in page itself may send a password")
    }
  }

  /// Ends every session of the caller, on all devices.
  func signOutEverywhere(_ call: Call) async throws -> Reply {
    try await signOut.everywhere(call.caller.requireUser())
    return .empty
  }
}
