// Operators, their admin tokens, one-time links and invitations, for the command line and the console.

import BrumeCore
import BrumeModel
import BrumeOpenID
import BrumeWire

struct OperatorAdmin: Sendable {
  let operators: Operators
  let tokens: AdminTokens
  let links: OperatorLinks
  let invitations: OperatorInvitations
  let server: ServerAddress
  /// Nil: nobody signs in by a provider.
  let provider: OpenIDProvider?
  let isDevelopment: Bool

  func list(_ call: Call) async throws -> Reply {
    .json(Wire.operators(try await operators.all()))
  }

  func add(_ call: Call) async throws -> Reply {
    let json = try call.object()
    if let subject = try json.string("openid") {
      return .json(
        Wire.operator(
          try await operators.add(
            name: json.text("name"), identity: identity(subject), role: json.role() ?? .full)))
    }
    let (name, password) = (try json.text("name"), try json.text("password"))
    return .json(
      Wire.operator(
        try await operators.add(name: name, password: password, role: json.role() ?? .full)))
  }

  private func identity(_ subject: String) async throws -> ProviderIdentity {
    guard let provider else {
      throw BrumeError(
        .badRequest,
        "this server knows no sign-in provider (--oidc-discovery); give the operator a password")
    }
    return ProviderIdentity(issuer: try await provider.issuer(), subject: subject)
  }

  func change(_ call: Call) async throws -> Reply {
    let json = try call.object()
    return .json(
      Wire.operator(
        try await operators.change(
          json.text("name"), password: json.string("password"), role: json.role())))
  }

  func remove(_ call: Call) async throws -> Reply {
    .json(Wire.operator(try await operators.remove(call.json().text("name"))))
  }

  /// The address of a new one-time link.
  func link(_ call: Call) async throws -> Reply {
    guard let link = try await links.make(inDevelopment: isDevelopment) else {
      throw BrumeError(
        .exists,
        "there are operators, and a link makes only the first; invite another with `brume operator "
          + "invitation create NAME`, or set a new password with `brume operator password NAME`")
    }
    return .json([
      "url": .string(AccessPage.link(link.secret, on: server)),
      "ends": .int(link.credential.ends ?? 0),
    ])
  }

  // MARK: Invitations

  func listInvitations(_ call: Call) async throws -> Reply {
    let (invitations, makers) = try await invitations.all()
    return .json(Wire.operatorInvitations(invitations, makers: makers))
  }

  func invite(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let maker = call.caller.access ?? .owner
    let made = try await invitations.make(
      name: json.text("name"), role: json.role() ?? .full,
      hours: json.int("hours"), by: maker)
    let makers = maker.operatorID.map { [$0: maker.name] } ?? [:]
    return .json(
      Wire.operatorInvitation(
        made.credential, url: AccessPage.invitation(made.secret, on: server), makers: makers))
  }

  func revokeInvitation(_ call: Call) async throws -> Reply {
    .json(
      Wire.operatorInvitation(try await invitations.revoke(call.json().text("name")), makers: [:]))
  }

  // MARK: Admin tokens

  func listTokens(_ call: Call) async throws -> Reply {
    let (tokens, owners) = try await tokens.all()
    return .json(Wire.adminTokens(tokens, owners: owners))
  }

  func createToken(_ call: Call) async throws -> Reply {
    let json = try call.object()
    let maker = call.caller.access ?? .owner
    let made = try await tokens.create(
      name: json.text("name"), role: json.role() ?? .full,
      days: json.int("days"), by: maker)
    let owners = maker.operatorID.map { [$0: maker.name] } ?? [:]
    return .json(Wire.adminToken(made.credential, secret: made.secret, owners: owners))
  }

  func revokeToken(_ call: Call) async throws -> Reply {
    .json(Wire.adminToken(try await tokens.revoke(call.json().text("name")), owners: [:]))
  }
}

extension JSONObject {
  /// - Throws: `badRequest` if it is no role.
  fileprivate func role() throws(BrumeError) -> OperatorRole? {
    guard let text = try string("role") else { return nil }
    guard let role = OperatorRole(rawValue: text) else {
      let roles = OperatorRole.allCases.map(\.rawValue).joined(separator: " or ")
      throw BrumeError(.badRequest, "'role' must be \(roles), not '\(NameRules.shown(text))'")
    }
    return role
  }
}
