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
  /// Ours: kinds of work that one answer names.
  private static let mostNamed = 8

  func live(_ call: Call) async throws -> Reply { .json(["status": "live"]) }

  /// Ready means: the listener is open, the store answers a read, and the server learns what others do. A server whose pushes
  /// wait for damage to be mended gets requests all the same, as no other would do better, and says so.
  func ready(_ call: Call) async throws -> Reply {
    do {
      _ = try await store.read { try $0.log.lastPosition(in: .only) }
    } catch let error as StoreError where error.code == .unavailable {
      health.storageFailed(error)
    } catch let error where error.saysDamage {
      // It answers, and no other server would do better.
    } catch {
      return Self.notReady
    }
    let silence = store.sharedAccounts?.silence ?? 0
    guard health.isReady, silence < Self.longestSilence else { return Self.notReady }
    let waiting = store.damagedRows?.waiting ?? []
    guard waiting.isEmpty else { return Self.degraded(waiting) }
    return .json(["status": "ready"])
  }

  private static func degraded(_ waiting: [String]) -> Reply {
    let more = waiting.count > mostNamed ? ", and others" : ""
    let named = waiting.prefix(mostNamed).joined(separator: ", ")
    return .json([
      "status": "degraded",
      "reason": .string(
        "what is stored is damaged, and until it is mended these wait: \(named)\(more); 'brume doctor --deep' says "
          + "what is damaged"),
    ])
  }

  private static var notReady: Reply {
    var reply = Reply.json(["status": "not ready"])
    reply.status = .serviceUnavailable
    return reply
  }
}
