// The port's part for operators and what they prove themselves with. There are few of either: rules look
// through all credentials, and bound how many there are.

package import BrumeModel

package protocol OperatorReading: AnyObject {
  func find(_ id: String) throws -> Operator?
  func find(named name: String) throws -> Operator?
  /// In name order.
  func all() throws -> [Operator]
  /// - Parameter id: the digest of its secret.
  func credential(_ id: String) throws -> OperatorCredential?
  /// In the order of creation, then of IDs.
  func credentials() throws -> [OperatorCredential]
}

package protocol OperatorWriting: OperatorReading {
  func put(_ person: Operator) throws
  /// Removes an operator, and nothing else.
  func remove(_ id: String) throws
  func put(_ credential: OperatorCredential) throws
  func removeCredential(_ id: String) throws
}
