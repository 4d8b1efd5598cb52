// The port's part for members of security roles.

package import BrumeModel

package protocol RoleReading: AnyObject {
  /// Roles of a container's own that a user has, in name order.
  func names(
    of user: UserID, container: ContainerID, environment: Environment
  ) throws -> [String]
  /// Everybody with a role of a container and environment, in role and user order.
  func members(container: ContainerID, environment: Environment) throws -> [RoleMember]
}

package protocol RoleWriting: RoleReading {
  func put(_ member: RoleMember) throws
  func remove(_ member: RoleMember) throws
}
