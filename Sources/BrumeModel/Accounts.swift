// Accounts and credentials of the server itself.

/// An account of this server.
package struct User: Equatable, Sendable {
  package let id: UserID
  /// The sign-in name, unique on the server.
  package let name: String
  /// A hash with its salt and cost, as BrumeCore's `PasswordHash` makes it; nil: nobody signs in with a
  /// password.
  package var passwordHash: String?
  package var emailAddress: String?
  package var phoneNumber: String?
  package var givenName: String?
  package var familyName: String?
  /// Raised by "sign out everywhere" and by a new password, to the time at least: tokens of another epoch are refused.
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

/// An API token: which container environment a client without a user may address.
package struct APIToken: Equatable, Sendable, InContainerEnvironment {
  /// 64 hex digits.
  package let token: String
  package let name: String
  package let containerEnvironment: ContainerEnvironment
  /// Nil: any origin.
  package var allowedOrigins: [String]?
  /// Where the sign-in page sends the token instead of posting it to the page that opened it.
  package var callback: String?

  package init(
    token: String, name: String, in containerEnvironment: ContainerEnvironment,
    allowedOrigins: [String]? = nil, callback: String? = nil
  ) {
    self.token = token
    self.name = name
    self.containerEnvironment = containerEnvironment
    self.allowedOrigins = allowedOrigins
    self.callback = callback
  }
}

/// A server-to-server key: the public half, and the user identity that it acts as.
package struct ServerKey: Equatable, Sendable, InContainerEnvironment {
  /// 64 hex digits.
  package let id: String
  package let name: String
  package let containerEnvironment: ContainerEnvironment
  /// PEM, P-256.
  package let publicKey: String
  package let user: UserID

  package init(
    id: String, name: String, in containerEnvironment: ContainerEnvironment, publicKey: String,
    user: UserID
  ) {
    self.id = id
    self.name = name
    self.containerEnvironment = containerEnvironment
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
package struct RoleMember: Hashable, Sendable, InContainerEnvironment {
  package let containerEnvironment: ContainerEnvironment
  package let role: String
  package let user: UserID

  package init(in containerEnvironment: ContainerEnvironment, role: String, user: UserID) {
    self.containerEnvironment = containerEnvironment
    self.role = role
    self.user = user
  }
}
