// Who is signed in.

import BrumeClient
import BrumeModel
public import Foundation

/// Whether somebody is signed in.
public enum CKAccountStatus: Int, Sendable {
  /// It could not be found out.
  case couldNotDetermine = 0
  /// A user is signed in.
  case available = 1
  /// The account may not be used here.
  case restricted = 2
  /// Nobody is signed in.
  case noAccount = 3
  /// A user is signed in, but the account is not ready.
  case temporarilyUnavailable = 4
}

extension NSNotification.Name {
  /// Posted, with the container as its object, when somebody signed in or out of it, and when the
  /// server stopped accepting the user; for each object that the app has of the container. Ask for the account's status again; tokens and records of
  /// another user are of no use. May come on any thread.
  public static let CKAccountChanged = NSNotification.Name("CKAccountChangedNotification")
}

extension CKContainer {
  /// Finds out whether a user is signed in.
  @discardableResult
  public func accountStatus() async throws -> CKAccountStatus {
    let settings = try? session.configuration.get()
    if let settings, settings.userToken == nil {
      return settings.serverKey == nil ? .noAccount : .available
    }
    let account = connection.account
    do {
      try await userRecordID()
      return .available
    } catch let error as CKError {
      switch error.code {
      case .notAuthenticated:
        // The question was about whoever was signed in when it was asked, whose tokens may be equal.
        let isAnswered = account == connection.account || connection.isRefused
        return isAnswered ? .noAccount : try await accountStatus()
      case .accountTemporarilyUnavailable: return .temporarilyUnavailable
      case .managedAccountRestricted: return .restricted
      default: throw error
      }
    }
  }

  /// Finds out whether a user is signed in.
  @_disfavoredOverload
  public func accountStatus(
    completionHandler: @escaping (CKAccountStatus, (any Error)?) -> Void
  ) {
    let handler = UncheckedSendable(completionHandler)
    accountStatus { handler.value($0, $1) }
  }

  /// The ID of the current user's record.
  @discardableResult
  public func userRecordID() async throws -> CKRecord.ID {
    try await answer { asking($0) }
  }

  /// The ID of the current user's record.
  @_disfavoredOverload
  public func fetchUserRecordID(
    completionHandler: @escaping (CKRecord.ID?, (any Error)?) -> Void
  ) {
    run(asking { completionHandler($0.pair.0, $0.pair.1) })
  }

  fileprivate func asking(_ end: @escaping Ending<CKRecord.ID>) -> CKOperation {
    CurrentUserOperation { end($0.map(\.recordID)) }
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// Finds out whether a user is signed in.
  @preconcurrency
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    report {
      do { return (try await self.accountStatus(), nil as (any Error)?) } catch {
        return (.couldNotDetermine, error)
      }
    } to: {
      completionHandler($0.0, $0.1)
    }
  }

  /// The ID of the current user's record.
  @preconcurrency
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    run(asking { completionHandler($0.pair.0, $0.pair.1) })
  }
}
