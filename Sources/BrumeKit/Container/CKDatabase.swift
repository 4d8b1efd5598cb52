// A database of a container. Its calls are in `CKDatabase+Records.swift` and its neighbours; each
// runs the operation of its kind, so that both ways of asking do the same and check the same.

import BrumeClient
import BrumeModel
public import Foundation

/// A database: the public one of a container, or the current user's private or shared one.
///
/// Calls throw ``CKError``, with ``CKError/Code/operationCancelled`` if the task is cancelled.
// Sendable because every stored property is constant and Sendable itself.
open class CKDatabase: NSObject, @unchecked Sendable {
  /// Which of a container's databases this is.
  open var databaseScope: CKDatabase.Scope { scope }
  private let scope: CKDatabase.Scope
  /// What the databases of one container share.
  let connection: Connection
  /// The typed caller of this database.
  var caller: DatabaseCaller { connection.session.database(databaseScope.model) }
  /// How the calls of this object run.
  let defaults: CallDefaults

  init(_ scope: CKDatabase.Scope, connection: Connection, defaults: CallDefaults) {
    self.scope = scope
    self.connection = connection
    self.defaults = defaults
  }

  /// From where answers of this database are looked at.
  ///
  /// - Parameter me: the current user's record name, where it is known.
  func viewpoint(of me: String? = nil) -> Viewpoint {
    Viewpoint(
      scope: databaseScope.model, me: me, server: try? connection.session.configuration.get().url)
  }

  /// Runs an operation on this database.
  open func add(_ operation: CKDatabaseOperation) {
    operation.database = self
    connection.add(operation)
  }

  /// A text for logs and debuggers.
  open override var description: String { "<CKDatabase: \(databaseScope.model.rawValue)>" }
}

extension CKDatabase {
  /// The databases of a container.
  public enum Scope: Int, Sendable {
    /// Everybody's.
    case `public` = 1
    /// The current user's own.
    case `private` = 2
    /// What others share with the current user.
    case shared = 3
  }
}
