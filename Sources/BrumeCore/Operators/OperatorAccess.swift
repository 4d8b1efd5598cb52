// Which operator calls, and how that was proved. It is made by `OperatorAuthentication`; the server decides by it
// which endpoints are open, and writes it into the audit log.

package import BrumeModel

/// The operator behind a request.
package struct OperatorAccess: Equatable, Sendable {
  /// What the machine's owner is called: whoever can read the data folder.
  package static let ownerName = "owner"
  /// What a browser is called that a link has signed in on a development server.
  package static let developmentName = "development"

  /// An operator's name, `token NAME`, or one of the two above.
  package let name: String
  package let role: OperatorRole
  /// How the request shows that it is this operator's.
  package let proof: OperatorProof
  /// Nil: the token of the data folder.
  package let credential: OperatorCredential?

  /// The machine's owner.
  package static let owner = OperatorAccess(
    name: ownerName, role: .full, proof: .folder, credential: nil)

  /// Whose tokens it makes and whose sessions it may end; nil: the machine's owner.
  package var operatorID: String? { credential?.operatorID }
}

extension OperatorRole {
  /// The lesser of two.
  func atMost(_ other: OperatorRole) -> OperatorRole {
    self == .full ? other : self
  }
}
