// What the removal of an account takes away, for the operator who is about to do it, or did.

/// Numbers of what belongs to a user, by container environment.
package struct UserRemoval: Equatable, Sendable {
  /// What a user has in one container environment.
  package struct Place: Equatable, Sendable, InContainerEnvironment {
    package let containerEnvironment: ContainerEnvironment
    /// Zones of the private database, the default zone among them if it was written to.
    package var zones = 0
    package var subscriptions = 0
    package var devices = 0
    /// Notifications that wait in the devices' mailboxes.
    package var waiting = 0
    /// Other users who lose a zone that this user shared with them.
    package var participants = 0
    /// Shares of others that the user leaves.
    package var joinedShares = 0
    /// Roles of the container's own.
    package var roles = 0
    package init(_ containerEnvironment: ContainerEnvironment) {
      self.containerEnvironment = containerEnvironment
    }
  }
  package let user: UserID
  /// The sign-in name.
  package let name: String
  package var places: [Place]
  /// Whether it has been done, or was only looked at.
  package var isDone: Bool
  package init(_ user: UserID, named name: String, _ places: [Place], isDone: Bool) {
    self.user = user
    self.name = name
    self.places = places
    self.isDone = isDone
  }
}
