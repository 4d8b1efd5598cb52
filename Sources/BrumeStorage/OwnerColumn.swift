// How engines store the owner of a database as a text. Never change it.

package import BrumeModel

extension DatabaseKey {
  /// The owner's name; empty for the public database.
  package var ownerColumn: String { owner?.name ?? "" }

  /// - Parameter column: as `ownerColumn` answers it.
  package init(in containerEnvironment: ContainerEnvironment, ownerColumn column: String) {
    self.init(in: containerEnvironment, owner: column.isEmpty ? nil : UserID(column))
  }
}
