// Operators: the people and programs that administer a server, what they prove themselves with, and what
// is kept of what they did. Users of apps are `Accounts.swift`.

/// What an operator may do.
package enum OperatorRole: String, CaseIterable, Sendable {
  case full
  /// Everything that only reads.
  case readOnly = "read-only"
}

/// A person who administers the server.
package struct Operator: Equatable, Sendable {
  /// 32 hex digits.
  package let id: String
  /// The sign-in name, unique among operators.
  package let name: String
  package var role: OperatorRole
  /// What proves who the operator is: the hash of a password, or who they are at an OpenID provider.
  package var passwordHash: String
  package let created: Milliseconds

  package init(
    id: String, name: String, role: OperatorRole, passwordHash: String, created: Milliseconds
  ) {
    self.id = id
    self.name = name
    self.role = role
    self.passwordHash = passwordHash
    self.created = created
  }
}

extension Operator {
  /// Who the operator is at an OpenID provider; nil: they have a password.
  package var identity: ProviderIdentity? {
    let parts = passwordHash.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0] == Self.openID else { return nil }
    return ProviderIdentity(issuer: String(parts[1]), subject: String(parts[2]))
  }

  /// An identity in the place of a password's hash. Addresses of issuers have no spaces, so that one ends them.
  package static func proof(of identity: ProviderIdentity) -> String {
    "\(openID) \(identity.issuer) \(identity.subject)"
  }

  private static let openID = "openid"
}

/// A secret that stands for an operator. The server keeps its digest only.
package struct OperatorCredential: Equatable, Sendable {
  /// What the secret is for.
  package enum Kind: String, CaseIterable, Sendable {
    /// A browser that is signed in.
    case session
    /// A program.
    case token
    /// Makes an operator: the first one, or with a name who was invited; signs a browser in, in development. Used once.
    case link
  }
  /// SHA-256 of the secret, in hex.
  package let id: String
  package let kind: Kind
  /// A token's name, unique among tokens; of an invitation whom it is for, once; empty for others.
  package let name: String
  /// Whose it is; nil: of the machine's owner.
  package let operatorID: String?
  /// No more than its operator's.
  package let role: OperatorRole
  package let created: Milliseconds
  /// Nil: never. It is noted once a minute at most.
  package var lastUsed: Milliseconds?
  /// The first moment at which it is not good any more; nil: until it is revoked.
  package let ends: Milliseconds?

  package init(
    id: String, kind: Kind, name: String = "", operatorID: String?, role: OperatorRole,
    created: Milliseconds, lastUsed: Milliseconds? = nil, ends: Milliseconds?
  ) {
    self.id = id
    self.kind = kind
    self.name = name
    self.operatorID = operatorID
    self.role = role
    self.created = created
    self.lastUsed = lastUsed
    self.ends = ends
  }
}

/// What an operator has proved itself with.
package enum OperatorProof: String, CaseIterable, Sendable {
  /// The token in the data folder: the machine's owner.
  case folder
  /// A browser's session.
  case session
  /// An admin token.
  case token
}

/// A line of the audit log: who did what, when, from where, and what came of it.
package struct AuditEntry: Equatable, Sendable {
  /// Rises by one with each line, but for lines whose transaction failed.
  package var position: Int64 = 0
  package let time: Milliseconds
  /// An operator's name, `token NAME`, `owner` for the data folder's token; empty: nobody who is known.
  package let operatorName: String
  /// The address that the request came from.
  package let address: String
  package let requestID: String
  /// The path below `/_brume/admin/`.
  package let action: String
  /// Whom or what it was done to, by name; empty if the action has no such thing.
  package let subject: String
  /// As far as the request names them.
  package let container: String
  package let environment: String
  /// The HTTP status of the answer; nil while there is none. It stays nil if the server ends first.
  package var status: Int?
  /// The request was not let in: it did nothing.
  package let isRefused: Bool

  package init(
    time: Milliseconds, operatorName: String, address: String, requestID: String, action: String,
    subject: String, container: String = "", environment: String = "", status: Int?,
    isRefused: Bool = false
  ) {
    self.time = time
    self.operatorName = operatorName
    self.address = address
    self.requestID = requestID
    self.action = action
    self.subject = subject
    self.container = container
    self.environment = environment
    self.status = status
    self.isRefused = isRefused
  }
}

/// Which lines of the audit log are wanted; nil admits all.
package struct AuditFilter: Equatable, Sendable {
  package var operatorName: String?
  package var requestID: String?
  /// Not before this.
  package var since: Milliseconds?
  /// Before this.
  package var until: Milliseconds?

  package init() {}

  /// Whether a line is wanted.
  package func admits(_ entry: AuditEntry) -> Bool {
    (operatorName.map { $0.utf8.elementsEqual(entry.operatorName.utf8) } ?? true)
      && (requestID.map { $0 == entry.requestID } ?? true)
      && (since.map { $0 <= entry.time } ?? true) && (until.map { entry.time < $0 } ?? true)
  }
}
