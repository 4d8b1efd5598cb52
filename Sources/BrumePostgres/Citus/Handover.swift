// What a worker hands over to the coordinator, and for how long it is not asked then.

import BrumeStorage
import Synchronization

/// Why the coordinator does what a worker was asked for. Nothing of it has happened.
enum HandoverReason {
  /// The worker cannot be reached.
  case isAway
  /// It has no such table: the rows are in no bucket.
  case lacksTable

  /// Nil: the coordinator would fail as well.
  init?(_ error: any Error) {
    switch error {
    case let error as ServerError where error.isConnectionLost: self = .isAway
    case let error as StoreError where error.code == .unreachable: self = .isAway
    case let error as ServerError where error.isOfCoordinator: self = .lacksTable
    default: return nil
    }
  }
}

/// Whether a worker is worth a try.
final class WorkerReachability: Sendable {
  /// Ours: milliseconds in which a worker that was away is not tried again.
  private static let rest: Int64 = 5000
  private let end = Atomic<Int64>(.min)

  func isWorthATry(at now: Int64) -> Bool { end.load(ordering: .relaxed) <= now }

  func note(_ reason: HandoverReason, at now: Int64) {
    if reason == .isAway { end.store(now + Self.rest, ordering: .relaxed) }
  }
}
