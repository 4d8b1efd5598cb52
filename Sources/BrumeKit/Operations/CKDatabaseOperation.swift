// The frame of operations that address one database.

import BrumeClient

/// An operation on a database.
///
/// Source: Apple's `CKDatabaseOperation` page.
// Sendable because all is set before it starts, and then its own task and queue alone use it.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  /// The database; nil means the private database of the operation's container.
  open var database: CKDatabase?

  /// Creates an operation.
  public override init() { super.init() }

  override var connection: Connection { effectiveDatabase.connection }

  /// The database that holds.
  var effectiveDatabase: CKDatabase { database ?? effectiveContainer.privateCloudDatabase }
}
