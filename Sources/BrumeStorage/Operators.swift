// The port's part for operators and what they prove themselves with. There are few of either: rules look
// through all credentials, and bound how many there are.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol OperatorReading: AnyObject {
  /// The operator with an ID; nil if there is none.
  func find(_ id: String) throws -> Operator?
  /// The operator with exactly this name; nil if there is none.
  func find(named name: String) throws -> Operator?
  /// In name order.
  ///
  /// - Throws: also the `BrumeError` for damage, so that a store with operators never looks as if it had none.
  func all() throws -> [Operator]
  /// - Parameter id: the digest of its secret.
  func credential(_ id: String) throws -> OperatorCredential?
  /// In the order of creation, then of IDs.
  func credentials() throws -> [OperatorCredential]
}

/// Every call throws what ``WriteTransaction`` says; the write's scope has `server`.
package protocol OperatorWriting: OperatorReading {
  /// Inserts or replaces by ID.
  func put(_ person: Operator) throws
  /// Removes an operator, and nothing else.
  func remove(_ id: String) throws
  /// Inserts or replaces by ID.
  func put(_ credential: OperatorCredential) throws
  /// Removes a credential, if it is there.
  func removeCredential(_ id: String) throws
}
