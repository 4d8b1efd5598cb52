// A container: three databases under one identifier. Users are in `CKContainer+Account.swift`.

import BrumeClient
import BrumeModel
public import Foundation

/// A container of a program's data: one public database, and a private and a shared one per user.
///
/// Calls throw ``CKError``, with ``CKError/Code/operationCancelled`` if the task is cancelled.
// Sendable because every stored property is constant and Sendable itself.
open class CKContainer: NSObject, @unchecked Sendable {
  /// The container's identifier, such as `iCloud.org.example.app`.
  open var containerIdentifier: String? { parts.identifier }
  /// The database that everybody can read.
  open var publicCloudDatabase: CKDatabase { parts.public }
  /// The current user's own database.
  open var privateCloudDatabase: CKDatabase { parts.private }
  /// What others share with the current user.
  open var sharedCloudDatabase: CKDatabase { parts.shared }
  /// What the databases share.
  var connection: Connection { parts.connection }
  /// How the calls of this object run.
  var defaults: CallDefaults { parts.defaults }
  private let parts: Parts
  /// The typed caller of the container.
  var session: Session { connection.session }

  /// The container that the environment names: the same object each time.
  ///
  /// If a variable is missing, every call fails with ``CKError/Code/missingEntitlement`` and a text
  /// that names it.
  open class func `default`() -> CKContainer { environmentContainer }

  private static let environmentContainer = CKContainer(named: ProgramConnections.own.identifier)

  /// A container by its identifier, on the server and for the user that the environment names.
  ///
  /// All objects of one identifier are one container: who signs in to one has signed in to all, and they are the same device.
  // Required, so that `Self(identifier:)`, protocols and subclasses may ask for it as for Objective-C's.
  public required init(identifier containerIdentifier: String) {
    parts = Parts(
      ProgramConnections.own.connection(to: containerIdentifier), containerIdentifier,
      CallDefaults())
    super.init()
    connection.belongs(to: self)
  }

  private convenience init(named identifier: String?) {
    self.init(
      connection: ProgramConnections.own.connection(to: identifier), identifier: identifier)
  }

  /// A container with settings and an account of its own; a device without a name gets one.
  convenience init(_ settings: Configuration) {
    self.init(
      connection: Connection(Session(Result.success(settings).onDevice)),
      identifier: settings.container.name)
  }

  /// - Parameter defaults: of an object that is only there for calls: the app is not notified through it.
  init(connection: Connection, identifier: String?, defaults: CallDefaults? = nil) {
    parts = Parts(connection, identifier, defaults ?? CallDefaults())
    super.init()
    if defaults == nil { connection.belongs(to: self) }
  }

  /// Runs an operation. One on a database that names none gets the private one.
  open func add(_ operation: CKOperation) {
    operation.container = self
    connection.add(operation)
  }

  /// The database of a scope: the same object as the property of its name.
  open func database(with databaseScope: CKDatabase.Scope) -> CKDatabase {
    switch databaseScope {
    case .public: publicCloudDatabase
    case .private: privateCloudDatabase
    case .shared: sharedCloudDatabase
    }
  }

  /// A text for logs and debuggers.
  open override var description: String {
    "<CKContainer: containerIdentifier=\(containerIdentifier ?? "unknown")>"
  }
}

/// What a container is made of.
private struct Parts {
  let identifier: String?
  let connection: Connection
  let defaults: CallDefaults
  let `public`: CKDatabase
  let `private`: CKDatabase
  let shared: CKDatabase

  init(_ connection: Connection, _ identifier: String?, _ defaults: CallDefaults) {
    self.identifier = identifier
    self.connection = connection
    self.defaults = defaults
    `public` = CKDatabase(.public, connection: connection, defaults: defaults)
    `private` = CKDatabase(.private, connection: connection, defaults: defaults)
    shared = CKDatabase(.shared, connection: connection, defaults: defaults)
  }
}
