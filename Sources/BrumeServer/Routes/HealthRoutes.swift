// Liveness and readiness. They say nothing about anybody's data.

import BrumeModel
import BrumeStorage
import BrumeWire
import HTTPTypes

struct HealthRoutes: Sendable {
  let store: any Store
  let health: Health

  func live(_ call: Call) async throws -> Reply { .json(["status": "live"]) }

  /// Ready means: the listener is open and the store answers a read.
  func ready(_ call: Call) async throws -> Reply {
    do {
      _ = try await store.read { try $0.log.lastPosition(in: .only) }
    } catch let error as StoreError where error.code == .unavailable {
      health.storageFailed(error)
    } catch {
      return Self.notReady
    }
    return health.isReady ? .json(["status": "ready"]) : Self.notReady
  }

  private static var notReady: Reply {
    var reply = Reply.json(["status": "not ready"])
    reply.status = .serviceUnavailable
    return reply
  }
}
