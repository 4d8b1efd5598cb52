// How convenience calls run: as their operations do, unless `configuredWith` says otherwise.

import Foundation

/// The configuration and the group that calls of a database or container run with.
struct CallDefaults: Sendable {
  var configuration: CKOperation.Configuration?
  var group: CKOperationGroup?
  /// The account that the calls are made for; nil: whoever is signed in when they begin.
  var account: Int?

  /// Gives an operation of a convenience call its settings.
  func apply(to operation: CKOperation) {
    operation.group = group
    if let account { operation.belong(to: account) }
    if let configuration {
      operation.configuration = configuration
    } else if group == nil {
      // CloudKit: convenience calls are made for the user who waits (Apple's CKDatabase header).
      operation.qualityOfService = .userInitiated
    }
  }
}

extension CKDatabase {
  /// Runs calls with another configuration.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ configuredDatabase: CKDatabase) throws -> R
  ) rethrows -> R {
    try body(configured(configuration, group))
  }

  // Both concurrent, as functions of Apple's framework are: a body that is handed on from the app's
  // own function is of that type.
  /// Runs calls with another configuration.
  @discardableResult
  @concurrent public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: @concurrent (_ configuredDatabase: CKDatabase) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  private func configured(
    _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?
  ) -> CKDatabase {
    CKDatabase(
      databaseScope, connection: connection,
      defaults: CallDefaults(
        configuration: configuration ?? defaults.configuration, group: group ?? defaults.group))
  }
}

extension CKContainer {
  /// Runs calls with another configuration.
  @discardableResult
  public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: (_ configuredContainer: CKContainer) throws -> R
  ) rethrows -> R {
    try body(configured(configuration, group))
  }

  // Both concurrent, as functions of Apple's framework are: a body that is handed on from the app's
  // own function is of that type.
  /// Runs calls with another configuration.
  @discardableResult
  @concurrent public func configuredWith<R>(
    configuration: CKOperation.Configuration? = nil, group: CKOperationGroup? = nil,
    body: @concurrent (_ configuredContainer: CKContainer) async throws -> R
  ) async rethrows -> R {
    try await body(configured(configuration, group))
  }

  private func configured(
    _ configuration: CKOperation.Configuration?, _ group: CKOperationGroup?
  ) -> CKContainer {
    CKContainer(
      connection: connection, identifier: containerIdentifier,
      defaults: CallDefaults(
        configuration: configuration ?? defaults.configuration, group: group ?? defaults.group))
  }
}
