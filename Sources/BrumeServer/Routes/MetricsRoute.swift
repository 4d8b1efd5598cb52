// What the server counted, and what is read when somebody asks, as Prometheus reads it. Nothing about
// anybody's data.

import BrumeDelivery
import BrumeModel
import BrumeNotifier
import BrumeStorage
import BrumeTracing
import BrumeWire

struct MetricsRoute: Sendable {
  let metrics: ServerMetrics
  let store: any Store
  let notifiers: Notifiers
  let delivery: ServerDelivery
  let health: Health
  let now: @Sendable () -> Milliseconds
  /// Anybody may ask.
  let isOpen: Bool
  /// Opens the metrics to other machines.
  let token: String?
  /// Nil: the server speaks plain HTTP.
  let identities: TLSIdentities?
  /// Nil: no traces are sent.
  let exporter: OTLPExporter?
  /// Nil: nobody counts them.
  let lostLogLines: (@Sendable () -> Int64)?
  /// Nil: nobody shares the store.
  let sharedTime: SharedTime?

  /// Open to this machine and in development; to others with the token of the settings.
  func show(_ call: Call) async throws -> Reply {
    let hasToken = token.map { call.headers.carryBearer($0) } ?? false
    guard isOpen || call.address.isLocal || hasToken else {
      throw BrumeError(
        .authenticationFailed,
        "the metrics are open to the server's own machine only; start it with --metrics-token and "
          + "send 'Authorization: Bearer …'")
    }
    return try await text()
  }

  /// Operators see them from wherever they are signed in.
  func showOperator(_ call: Call) async throws -> Reply { try await text() }

  private func text() async throws -> Reply {
    let positions = try await store.read { try $0.log.lastPositions() }
    metrics.total(.damagedRows, store.damagedRows?.reads ?? 0)
    let indexes = store.indexProgress
    metrics.gauge(.unfinishedIndexes, Int64(indexes.fields))
    metrics.gauge(.indexedRecords, indexes.records)
    let all = await notifiers.statuses()
    let statuses = notifiers.own(all)
    let (own, made) = (NotifierStatus(sumOf: statuses.values), NotifierStatus(sumOf: all.values))
    metrics.gauge(.logPosition, positions.buckets.reduce(0) { $0 + positions[$1] })
    metrics.gauge(
      .notifierLag, statuses.reduce(0) { $0 + $1.value.lag(behind: positions[$1.key]) })
    let since = own.waitingSince.map { max(0, now() - $0) } ?? 0
    metrics.gauge(.notifierDelay, seconds: Double(since) / 1000)
    metrics.gauge(.unservedSubscriptions, Int64(own.unserved))
    metrics.gauge(.subscriptions, Int64(own.subscriptions))
    metrics.gauge(.notificationsMade, Int64(made.notifications))
    metrics.gauge(.mailboxEntries, Int64(made.mailboxEntries))
    metrics.gauge(.mailboxOverflows, Int64(made.overflows))
    metrics.gauge(
      .listeningDevices,
      Int64(delivery.signals.listenedDevices + delivery.streams.count))
    let deliveries = delivery.worker.status
    metrics.gauge(.pushLanes, Int64(deliveries.lanes))
    metrics.gauge(.pushesUnderWay, Int64(deliveries.underWay))
    if let identities { metrics.gauge(.certificateEnd, identities.notAfter) }
    if let exporter { metrics.total(.droppedSpans, exporter.dropped) }
    if let lostLogLines { metrics.total(.lostLogLines, lostLogLines()) }
    if let sharedTime {
      metrics.gauge(.clockDifference, seconds: Double(sharedTime.difference) / 1000)
    }
    metrics.gauge(.ready, health.isReady ? 1 : 0)
    var reply = Reply(body: .bytes(Array(metrics.registry.text().utf8)))
    reply.contentType = "text/plain; version=0.0.4; charset=utf-8"
    return reply
  }
}
