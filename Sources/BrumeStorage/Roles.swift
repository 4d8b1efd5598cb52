// The port's part for members of security roles.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol RoleReading: AnyObject {
  /// Roles of a container's own that a user has, in name order.
  func names(of user: UserID, in containerEnvironment: ContainerEnvironment) throws -> [String]
  /// Everybody with a role of a container environment, in role and user order.
  func members(in containerEnvironment: ContainerEnvironment) throws -> [RoleMember]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol RoleWriting: RoleReading {
  /// Gives a user a role; nothing changes if the user has it.
  func put(_ member: RoleMember) throws
  /// Takes a role from a user, who may have it or not.
  func remove(_ member: RoleMember) throws
}
