// The frame of operations that address one database.

import BrumeClient

/// An operation on a database.
///
/// Source: Apple's `CKDatabaseOperation` page.
open class CKDatabaseOperation: CKOperation, @unchecked Sendable {
  // Sendable as its superclass: set before it starts.

  /// The database; nil means the private database of the operation's container.
  open var database: CKDatabase?

  /// Creates an operation.
  public required override init() { super.init() }

  override var session: Session { effectiveDatabase.connection.session }

  /// The database that holds.
  var effectiveDatabase: CKDatabase { database ?? effectiveContainer.privateCloudDatabase }
}
