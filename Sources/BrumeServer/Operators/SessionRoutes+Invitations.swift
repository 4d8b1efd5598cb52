// Invitations, from the side of who was invited: what one says, and becoming an operator by it.

import BrumeCore
import BrumeModel
import BrumeWire
import HTTPTypes

extension SessionRoutes {
  /// What an invitation makes of whoever accepts it.
  func invitation(_ call: Call) async throws -> Reply {
    let invitation = try await invited(call, request(call))
    var reply = Reply.json(Wire.operatorInvitation(invitation, makers: [:]))
    reply.headers[.cacheControl] = "no-store"
    return reply
  }

  /// Makes the operator of an invitation.
  func acceptInvitation(_ call: Call) async throws -> Reply {
    let given = try request(call)
    let invitation = try await invited(call, given)
    guard let password = given.password else {
      throw BrumeError(
        .badRequest, "'password' is missing; choose what you sign in with from now on")
    }
    let person = try await passwords.hash { [invitations] in
      try invitations.person(invitation, password: password)
    }
    return try await begin(call, person.name, person.role, "session/invitation/accept") {
      try await invitations.accept(person, id: invitation.id)
    }
  }

  private func invited(_ call: Call, _ given: OperatorSignIn) async throws -> OperatorCredential {
    guard let link = given.link else {
      throw BrumeError(
        .badRequest, "'link' is missing; it is what stands behind #invitation. in the invitation")
    }
    return try await auditLog.identify(call, action: "session/invitation") {
      try await invitations.find(link)
    }
  }
}
