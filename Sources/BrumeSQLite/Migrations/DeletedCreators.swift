// Who made a deleted record of the public database, so that a push that still waits can be
// judged. Other databases leave it empty.

extension Migrations {
  static let deletedCreators = "ALTER TABLE records ADD COLUMN deleted_creator TEXT;"
}
