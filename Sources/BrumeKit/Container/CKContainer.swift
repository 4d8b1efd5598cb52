// A container: three databases under one identifier. Users are in `CKContainer+Account.swift`.

import BrumeClient
import BrumeModel
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
  /// How the calls of this object run.
  let defaults: CallDefaults
  /// The typed caller of the container.
  var session: Session { connection.session }

  /// The container that the environment names: the same object each time.
  ///
  /// If a variable is missing, every call fails with ``CKError/Code/missingEntitlement`` and a text
  /// that names it.
  public class func `default`() -> CKContainer { environmentContainer }

  private static let environmentContainer = CKContainer(
    connecting: Result { () throws(CallFailure) in
      try Configuration(variables: ProcessInfo.processInfo.environment)
    })

  /// A container by its identifier, on the server and for the user that the environment names.
  public convenience init(identifier containerIdentifier: String) {
    self.init(
      connecting: Self.environmentContainer.session.configuration.map { settings in
        var settings = settings
        settings.containerEnvironment = ContainerEnvironment(
          ContainerID(containerIdentifier), settings.environment)
        return settings
      },
      identifier: containerIdentifier)
  }

  /// A container with settings; a device without a name gets one.
  convenience init(
    connecting settings: Result<Configuration, CallFailure>, identifier: String? = nil
  ) {
    let settings = settings.flatMap { settings in
      Result { () throws(CallFailure) in try settings.withDevice { UUID().uuidString } }
    }
    self.init(
      connection: Connection(Session(settings)),
      identifier: identifier ?? (try? settings.get().container.name))
  }

  init(connection: Connection, identifier: String?, defaults: CallDefaults = CallDefaults()) {
    self.connection = connection
    self.defaults = defaults
    containerIdentifier = identifier
    publicCloudDatabase = CKDatabase(.public, connection: connection, defaults: defaults)
    privateCloudDatabase = CKDatabase(.private, connection: connection, defaults: defaults)
    sharedCloudDatabase = CKDatabase(.shared, connection: connection, defaults: defaults)
    super.init()
    connection.belongs(to: self)
  }

  /// Runs an operation. One on a database that names none gets the private one.
  public func add(_ operation: CKOperation) {
    operation.container = self
    connection.queue.addOperation(operation)
  }

  /// The database of a scope: the same object as the property of its name.
  public func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    switch databaseScope {
    case .public: publicCloudDatabase
    case .private: privateCloudDatabase
    case .shared: sharedCloudDatabase
    }
  }

  /// A text for logs and debuggers.
  public override var description: String {
    "<CKContainer: containerIdentifier=\(containerIdentifier ?? "unknown")>"
  }
}
