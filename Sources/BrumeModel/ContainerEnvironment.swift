// What data, schemas, devices and credentials belong to: one environment of one container. Apple's
// entitlement `icloud-container-environment` has the word.

/// A container in one of its two environments.
package struct ContainerEnvironment: Hashable, Sendable, CustomStringConvertible {
  package let container: ContainerID
  package let environment: Environment

  package init(_ container: ContainerID, _ environment: Environment) {
    self.container = container
    self.environment = environment
  }

  package var description: String { "\(container) in \(environment.rawValue)" }
}

/// By the bytes of the container's name, development first.
extension ContainerEnvironment: Comparable {
  package static func < (a: ContainerEnvironment, b: ContainerEnvironment) -> Bool {
    if a.container == b.container { return a.environment.rawValue < b.environment.rawValue }
    return a.container.name.utf8.lexicographicallyPrecedes(b.container.name.utf8)
  }
}

/// Something that belongs to one environment of a container.
package protocol InContainerEnvironment {
  /// The one that it belongs to.
  var containerEnvironment: ContainerEnvironment { get }
}

extension InContainerEnvironment {
  package var container: ContainerID { containerEnvironment.container }
  package var environment: Environment { containerEnvironment.environment }
}
