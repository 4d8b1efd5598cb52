// Whether others may find the current user. Apple deprecated it with the rest of user discovery.
// Here nobody is asked: the server's operator decides, and the status says what holds.

import Foundation

extension CKContainer {
  /// What an app could ask its user for.
  public struct ApplicationPermissions: OptionSet, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set from its bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }
    /// That others can find the user by address.
    public static var userDiscoverability: ApplicationPermissions {
      ApplicationPermissions(rawValue: 1 << 0)
    }
  }

  /// Where a permission stands.
  public enum ApplicationPermissionStatus: Int, Sendable {
    /// The user was not asked yet. Never here: nobody is asked.
    case initialState = 0
    /// It could not be found out; the error says why.
    case couldNotComplete = 1
    /// No.
    case denied = 2
    /// Yes.
    case granted = 3
  }

  /// Gets the status of a permission.
  public typealias ApplicationPermissionBlock = (
    CKContainer.ApplicationPermissionStatus, (any Error)?
  ) -> Void

  /// The older names of the permissions.
  public enum Application {
    /// The older name of ``CKContainer/ApplicationPermissions``.
    @available(*, deprecated, renamed: "CKContainer.ApplicationPermissions")
    public typealias Permissions = CKContainer.ApplicationPermissions
    /// The older name of ``CKContainer/ApplicationPermissionStatus``.
    @available(*, deprecated, renamed: "CKContainer.ApplicationPermissionStatus")
    public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
    /// The older name of ``CKContainer/ApplicationPermissionBlock``.
    @available(*, deprecated, renamed: "CKContainer.ApplicationPermissionBlock")
    public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
  }

  /// Whether others can find the current user, as the server has it.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func applicationPermissionStatus(
    for applicationPermission: CKContainer.ApplicationPermissions
  ) async throws -> CKContainer.ApplicationPermissionStatus {
    try await answer { askingForStatus($0) }
  }

  /// Whether others can find the current user, as the server has it.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  public func status(
    forApplicationPermission applicationPermission: CKContainer.ApplicationPermissions,
    completionHandler: @escaping CKContainer.ApplicationPermissionBlock
  ) {
    run(askingForStatus { completionHandler($0.pair.0 ?? .couldNotComplete, $0.pair.1) })
  }

  private func askingForStatus(
    _ end: @escaping Ending<CKContainer.ApplicationPermissionStatus>
  ) -> CKOperation {
    CurrentUserOperation { end($0.map { $0.isHidden ? .denied : .granted }) }
  }

  /// The same as asking for the status: there is nobody to ask here.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  @discardableResult
  public func requestApplicationPermission(
    _ applicationPermission: CKContainer.ApplicationPermissions
  ) async throws -> CKContainer.ApplicationPermissionStatus {
    try await applicationPermissionStatus(for: applicationPermission)
  }

  /// The same as asking for the status: there is nobody to ask here.
  @available(*, deprecated, message: "Apple removed user discovery in favour of sharing.")
  public func requestApplicationPermission(
    _ applicationPermission: CKContainer.ApplicationPermissions,
    completionHandler: @escaping CKContainer.ApplicationPermissionBlock
  ) {
    status(forApplicationPermission: applicationPermission, completionHandler: completionHandler)
  }
}
