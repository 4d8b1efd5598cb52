// Invitations as the store has them: links with a name. Which are good, and what may be put beside what.

import BrumeModel
import BrumeStorage

extension OperatorCredential {
  /// A link that makes an operator of its name; others have none.
  var isInvitation: Bool { kind == .link && !name.isEmpty }
}

extension OperatorReading {
  /// What operators are called, by their IDs.
  func namesByID() throws -> [String: String] {
    Dictionary(try all().map { ($0.id, $0.name) }, uniquingKeysWith: { $1 })
  }

  func invitations(at now: Milliseconds) throws -> [OperatorCredential] {
    try credentials().filter { $0.isInvitation && !$0.hasEnded(at: now) }
  }

  /// A good link, of either kind.
  func anyLink(_ secret: String, at now: Milliseconds) throws -> OperatorCredential {
    let id = OperatorSecret.id(of: secret)
    let isInvitation = try id.flatMap { try credential($0) }?.isInvitation ?? false
    return try isInvitation ? invitation(withID: id, at: now) : link(secret, at: now)
  }

  /// A good invitation, with no more than what its maker may today.
  func invitation(withID id: String?, at now: Milliseconds) throws -> OperatorCredential {
    guard let id, let link = try credential(id), link.isInvitation,
      !link.hasEnded(at: now), let role = try role(of: link)
    else {
      throw BrumeError(
        .authenticationFailed,
        "this invitation was used or taken back, or its time is over; ask for another, which `brume operator "
          + "invitation create` makes")
    }
    return OperatorCredential(
      id: link.id, kind: .link, name: link.name, operatorID: link.operatorID, role: role,
      created: link.created, ends: link.ends)
  }

  /// Nil: whoever made it is no operator any more.
  private func role(of link: OperatorCredential) throws -> OperatorRole? {
    guard let maker = link.operatorID else { return link.role }
    return try find(maker).map { link.role.atMost($0.role) }
  }
}

extension OperatorWriting {
  func invite(
    _ invitation: OperatorCredential, limits: Limits, at now: Milliseconds
  ) throws {
    try removeCredentials {
      $0.hasEnded(at: now) || $0.isInvitation && $0.name == invitation.name
    }
    guard try find(named: invitation.name) == nil else {
      throw BrumeError(
        .exists,
        "'\(invitation.name)' is an operator already; set a new password with `brume operator password`, or choose "
          + "another name")
    }
    try CountRules.room(
      for: "operators and invitations", beside: all().count + invitations(at: now).count,
      upTo: limits.operators, next: "remove one with `brume operator remove NAME`")
    try put(invitation)
  }

  /// Adds an operator whose identity at a provider, if there is one, is nobody else's.
  func addAlone(_ person: Operator, limits: Limits) throws {
    if let identity = person.identity, let other = try find(identity) {
      throw BrumeError(.exists, "'\(other.name)' is the operator with this identity already")
    }
    try add(person, limits: limits)
  }
}
