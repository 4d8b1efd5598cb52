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
  public func accountStatus() async throws -> CKAccountStatus {
    let settings = try? session.configuration.get()
    guard let settings else { return try await asked() }
    if settings.userToken == nil { return settings.serverKey == nil ? .noAccount : .available }
    return try await asked()
  }

  fileprivate func asked() async throws -> CKAccountStatus {
    do {
      _ = try await userRecordID()
      return .available
    } catch let error as CKError {
      switch error.code {
      case .notAuthenticated: return .noAccount
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
    let account = connection.account
    do {
      guard let user = try await session.currentUser().user else {
        throw CKError(.notAuthenticated, "nobody is signed in; set BRUME_USER_TOKEN")
      }
      connection.isUser(user.name, account)
      return CKRecord.ID(recordName: user.name)
    } catch {
      throw CKError(converting: error, from: Viewpoint(scope: .private))
    }
  }

  /// The ID of the current user's record.
  @_disfavoredOverload
  public func fetchUserRecordID(
    completionHandler: @escaping (CKRecord.ID?, (any Error)?) -> Void
  ) {
    let handler = UncheckedSendable(completionHandler)
    fetchUserRecordID { handler.value($0, $1) }
  }
}

// MARK: With handlers that may be called from another task

extension CKContainerCalls {
  /// Finds out whether a user is signed in.
  @preconcurrency
  public func accountStatus(
    completionHandler: @escaping @Sendable (CKAccountStatus, (any Error)?) -> Void
  ) {
    Task {
      do { completionHandler(try await accountStatus(), nil) } catch {
        completionHandler(.couldNotDetermine, error)
      }
    }
  }

  /// The ID of the current user's record.
  @preconcurrency
  public func fetchUserRecordID(
    completionHandler: @escaping @Sendable (CKRecord.ID?, (any Error)?) -> Void
  ) {
    Task {
      do { completionHandler(try await userRecordID(), nil) } catch {
        completionHandler(nil, error)
      }
    }
  }
}
