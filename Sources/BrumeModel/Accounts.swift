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

  package init(
    id: UserID, name: String, passwordHash: String? = nil, emailAddress: String? = nil,
    phoneNumber: String? = nil, givenName: String? = nil, familyName: String? = nil,
    tokenEpoch: Int64 = 0
  ) {
    self.id = id
    self.name = name
    self.passwordHash = passwordHash
    self.emailAddress = emailAddress
    self.phoneNumber = phoneNumber
    self.givenName = givenName
    self.familyName = familyName
    self.tokenEpoch = tokenEpoch
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

  package init(
    token: String, name: String, container: ContainerID, environment: Environment,
    allowedOrigins: [String]? = nil
  ) {
    self.token = token
    self.name = name
    self.container = container
    self.environment = environment
    self.allowedOrigins = allowedOrigins
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
