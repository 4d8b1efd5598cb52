// Liveness and readiness. They say nothing about anybody's data.

import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes

struct HealthRoutes: Sendable {
  let store: any Store
  let health: Health
  /// Ours: milliseconds without word of what other servers do, after which they do better: as long as a lease.
  private static let longestSilence: Milliseconds = 10_000

  func live(_ call: Call) async throws -> Reply { .json(["status": "live"]) }

  /// Ready means: the listener is open, the store answers a read, and the server learns what others do.
  func ready(_ call: Call) async throws -> Reply {
    do {
      _ = try await store.read { try $0.log.lastPosition(in: .only) }
    } catch let error as StoreError where error.code == .unavailable {
      health.storageFailed(error)
    } catch {
      return Self.notReady
    }
    let silence = store.sharedAccounts?.silence ?? 0
    guard health.isReady, silence < Self.longestSilence else { return Self.notReady }
    return .json(["status": "ready"])
  }

  private static var notReady: Reply {
    var reply = Reply.json(["status": "not ready"])
    reply.status = .serviceUnavailable
    return reply
  }
}
