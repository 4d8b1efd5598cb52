// The port's part for members of security roles.

package import BrumeModel

package protocol RoleReading: AnyObject {
  /// Roles of a container's own that a user has, in name order.
  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String]
  /// Everybody with a role of a container environment, in role and user order.
  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember]
}

package protocol RoleWriting: RoleReading {
  func put(_ member: RoleMember) throws
  func remove(_ member: RoleMember) throws
}
