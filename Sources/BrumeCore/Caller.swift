// Who asks, and what the rules may know of their environment.

package import BrumeModel

/// The principal of one request. Made by `Authentication`, used by every rule.
package struct Caller: Equatable, Sendable, InContainerEnvironment {
  /// As what somebody asks.
  package enum Kind: Equatable, Sendable {
    /// An API token without a user: reads of the public database, as far as `_world` may.
    case anonymous
    case user
    /// A signed request: the public database, as the key's own user.
    case serverKey
    /// The command line, the console, and programs of operators.
    case `operator`
  }
  package let containerEnvironment: ContainerEnvironment
  /// Nil for an anonymous caller, and for an operator who acts for nobody.
  package let user: UserID?
  /// The device that asks, if the request names it.
  package let device: DeviceID?
  /// As what the caller asks, which decides what it may address.
  package let kind: Kind
  /// Roles of the container's own that the user has (case SCH-09).
  package let roles: Set<String>
  /// The user's `tokenEpoch` when the session, or with a server key the request, began; nil for others.
  package let epoch: Int64?
  /// The last moment of the session; nil without a web auth token.
  package let sessionEnds: Milliseconds?
  /// Who administers, in calls of operators; nil in others.
  package let access: OperatorAccess?
  /// Names the request in logs, errors and the notifications it causes.
  package let requestID: String

  package init(
    in containerEnvironment: ContainerEnvironment, user: UserID?, device: DeviceID?,
    kind: Kind, roles: Set<String> = [], epoch: Int64? = nil,
    sessionEnds: Milliseconds? = nil, access: OperatorAccess? = nil, requestID: String
  ) {
    self.containerEnvironment = containerEnvironment
    self.user = user
    self.device = device
    self.kind = kind
    self.roles = roles
    self.epoch = epoch
    self.sessionEnds = sessionEnds
    self.access = access
    self.requestID = requestID
  }
}
