// Liveness, readiness and metrics. They say nothing about anybody's data.

import BrumeCore
import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeWire
import HTTPTypes

enum HealthRoutes {
  static func live(_ call: Call) async throws -> Reply { .json(["status": "live"]) }

  /// Ready means: the listener is open and the store answers a read.
  static func ready(_ call: Call) async throws -> Reply {
    do {
      _ = try await call.server.store.read { try $0.log.lastPosition(in: .only) }
    } catch let error as StoreError where error.code == .unavailable {
      call.server.health.storageFailed(error)
    } catch {
      return notReady
    }
    return call.server.health.isReady ? .json(["status": "ready"]) : notReady
  }

  private static var notReady: Reply {
    var reply = Reply.json(["status": "not ready"])
    reply.status = .serviceUnavailable
    return reply
  }

  /// Open to this machine and in development; to others with the token of the settings.
  static func metrics(_ call: Call) async throws -> Reply {
    let settings = call.server.settings
    let hasToken = settings.metricsToken.map { call.headers.carryBearer($0) } ?? false
    guard settings.isDevelopment || call.address.isLocal || hasToken else {
      throw BrumeError(
        .authenticationFailed,
        "the metrics are open to the server's own machine only; start it with --metrics-token and "
          + "send 'Authorization: Bearer …'")
    }
    let metrics = call.server.metrics
    let position = try await call.server.store.read { try $0.log.lastPosition(in: .only) }
    let indexes = call.server.store.indexProgress
    metrics.gauge(.unfinishedIndexes, Int64(indexes.fields))
    metrics.gauge(.indexedRecords, indexes.records)
    let notifier = await call.server.notifier.status
    metrics.gauge(.logPosition, position)
    metrics.gauge(.notifierLag, notifier.lag(behind: position))
    let since = notifier.waitingSince.map { max(0, call.server.host.now() - $0) } ?? 0
    metrics.gauge(.notifierDelay, max(0, since))
    metrics.gauge(.unservedSubscriptions, Int64(notifier.unserved))
    metrics.gauge(.subscriptions, Int64(notifier.subscriptions))
    metrics.gauge(.notificationsMade, Int64(notifier.notifications))
    metrics.gauge(.mailboxEntries, Int64(notifier.mailboxEntries))
    metrics.gauge(.mailboxOverflows, Int64(notifier.overflows))
    metrics.gauge(
      .listeningDevices,
      Int64(call.server.signals.listenedDevices + call.server.streams.count))
    let deliveries = call.server.deliveries.worker.status
    metrics.gauge(.pushLanes, Int64(deliveries.lanes))
    metrics.gauge(.pushesUnderWay, Int64(deliveries.underWay))
    metrics.gauge(.ready, call.server.health.isReady ? 1 : 0)
    var reply = Reply(body: .bytes(Array(metrics.registry.text().utf8)))
    reply.contentType = "text/plain; version=0.0.4; charset=utf-8"
    return reply
  }
}
