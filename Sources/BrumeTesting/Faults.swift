// Faults as tests say them. The rules are BrumeCore's `FaultPlan.swift`, the same that a development
// server follows for `brume faults`.

public import BrumeKit
import BrumeModel
import BrumeServer

extension LocalServer {
  /// Something that goes wrong: what, at which calls, how often.
  public struct Fault: Sendable {
    /// What a call asks for.
    public enum Operation: String, Sendable, CaseIterable {
      /// Saving records.
      case saveRecords
      /// Deleting records.
      case deleteRecords
      /// Fetching records by their IDs.
      case fetchRecords
      /// Searching, and going on with a search.
      case query
      /// Saving zones.
      case saveZones
      /// Deleting zones.
      case deleteZones
      /// Fetching zones, by their IDs or all.
      case fetchZones
      /// Asking which zones changed.
      case fetchDatabaseChanges
      /// Asking what changed in zones.
      case fetchZoneChanges
      /// Saving subscriptions.
      case saveSubscriptions
      /// Deleting subscriptions.
      case deleteSubscriptions
      /// Fetching subscriptions, by their IDs or all.
      case fetchSubscriptions
      /// Resolving and accepting shares.
      case sharing
      /// Asking who the user is, as the status of the account does.
      case account
      /// Looking users up, to share with them too, and asking for those that the user has to do with.
      case users
      /// Registering for pushes. Streams of pushes meet faults of pushes only.
      case devices
      /// Asking where to send the files of records, before they are saved.
      case uploadAssets
      /// Fetching the file of a record. It says no device: faults of one device leave it alone.
      case fetchAssets
      /// A push on its way to a device.
      case push
    }

    var model: BrumeModel.Fault
    /// Who signs in, by name.
    private(set) var nextUser: String?

    private init(_ effect: BrumeModel.Fault.Effect, on operations: [Operation] = []) {
      model = BrumeModel.Fault(
        effect, on: Set(operations.compactMap { BrumeModel.Fault.Operation(rawValue: $0.rawValue) })
      )
    }

    /// Calls fail with an error. Errors that CloudKit reports for single items fail each item that
    /// matches. ``CKError/Code/serverRecordChanged`` of a save and ``CKError/Code/changeTokenExpired``
    /// of a fetch of changes are made true rather than claimed; without operations they wait for one.
    /// A fault waits for ever for operations at which it can do nothing, such as an error of a push. A code
    /// that CloudKit does not have ends the test process.
    public static func error(_ code: CKError.Code, on operations: Operation...) -> Fault {
      Fault(.error(known(code)), on: operations)
    }

    private static func known(_ code: CKError.Code) -> BrumeModel.Fault.ErrorCode {
      guard let known = BrumeModel.Fault.ErrorCode(rawValue: code.rawValue) else {
        preconditionFailure("faults know no CKError \(code.rawValue); add it to Fault.ErrorCode")
      }
      return known
    }

    /// Calls are refused, with the seconds to wait.
    public static func throttled(retryAfter seconds: Double, on operations: Operation...) -> Fault {
      var fault = Fault(.error(.requestRateLimited), on: operations)
      fault.model.retryAfter = seconds
      return fault
    }

    /// The call is carried out, and its answer does not arrive: `serverResponseLost`.
    public static func lostAnswer(on operations: Operation...) -> Fault {
      Fault(.loseAnswer, on: operations)
    }

    /// Another device saves the record first.
    public static var conflict: Fault { Fault(.conflict) }
    /// The change token that the app uses is expired from now on.
    public static var expiredToken: Fault { Fault(.expireToken) }
    /// A zone is reported as saved, and does not exist.
    public static var unmadeZone: Fault { Fault(.pretend) }
    /// There is no space left for what is saved.
    public static var quotaExceeded: Fault { .error(.quotaExceeded, on: .saveRecords) }
    /// Another program deletes the zone just before a call that names it; in the shared database the owner does.
    public static var deletedZone: Fault { Fault(.removeZone(.deleted)) }
    /// The user removes the app's data just before the call.
    public static var purgedZone: Fault { Fault(.removeZone(.purged)) }
    /// The user resets encrypted data just before the call.
    public static var encryptedDataReset: Fault { Fault(.removeZone(.encryptedDataReset)) }
    /// The account of the device that calls goes: the call fails with `notAuthenticated`, and later
    /// ones are those of a device without an account, which reads the public database, until
    /// ``LocalServer/Faults/clear()``. Other devices of the user keep theirs.
    public static var signedOut: Fault { Fault(.changeAccount(to: nil)) }
    /// Somebody else signs in on the device that calls: the call fails with `notAuthenticated`, and
    /// later ones are the other user's, until ``LocalServer/Faults/clear()``.
    ///
    /// - Parameter user: somebody of whom the server has a device.
    public static func switchedAccount(to user: String) -> Fault {
      var fault = Fault(.changeAccount(to: nil))
      fault.nextUser = user
      return fault
    }
    /// A push is lost.
    public static var droppedPush: Fault { Fault(.dropPush) }
    /// A push comes twice.
    public static var duplicatedPush: Fault { Fault(.duplicatePush) }
    /// A push waits for ``LocalServer/releasePushes()``.
    public static var heldPush: Fault { Fault(.holdPush) }

    // MARK: At which calls

    /// Only items of this zone.
    public func zone(_ name: String) -> Fault { changed { $0.zone = name } }
    /// Only the record of this name.
    public func record(_ name: String) -> Fault { changed { $0.record = name } }
    /// Only calls and pushes of this device.
    public func device(_ name: String) -> Fault { changed { $0.device = DeviceID(name) } }
    /// So many matching calls pass first.
    public func skipping(_ calls: Int) -> Fault { changed { $0.skip = max(0, calls) } }
    /// Meets so many matching calls instead of one; 0 asks for no fault.
    public func times(_ calls: Int) -> Fault { changed { $0.count = max(0, calls) } }
    /// Meets every matching call until the faults are cleared.
    public var always: Fault { changed { $0.count = nil } }
    /// Sends the seconds to wait with the error.
    public func retryAfter(_ seconds: Double) -> Fault { changed { $0.retryAfter = seconds } }

    private func changed(_ change: (inout BrumeModel.Fault) -> Void) -> Fault {
      var copy = self
      change(&copy.model)
      return copy
    }
  }

  /// The faults of a server.
  public struct Faults: Sendable {
    private let server: Composition
    private let users: KnownUsers
    init(_ server: Composition, _ users: KnownUsers) {
      self.server = server
      self.users = users
    }

    /// Adds faults that follow each other: each begins when the one before it is used up. Faults of
    /// another call of `add` do not wait for these. It ends the test process if a fault names a user of whom
    /// the server has no device, or if there would be more than 1,000.
    public func add(_ faults: Fault...) {
      do {
        try server.faults?.add(faults.map(resolved))
      } catch {
        preconditionFailure(error.reason)
      }
    }

    private func resolved(_ fault: Fault) -> BrumeModel.Fault {
      guard let name = fault.nextUser else { return fault.model }
      guard let user = users[name] else {
        preconditionFailure("there is no user '\(name)'; make a device of that user first")
      }
      var model = fault.model
      model.effect = .changeAccount(to: user)
      return model
    }

    /// Takes all faults away.
    public func clear() { server.faults?.clear() }

    /// How many faults have not been met as often as they say: 0 when everything that should go wrong
    /// went wrong. One that is there for ``Fault/always`` has to be met once.
    public var waiting: Int { server.faults?.entries.count(where: \.isWaiting) ?? 0 }
  }
}
