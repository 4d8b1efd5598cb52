// Kinds of requests about subscriptions.

import BrumeCore
import BrumeModel
import BrumeTestKit

extension RequestKind {
  static let subscriptions: [RequestKind] = [
    RequestKind("subscriptions saved") { server, n in
      try await server.modify(watching(n))
    },
    RequestKind("subscriptions saved again") { server, n in
      try await server.modify(watching(n))
    } request: { server, n in
      try await server.modify(watching(n))
    },
    RequestKind("subscriptions that say the same as others") { server, n in
      try await server.modify(watching(n))
    } request: { server, n in
      _ = try await server.engine.subscriptions.modify(
        watching(n, "twin"), in: .private, as: server.phone)
    },
    RequestKind("subscriptions deleted") { server, n in
      try await server.modify(watching(n))
    } request: { server, n in
      try await server.modify(names(n).map { .delete(id: $0) })
    },
  ]

  static func watching(_ zones: [ZoneID]) -> [SubscriptionOperation] {
    zones.map { zone in
      .save(
        Subscription(
          id: zone.name, kind: .zone(zone, recordType: nil), info: NotificationInfo()))
    }
  }

  private static func watching(_ n: Int, _ prefix: String = "r")
    -> [SubscriptionOperation]
  {
    (0..<n).map { number in
      .save(
        Subscription(
          id: "\(prefix)\(number)", kind: .zone(GrowthServer.zone, recordType: "T\(number)"),
          info: NotificationInfo()))
    }
  }
}

extension GrowthServer {
  func modify(_ operations: [SubscriptionOperation]) async throws {
    let results = try await engine.subscriptions.modify(operations, in: .private, as: phone)
    for result in results { _ = try result.get() }
  }
}
