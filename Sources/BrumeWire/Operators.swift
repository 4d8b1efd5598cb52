// What operators and the server say to each other: signing in, who is signed in, operators, their tokens,
// the audit log. All under `/_brume/admin/` and ours alone.

package import BrumeModel

/// The body of `POST /_brume/admin/session`, of `…/session/first` and `…/session/invitation` with the link's secret.
package struct OperatorSignIn: WireRequest, Equatable, Sendable {
  /// Nil with a link in development: it signs in without a name.
  package var name: String?
  package var password: String?
  /// The secret of a one-time link.
  package var link: String?

  package init(name: String? = nil, password: String? = nil, link: String? = nil) {
    self.name = name
    self.password = password
    self.link = link
  }

  package init(json: JSON) throws(BrumeError) {
    let object = try json.asObject("the body")
    self.init(
      name: try object.string("name"), password: try object.string("password"),
      link: try object.string("link"))
  }

  package func write(to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", name)
    writer.member("password", password)
    writer.member("link", link)
    writer.endObject()
  }
}

/// The answer of both, and of `GET /_brume/admin/session`.
package struct OperatorSession: Sendable {
  package var name: String
  package var role: OperatorRole
  package var proof: OperatorProof
  /// What every changing request of the session carries as `X-Brume-CSRF`; nil: not needed.
  package var csrfToken: String?
  /// When the session or token ends at the latest; nil: not by itself.
  package var ends: Milliseconds?
  package var isDevelopment: Bool

  package init(
    name: String, role: OperatorRole, proof: OperatorProof, csrfToken: String?, ends: Milliseconds?,
    isDevelopment: Bool
  ) {
    self.name = name
    self.role = role
    self.proof = proof
    self.csrfToken = csrfToken
    self.ends = ends
    self.isDevelopment = isDevelopment
  }
}

extension Wire {
  /// `GET /_brume/admin/session` and the answer to signing in.
  package static func operatorSession(_ session: OperatorSession) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.name("operator")
      writer.beginObject()
      writer.member("name", session.name)
      writer.member("role", session.role.rawValue)
      writer.endObject()
      writer.member("proof", session.proof.rawValue)
      writer.member("csrf", session.csrfToken)
      writer.member("ends", session.ends)
      writer.member("version", Release.version)
      writer.member("dev", session.isDevelopment)
      writer.endObject()
    }
  }

  /// `GET /_brume/admin/operators`. Nothing of passwords leaves.
  package static func operators(_ operators: [Operator]) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("operators", operators) { writer, person in Self.write(person, to: &writer) }
      writer.endObject()
    }
  }

  /// One operator: the answer of what makes, changes or removes one.
  package static func `operator`(_ person: Operator) -> [UInt8] {
    bytes { writer in Self.write(person, to: &writer) }
  }

  private static func write(_ person: Operator, to writer: inout JSONWriter) {
    writer.beginObject()
    writer.member("name", person.name)
    writer.member("role", person.role.rawValue)
    writer.member("created", person.created)
    writer.member("issuer", person.identity?.issuer)
    writer.member("openid", person.identity?.subject)
    writer.endObject()
  }

  /// `GET /_brume/admin/operators/tokens`.
  ///
  /// - Parameter owners: names by operators' IDs.
  package static func adminTokens(
    _ tokens: [OperatorCredential], owners: [String: String]
  ) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("tokens", tokens) { writer, token in
        Self.write(token, owners, "token", nil, to: &writer)
      }
      writer.endObject()
    }
  }

  /// One admin token.
  ///
  /// - Parameter secret: the token itself, which is said once.
  package static func adminToken(
    _ token: OperatorCredential, secret: String? = nil, owners: [String: String]
  ) -> [UInt8] {
    bytes { writer in Self.write(token, owners, "token", secret, to: &writer) }
  }

  /// `GET /_brume/admin/operators/invitations`.
  ///
  /// - Parameter makers: names by operators' IDs.
  package static func operatorInvitations(
    _ invitations: [OperatorCredential], makers: [String: String]
  ) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("invitations", invitations) { writer, invitation in
        Self.write(invitation, makers, "url", nil, to: &writer)
      }
      writer.endObject()
    }
  }

  /// One invitation.
  ///
  /// - Parameter url: the link itself, which is said once.
  package static func operatorInvitation(
    _ invitation: OperatorCredential, url: String? = nil, makers: [String: String]
  ) -> [UInt8] {
    bytes { writer in Self.write(invitation, makers, "url", url, to: &writer) }
  }

  private static func write(
    _ credential: OperatorCredential, _ makers: [String: String], _ key: StaticString,
    _ secret: String?, to writer: inout JSONWriter
  ) {
    writer.beginObject()
    writer.member("name", credential.name)
    writer.member("role", credential.role.rawValue)
    writer.member("operator", credential.operatorID.flatMap { makers[$0] })
    writer.member("created", credential.created)
    writer.member("lastUsed", credential.lastUsed)
    writer.member("ends", credential.ends)
    writer.member(key, secret)
    writer.endObject()
  }

  /// A page of the audit log, newest first.
  ///
  /// - Parameter next: the `before` of the next page; nil: this is the last.
  package static func audit(_ entries: [AuditEntry], next: Int64?) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.array("audit", entries) { writer, entry in
        writer.beginObject()
        writer.member("position", entry.position)
        writer.member("time", entry.time)
        writer.member("operator", entry.operatorName)
        writer.member("address", entry.address)
        writer.member("request", entry.requestID)
        writer.member("action", entry.action)
        writer.member("subject", entry.subject)
        writer.member("container", entry.container)
        writer.member("environment", entry.environment)
        writer.member("status", entry.status.map { Int64($0) })
        writer.member("refused", entry.isRefused)
        writer.endObject()
      }
      writer.member("next", next)
      writer.endObject()
    }
  }
}
