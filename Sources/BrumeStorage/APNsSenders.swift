// The port's part for who signs for Apple.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol APNsSenderReading: AnyObject {
  /// Who signs in a container, in the order they were added.
  func all(of container: ContainerID) throws -> [APNsSender]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol APNsSenderWriting: APNsSenderReading {
  /// Inserts, or replaces by container and topic, keeping its place in the order.
  func put(_ sender: APNsSender) throws
  /// Answers whether there was one.
  @discardableResult
  func remove(_ topic: String, of container: ContainerID) throws -> Bool
}
