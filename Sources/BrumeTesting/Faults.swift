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
      /// A push on its way to a device.
      case push
    }

    var model: BrumeModel.Fault

    private init(_ effect: BrumeModel.Fault.Effect, on operations: [Operation] = []) {
      model = BrumeModel.Fault(
        effect, on: Set(operations.compactMap { BrumeModel.Fault.Operation(rawValue: $0.rawValue) })
      )
    }

    /// Calls fail with an error. Errors that CloudKit reports for single items fail each item that
    /// matches; ``CKError/Code/serverRecordChanged`` and ``CKError/Code/changeTokenExpired`` are made
    /// true rather than claimed.
    public static func error(_ code: CKError.Code, on operations: Operation...) -> Fault {
      Fault(.error(code.rawValue), on: operations)
    }

    /// Calls are refused, with the seconds to wait.
    public static func throttled(retryAfter seconds: Double, on operations: Operation...) -> Fault {
      var fault = Fault(.error(CKError.Code.requestRateLimited.rawValue), on: operations)
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
    /// Another program deletes the zone just before the call.
    public static var deletedZone: Fault { Fault(.removeZone(.deleted)) }
    /// The user removes the app's data just before the call.
    public static var purgedZone: Fault { Fault(.removeZone(.purged)) }
    /// The user resets encrypted data just before the call.
    public static var encryptedDataReset: Fault { Fault(.removeZone(.encryptedDataReset)) }
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
    /// Meets so many matching calls instead of one.
    public func times(_ calls: Int) -> Fault { changed { $0.count = max(1, calls) } }
    /// Meets every matching call until the faults are cleared.
    public var always: Fault { changed { $0.count = nil } }
    /// Tells the seconds to wait with the error.
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
    init(_ server: Composition) { self.server = server }

    /// Adds faults that follow each other: each begins when the one before it is spent. Faults of
    /// another call of `add` do not wait for these.
    public func add(_ faults: Fault...) {
      do {
        try server.faults?.add(faults.map(\.model))
      } catch {
        preconditionFailure(error.reason)
      }
    }

    /// Takes all faults away.
    public func clear() { server.faults?.clear() }

    /// How many faults have not been met yet: 0 when everything that should go wrong went wrong.
    public var waiting: Int { server.faults?.entries.count ?? 0 }
  }
}
