// Accounts and credentials of the server itself.

/// An account of this server.
package struct User: Equatable, Sendable {
  package let id: UserID
  /// The sign-in name, unique on the server.
  package let name: String
  package var passwordHash: String?
  package var emailAddress: String?
  package var phoneNumber: String?
  package var givenName: String?
  package var familyName: String?
  /// Raised by "sign out everywhere": tokens of an earlier epoch are refused.
  package var tokenEpoch: Int64
  /// Whether others may find this account by its address and learn its name.
  package var isDiscoverable: Bool

  package init(
    id: UserID, name: String, passwordHash: String? = nil, emailAddress: String? = nil,
    phoneNumber: String? = nil, givenName: String? = nil, familyName: String? = nil,
    tokenEpoch: Int64 = 0, isDiscoverable: Bool = true
  ) {
    self.id = id
    self.name = name
    self.passwordHash = passwordHash
    self.emailAddress = emailAddress
    self.phoneNumber = phoneNumber
    self.givenName = givenName
    self.familyName = familyName
    self.tokenEpoch = tokenEpoch
    self.isDiscoverable = isDiscoverable
  }
}

/// An API token: which container and environment a client without a user may address.
package struct APIToken: Equatable, Sendable {
  /// 64 hex digits.
  package let token: String
  package let name: String
  package let container: ContainerID
  package let environment: Environment
  /// Nil: any origin.
  package var allowedOrigins: [String]?
  /// Where the sign-in page sends the token instead of posting it to the page that opened it.
  package var callback: String?

  package init(
    token: String, name: String, container: ContainerID, environment: Environment,
    allowedOrigins: [String]? = nil, callback: String? = nil
  ) {
    self.token = token
    self.name = name
    self.container = container
    self.environment = environment
    self.allowedOrigins = allowedOrigins
    self.callback = callback
  }
}

/// A server-to-server key: the public half, and the user identity that it acts as.
package struct ServerKey: Equatable, Sendable {
  /// 64 hex digits.
  package let id: String
  package let name: String
  package let container: ContainerID
  package let environment: Environment
  /// PEM, P-256.
  package let publicKey: String
  package let user: UserID

  package init(
    id: String, name: String, container: ContainerID, environment: Environment, publicKey: String,
    user: UserID
  ) {
    self.id = id
    self.name = name
    self.container = container
    self.environment = environment
    self.publicKey = publicKey
    self.user = user
  }
}

/// Who somebody is at an OpenID Connect provider: a name that only the provider gives out, and only
/// once.
package struct ProviderIdentity: Hashable, Sendable {
  package let issuer: String
  package let subject: String

  package init(issuer: String, subject: String) {
    self.issuer = issuer
    self.subject = subject
  }
}

/// A user has one of a container's own security roles (case SCH-09).
package struct RoleMember: Hashable, Sendable {
  package let container: ContainerID
  package let environment: Environment
  package let role: String
  package let user: UserID

  package init(container: ContainerID, environment: Environment, role: String, user: UserID) {
    self.container = container
    self.environment = environment
    self.role = role
    self.user = user
  }
}
