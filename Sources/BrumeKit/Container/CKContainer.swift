// A container: three databases under one identifier.

import BrumeClient
public import Foundation

/// A container of a program's data: one public database, and a private and a shared one per user.
// Sendable because every stored property is constant and Sendable itself.
public class CKContainer: NSObject, @unchecked Sendable {
  /// The container's identifier, such as `iCloud.org.example.app`.
  public let containerIdentifier: String?
  /// The database that everybody can read.
  public let publicCloudDatabase: CKDatabase
  /// The current user's own database.
  public let privateCloudDatabase: CKDatabase
  /// What others share with the current user.
  public let sharedCloudDatabase: CKDatabase
  /// What the databases share.
  let connection: Connection

  init(connection: Connection, identifier: String?) {
    self.connection = connection
    containerIdentifier = identifier
    publicCloudDatabase = CKDatabase(.public, connection: connection)
    privateCloudDatabase = CKDatabase(.private, connection: connection)
    sharedCloudDatabase = CKDatabase(.shared, connection: connection)
  }

  /// The typed caller of the container.
  var session: Session { connection.session }

  /// The database of a scope: the same object as the property of its name.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    switch databaseScope {
    case .public: publicCloudDatabase
    case .private: privateCloudDatabase
    case .shared: sharedCloudDatabase
    }
  }
}
